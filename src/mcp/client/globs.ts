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

/** Patterns for the names that a server gives its tools, each as it gives them or with its namespace. */
export class PatternList {
  readonly #tests: readonly (readonly [pattern: string, test: (name: string) => boolean])[];

  constructor(patterns: readonly string[], namespace: string) {
    this.#tests = patterns.map((pattern) => [pattern, eitherTest(pattern, namespace)]);
  }

  matches(name: string): boolean {
    return this.#tests.some(([, test]) => test(name));
  }

  /** Those that match none of these names. */
  unmatched(names: readonly string[]): readonly string[] {
    return this.#tests.flatMap(([pattern, test]) => (names.some(test) ? [] : [pattern]));
  }
}

function eitherTest(pattern: string, namespace: string): (name: string) => boolean {
  const test = globTest(pattern);
  const prefix = `${namespace}.`;
  if (!pattern.startsWith(prefix)) return test;
  const own = globTest(pattern.slice(prefix.length));
  return (name) => test(name) || own(name);
}
