/** How many names are compared at most, so that a wrong name among very many costs no noticeable time. */
const mostCompared = 5_000;

/**
 * The names most like `wanted`, best first: those that end or begin with it, then those a few typing errors away.
 */
export function nearest(wanted: string, names: Iterable<string>, most = 3): string[] {
  const scored: { name: string; distance: number }[] = [];
  const lower = wanted.toLowerCase().slice(0, 128);
  const furthest = Math.max(2, Math.floor(lower.length / 3));
  let compared = 0;
  for (const name of names) {
    if (++compared > mostCompared) break;
    const other = name.toLowerCase();
    const part = lower.length > 2 && (other.endsWith(lower) || other.startsWith(lower) || lower.endsWith(other));
    const distance = part
      ? 0.5
      : Math.abs(other.length - lower.length) > furthest
        ? Number.POSITIVE_INFINITY
        : edits(lower, other);
    if (distance <= furthest) scored.push({ name, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

/** How the question stands in a text: as a sentence of its own, behind a semicolon, or in brackets. */
const forms = { sentence: [' Did', '?'], clause: ['; did', '?'], aside: [' (did', '?)'] } as const;

/** What was probably meant by `wanted`, as a question to be put behind what is wrong with it; empty where nothing is near. */
export function didYouMean(
  wanted: string,
  names: Iterable<string>,
  form: keyof typeof forms = 'sentence',
  shown: (name: string) => string = String,
): string {
  return askWhether(
    nearest(wanted, names, 1).map((name) => shown(name)),
    form,
  );
}

/** The same of names that are known to be near. */
export function askWhether(similar: readonly string[], form: keyof typeof forms = 'sentence'): string {
  if (similar.length === 0) return '';
  const [begin, end] = forms[form];
  return `${begin} you mean ${similar.join(' or ')}${end}`;
}

/** A name between quotation marks. */
export function inQuotes(name: string): string {
  return `"${name}"`;
}

/** Whether `wanted` is one typing error away from `name`, but for upper and lower case. */
export function isTypo(wanted: string, name: string): boolean {
  return Math.abs(wanted.length - name.length) <= 1 && edits(wanted.toLowerCase(), name.toLowerCase()) <= 1;
}

/** Levenshtein distance, with a swap of neighbours as one edit. */
function edits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? a.length;
}
