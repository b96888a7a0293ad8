/**
 * A test for names: `*` stands for any characters, all others for themselves. Case counts. Linear in the name's length for
 * each `*`, whatever the pattern.
 */
export function globTest(pattern: string): (name: string) => boolean {
  const parts = pattern.split('*');
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  if (parts.length === 1) return (name) => name === pattern;
  const middle = parts.slice(1, -1);
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    const end = name.length - last.length;
    for (const part of middle) {
      const found = name.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** Patterns, and which of them were of any use. */
export class PatternList {
  readonly #tests: readonly (readonly [pattern: string, test: (name: string) => boolean])[];
  readonly #matched = new Set<string>();

  constructor(patterns: readonly string[]) {
    this.#tests = patterns.map((pattern) => [pattern, globTest(pattern)]);
  }

  matches(name: string): boolean {
    const found = this.#tests.filter(([, test]) => test(name));
    for (const [pattern] of found) this.#matched.add(pattern);
    return found.length > 0;
  }

  /** Those that have matched no name so far. */
  get unmatched(): readonly string[] {
    return this.#tests.flatMap(([pattern]) => (this.#matched.has(pattern) ? [] : [pattern]));
  }
}
