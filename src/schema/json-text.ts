import type { ArgumentLimits } from './limits.ts';

const space = 32;
const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** How heavy a JSON text would be as a value. Exact for valid JSON, an estimate for anything else. */
export interface JsonWeight {
  /** Deepest nesting of objects and arrays. */
  readonly depth: number;
  /** Keys in all objects, those written twice counted twice. */
  readonly keys: number;
  /** Values, counted from above: an empty object counts as two. */
  readonly values: number;
}

/** Weighs JSON text without parsing it, in one pass over its characters, and stops early beyond a limit. */
export function weighJson(text: string, limits: ArgumentLimits): JsonWeight {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case comma:
        values++;
        break;
      case colon:
        keys++;
        break;
      case openBrace:
      case openBracket:
        values++;
        if (++depth > deepest) deepest = depth;
        if (depth > limits.maxDepth) return { depth: deepest, keys, values };
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
    }
  }
  return { depth: deepest, keys, values };
}

/**
 * Whether valid JSON text surely writes no more keys than `parsed`, the number that `JSON.parse` gave: then it dropped
 * none, and no object has one twice. Each key that is written has a colon, and before that colon, or before the blanks
 * in front of it, the quote that ends the key. Colons inside strings can only make this say no: then `weighJson` tells.
 */
export function surelyWrites(text: string, parsed: number): boolean {
  let keys = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= space) before--;
    if (text.charCodeAt(before) === quote && ++keys > parsed) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  // `indexOf` looks at many characters at a time; most texts hold few quotes, and most of those end them.
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = at;
  while (text.charCodeAt(slashes - 1) === backslash) slashes--;
  return (at - slashes) % 2 === 1;
}
