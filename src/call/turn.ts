/** What may outlast the turn of the event loop in which it began, and does something then. */
export interface Fresh {
  /** Where it stands among those of its turn, or -1. */
  place: number;
  outlast(): void;
}

// Nearly every call settles within its turn. So whatever only the others need is put off until then, and one immediate
// serves all of them.
const fresh: Fresh[] = [];
/**
 * By what the immediate was set, if there is one. Tests put their own in its place, and take it away again without ever
 * calling what they were given: the deadlines of all that comes later must not depend on that.
 */
let scheduledBy: typeof setImmediate | undefined;

/** Has `item` told when this turn has ended, unless it leaves before. */
export function enterTurn(item: Fresh): void {
  item.place = fresh.length;
  fresh.push(item);
  if (scheduledBy === setImmediate) return;
  scheduledBy = setImmediate;
  setImmediate(endTurn);
}

/** Swaps the last one into its place: cheaper than any collection that keeps an order. */
export function leaveTurn(item: Fresh): void {
  const { place } = item;
  item.place = -1;
  // Those that are about to be told stand there no more.
  if (fresh[place] !== item) return;
  const last = fresh.pop() as Fresh;
  if (last === item) return;
  fresh[place] = last;
  last.place = place;
}

function endTurn(): void {
  scheduledBy = undefined;
  for (const item of fresh.splice(0)) {
    item.place = -1;
    item.outlast();
  }
}
