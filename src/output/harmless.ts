import { escapeRegExp } from './known-secrets.ts';
import { keyHeader } from './private-keys.ts';
import { secretPatterns } from './secret-patterns.ts';

/*
 * Most texts need no cleaning, and to look through one for control characters and secrets costs more than to make it. A text
 * is harmless when it is printable ASCII and holds no trigger, one of which is part of every secret that is recognized
 * without being told. (Secrets that are told may be anything; where there are some, nothing here is asked.)
 *
 * Harmless parts make a harmless whole where a space, quote or bracket stands at each seam, as no trigger has any of those
 * inside; nor a full stop, which may follow the last part. So whoever puts a text together can vouch for it part by part.
 */

// Without the space at its end, which could be a seam.
const triggers = [keyHeader.trimEnd(), ...secretPatterns.flatMap((kind) => kind.triggers)];
const harm = new RegExp(`[^\\x20-\\x7e]|${triggers.map(escapeRegExp).join('|')}`);

/** Whether nothing in a text can be a secret or act on whoever reads it. Meant for short texts. */
export function isHarmless(text: string): boolean {
  return !harm.test(text);
}

const harmlessConstants = new Set<string>();
/** The longest text that is kept in mind, in characters. */
const longestKept = 500;

/** As {@link isHarmless}, for what stands in the program or in a schema and so comes again and again. */
export function isHarmlessConstant(text: string): boolean {
  if (harmlessConstants.has(text)) return true;
  if (text.length > longestKept || !isHarmless(text)) return false;
  if (harmlessConstants.size >= 1_000) harmlessConstants.clear();
  harmlessConstants.add(text);
  return true;
}

/** As many as one message is made of, and some more. */
const vouched: string[] = Array.from({ length: 16 }, () => '');
let last = 0;

/** Says of a text that it is harmless by what it was made of. A long one is looked through all the same. */
export function vouchFor(text: string): void {
  if (text.length > 4 * longestKept) return;
  last = (last + 1) % vouched.length;
  vouched[last] = text;
}

/** Whether a text is the one that was vouched for last; if it is not, no more is lost than a look through it. */
export function vouchedLast(text: string): boolean {
  // Mostly it is the same object, so that nobody compares characters.
  return vouched[last] === text;
}

/** Whether a text is one of those that were vouched for lately. */
export function vouchedLately(text: string): boolean {
  return vouchedLast(text) || vouched.includes(text);
}
