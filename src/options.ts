import { didYouMean } from './nearest.ts';

/** Throws a TypeError for an option that does not exist: a mistyped `deny` must not become an open door. */
export function checkOptions(owner: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${owner}() takes an object of options; it got ${String(options)}.`);
  }
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      const advice = `Its options are: ${known.join(', ') || '(none)'}.${didYouMean(option, known)}`;
      throw new TypeError(`${owner}() has no option "${option}". ${advice}`);
    }
  }
}
