import { escapeRegExp } from './known-secrets.ts';
import { keyHeader } from './private-keys.ts';
import { secretPatterns, shortestSecret } from './secret-patterns.ts';

/*
 * Most texts need no cleaning, and to look through one for control characters and secrets costs more than to make it. A text
 * is harmless when it is printable ASCII and holds no trigger, one of which is part of every secret that is recognized
 * without being told. (Secrets that are told may be anything; where there are some, nothing here is asked.)
 *
 * Harmless parts make a harmless whole where a space, quote or bracket stands at each seam, as no trigger has any of those
 * inside; nor a full stop, which may follow the last part. So whoever puts a text together knows it part by part.
 */

// Without the space at its end, which could be a seam.
const triggers = [keyHeader.trimEnd(), ...secretPatterns.flatMap((kind) => kind.triggers)];
const anyTrigger = new RegExp(triggers.map(escapeRegExp).join('|'));
const notPrintable = /[^\x20-\x7e]/;

/** Whether nothing in a text can be a secret or act on whoever reads it. Meant for short texts. */
export function isHarmless(text: string): boolean {
  // Two looks, because one for all of it takes longer.
  return !notPrintable.test(text) && !anyTrigger.test(text);
}

/**
 * Whether a text is harmless between quotes because it is too short for a secret, and its own JSON text there. A quick look,
 * which says nothing of the texts that it does not pass.
 */
export function isShortAndHarmless(text: string): boolean {
  if (text.length >= shortestSecret) return false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x3a || code === 0x5c) return false;
  }
  return true;
}
