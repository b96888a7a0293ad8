/**
 * Whether a condition holds. `unsure` is said of a value that the condition cannot read, such as a command line with
 * substitutions: an `allow` then does not count, and a `deny` or `ask` asks.
 */
export type Match = 'yes' | 'no' | 'unsure';

/** All of them hold: one `no` decides, and otherwise one `unsure` does. */
export function every(matches: Iterable<Match>): Match {
  let all: Match = 'yes';
  for (const match of matches) {
    if (match === 'no') return 'no';
    if (match === 'unsure') all = 'unsure';
  }
  return all;
}

/** At least one of them holds: one `yes` decides, and otherwise one `unsure` does. */
export function some(matches: Iterable<Match>): Match {
  let any: Match = 'no';
  for (const match of matches) {
    if (match === 'yes') return 'yes';
    if (match === 'unsure') any = 'unsure';
  }
  return any;
}

export function not(match: Match): Match {
  if (match === 'unsure') return match;
  return match === 'yes' ? 'no' : 'yes';
}

export function matchOf(holds: boolean): Match {
  return holds ? 'yes' : 'no';
}
