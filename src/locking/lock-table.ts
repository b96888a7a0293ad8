import { type Reusable, Reused } from '../concurrency/reused.ts';
import type { Lock } from '../tool.ts';
import { waitsInCircle } from './circle.ts';

/** One key of one request, in that key's queue. */
export interface Slot {
  readonly entry: Entry;
  readonly request: Request;
  readonly isWrite: boolean;
  isGranted: boolean;
  before: Slot | undefined;
  after: Slot | undefined;
}

/** A key that somebody holds or waits for: first those who hold it, then those who wait, in the order in which they came. */
export interface Entry extends Reusable {
  first: Slot | undefined;
  last: Slot | undefined;
  waiting: Slot | undefined;
}

/** What is asked for together: held once all of it is free, and then at once. */
export interface LockRequest {
  /** Whose it is, for those who have to know who waits for whom. */
  readonly owner: object;
  /** Whether all of it is held. */
  readonly isHeld: boolean;
  /**
   * Whether it waits for one of those within which it was made, who wait for it. As far as that is found by looking at the
   * 1,000 nearest that it waits for.
   */
  isHopeless(): boolean;
  /** Gives up what is held, or no longer waits. May be called more than once. */
  release(): void;
}

/**
 * Locks by key: those that read a key hold it together, one that writes it holds it alone.
 *
 * A request joins the queues of all its keys in the same moment, so it is before or behind another one in every queue that
 * they share: the oldest that has not ended never waits for a younger one, and no circle of waiting can come about. Nobody
 * overtakes, so a writer is not starved by readers that come later; readers next to each other hold the key together.
 */
export class LockTable {
  readonly #entries = new Reused<Entry>(newEntry);
  /** Those that wait while whoever asked for them holds something. */
  readonly #nested = new Set<Request>();

  /** How many keys are held or waited for. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Asks for keys, each in its mode. `held` is called once all of it is held: never from within, and not at
   * all where `isHeld` is true at once.
   *
   * `within` are the owners on whose behalf it is asked, who wait for it meanwhile: what one of them reads, it may read
   * without its turn, since whoever came between waits for that one anyway.
   */
  request(
    modes: ReadonlyMap<string, Lock['mode']>,
    owner: object,
    held: () => void,
    within: readonly object[] = none,
  ): LockRequest {
    const request = new Request(this.#entries, this.#nested, owner, held, within);
    for (const [key, mode] of modes) request.join(this.#entries.of(key), mode === 'write');
    if (within.length > 0 && !request.isHeld) this.#nested.add(request);
    return request;
  }
}

function newEntry(name: string): Entry {
  return { name, isIdle: false, first: undefined, last: undefined, waiting: undefined };
}

const none: readonly object[] = [];

export class Request implements LockRequest {
  readonly owner: object;
  readonly within: readonly object[];
  readonly slots: Slot[] = [];
  readonly #entries: Reused<Entry>;
  readonly #nested: Set<Request>;
  readonly #held: () => void;
  #missing = 0;
  #isOver = false;

  constructor(
    entries: Reused<Entry>,
    nested: Set<Request>,
    owner: object,
    held: () => void,
    within: readonly object[],
  ) {
    this.#entries = entries;
    this.#nested = nested;
    this.owner = owner;
    this.within = within;
    this.#held = held;
  }

  get isHeld(): boolean {
    return this.#missing === 0;
  }

  join(entry: Entry, isWrite: boolean): void {
    const { first, waiting } = entry;
    const isFree = first === undefined || !(isWrite || first.isWrite);
    const isGranted = isFree && (waiting === undefined || holdsAlready(entry, this.within));
    const slot: Slot = { entry, request: this, isWrite, isGranted, before: undefined, after: undefined };
    // Who holds a key stands before those who wait for it.
    insert(slot, isGranted ? waiting : undefined);
    if (!isGranted) {
      entry.waiting ??= slot;
      this.#missing++;
    }
    this.slots.push(slot);
  }

  isHopeless(): boolean {
    return this.within.length > 0 && waitsInCircle(this, this.#nested);
  }

  /** One key more is held; true with the last one. */
  granted(): boolean {
    return --this.#missing === 0;
  }

  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.within.length > 0) this.#nested.delete(this);
    let ready: Request[] | undefined;
    for (const slot of this.slots) {
      remove(slot);
      if (slot.entry.first === undefined) this.#entries.rest(slot.entry);
      else ready = grant(slot.entry, ready);
    }
    if (ready !== undefined) for (const request of ready) request.#begin();
  }

  #begin(): void {
    if (this.within.length > 0) this.#nested.delete(this);
    this.#held();
  }
}

/** Whether one of these owners holds the key. */
function holdsAlready(entry: Entry, owners: readonly object[]): boolean {
  if (owners.length === 0) return false;
  for (let slot = entry.first; slot?.isGranted; slot = slot.after) {
    if (owners.includes(slot.request.owner)) return true;
  }
  return false;
}

/** Puts a slot before another one, or at the end. */
function insert(slot: Slot, next: Slot | undefined): void {
  const { entry } = slot;
  slot.after = next;
  slot.before = next === undefined ? entry.last : next.before;
  if (slot.before === undefined) entry.first = slot;
  else slot.before.after = slot;
  if (next === undefined) entry.last = slot;
  else next.before = slot;
}

function remove(slot: Slot): void {
  const { entry, before, after } = slot;
  if (before === undefined) entry.first = after;
  else before.after = after;
  if (after === undefined) entry.last = before;
  else after.before = before;
  if (entry.waiting === slot) entry.waiting = after;
  // Whoever still knows of this one must not keep all that came after it.
  slot.before = undefined;
  slot.after = undefined;
}

/** Lets those hold the key whose turn it is now; gives those who hold all of theirs by that. */
function grant(entry: Entry, before: Request[] | undefined): Request[] | undefined {
  const { first } = entry;
  let ready = before;
  let slot = entry.waiting;
  while (slot !== undefined && (slot === first || !(slot.isWrite || first?.isWrite))) {
    slot.isGranted = true;
    if (slot.request.granted()) {
      if (ready === undefined) ready = [slot.request];
      else ready.push(slot.request);
    }
    slot = slot.after;
  }
  entry.waiting = slot;
  return ready;
}
