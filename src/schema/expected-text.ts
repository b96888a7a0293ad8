import type { Bag } from './adopt.ts';
import type { JsonSchemaObject } from './json-schema.ts';
import { isSchemaObject } from './walk.ts';

const space = 32;
const quote = 34;
const comma = 44;
const minus = 45;
const point = 46;
const zero = 48;
const nine = 57;
const colon = 58;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;

/** Characters of the longest text that is read here: in longer text `JSON.parse` soon makes up for its slow start. */
const mostCharacters = 128;
/** Names that are looked for at most, so that text with other names is not long in being left alone. */
const mostNames = 32;

/** The first names of a schema's properties, in its order: those that stand in text as they are, and are not inherited. */
export function namesToExpect(schema: JsonSchemaObject): readonly string[] {
  const names = isSchemaObject(schema.properties) ? Object.keys(schema.properties) : [];
  return names
    .slice(0, mostNames)
    .filter((name) => JSON.stringify(name) === `"${name}"` && !(name in Object.prototype));
}

/**
 * Reads the JSON text that is to be expected: a short one, of one object with properties of these names in their order
 * and with plain values. `undefined` says nothing about a text but that `JSON.parse` must read it.
 *
 * What is slow in `JSON.parse` is to begin, and to find for the text of each key the string that stands for it in all
 * objects; here that string is at hand. The names are gone through once, so that no key can come twice.
 */
export function readExpected(text: string, names: readonly string[]): Bag | undefined {
  if (text.length > mostCharacters || text.charCodeAt(0) !== openBrace) return undefined;
  const object: Bag = {};
  let at = 0;
  let next = 0;
  do {
    const key = afterSpaces(text, at + 1);
    while (next < names.length && !isKeyAt(text, key, names[next] as string)) next++;
    const name = names[next++];
    if (name === undefined) return undefined;
    at = afterSpaces(text, key + name.length + 2);
    if (text.charCodeAt(at) !== colon) return undefined;
    const start = afterSpaces(text, at + 1);
    const end = afterValue(text, start);
    if (end < 0) return undefined;
    object[name] = plainValue(text, start, end);
    at = afterSpaces(text, end);
  } while (text.charCodeAt(at) === comma);
  return text.charCodeAt(at) === closeBrace && at === text.length - 1 ? object : undefined;
}

function isKeyAt(text: string, at: number, name: string): boolean {
  const end = at + name.length + 1;
  return text.charCodeAt(at) === quote && text.charCodeAt(end) === quote && text.startsWith(name, at + 1);
}

function afterSpaces(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === space) at++;
  return at;
}

/** Where a plain value ends, if one begins here; else -1. Whoever goes on from there sees what may not follow it. */
function afterValue(text: string, start: number): number {
  if (text.charCodeAt(start) === quote) return afterString(text, start);
  const end = afterNumber(text, start);
  if (end >= 0) return end;
  if (text.startsWith('true', start) || text.startsWith('null', start)) return start + 4;
  return text.startsWith('false', start) ? start + 5 : -1;
}

function afterString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code < space || code === backslash) return -1;
  }
  return -1;
}

/** Numbers without an exponent. */
function afterNumber(text: string, start: number): number {
  const first = text.charCodeAt(start) === minus ? start + 1 : start;
  const whole = afterDigits(text, first);
  const startsWithZero = text.charCodeAt(first) === zero;
  if (whole === first || (startsWithZero && whole > first + 1)) return -1;
  if (text.charCodeAt(whole) !== point) return whole;
  const end = afterDigits(text, whole + 1);
  return end > whole + 1 ? end : -1;
}

function afterDigits(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) >= zero && text.charCodeAt(at) <= nine) at++;
  return at;
}

function plainValue(text: string, start: number, end: number): unknown {
  switch (text.charAt(start)) {
    case '"':
      return text.slice(start + 1, end - 1);
    case 't':
      return true;
    case 'f':
      return false;
    case 'n':
      return null;
    default:
      return Number(text.slice(start, end));
  }
}
