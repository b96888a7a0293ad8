import { didYouMean } from './nearest.ts';

/**
 * Throws a TypeError for an option that does not exist: a mistyped `deny` must not become an open door. Nor must one of
 * those that close something (`closing`) and are `undefined`, such as a variable of the environment that is not set.
 */
export function checkOptions(
  owner: string,
  options: unknown,
  known: readonly string[],
  closing: readonly string[] = [],
): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${owner}() takes an object of options; it got ${String(options)}.`);
  }
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) {
      const advice = `Its options are: ${known.join(', ') || '(none)'}.${didYouMean(option, known)}`;
      throw new TypeError(`${owner}() has no option "${option}". ${advice}`);
    }
  }
  for (const option of closing) {
    if (!(option in options) || options[option as keyof typeof options] !== undefined) continue;
    throw new TypeError(
      `${owner}({ ${option} }) is undefined, which would restrict nothing. If its value comes from the environment or a ` +
        'file, it is missing there; leave the option out if nothing is what you mean.',
    );
  }
}
