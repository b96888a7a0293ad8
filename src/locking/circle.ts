import type { Request, Slot } from './lock-table.ts';

/** How many that are waited for are looked at: a search must not cost more than the wait it spares. */
const mostLookedAt = 1_000;

/**
 * Whether `request` waits, over however many others, for one of the owners within which it was made. An owner that has asked
 * for something more on its own behalf, one of `nested`, waits for that in turn.
 */
export function waitsInCircle(request: Request, nested: Iterable<Request>): boolean {
  const own = new Set(request.within);
  const seenSlots = new Set<Slot>();
  const seenRequests = new Set<Request>([request]);
  const open = [request];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const waiting of at.slots) {
      if (waiting.isGranted) continue;
      // Who was seen was looked at with all before it.
      for (let slot = waiting.before; slot !== undefined && !seenSlots.has(slot); slot = slot.before) {
        if (seenSlots.size >= mostLookedAt) return false;
        seenSlots.add(slot);
        const other = slot.request;
        if (own.has(other.owner)) return true;
        if (seenRequests.has(other)) continue;
        seenRequests.add(other);
        if (!other.isHeld) open.push(other);
        else open.push(...within(other.owner, nested, seenRequests));
      }
    }
  }
  return false;
}

/** What an owner waits for although it holds what it asked for first. */
function* within(owner: object, nested: Iterable<Request>, seen: Set<Request>): Iterable<Request> {
  for (const request of nested) {
    if (seen.has(request) || !request.within.includes(owner)) continue;
    seen.add(request);
    yield request;
  }
}
