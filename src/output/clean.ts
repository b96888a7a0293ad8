import type { JsonSchemaObject } from '../schema/json-schema.ts';
import { makerOf } from './constant-data.ts';
import { forModel } from './control-characters.ts';
import { jsonLength } from './fit-text.ts';
import { convertItem, startWalk, wellFormed } from './json-safe.ts';
import type { Redactor } from './redact.ts';
import { shortestSecret } from './secret-patterns.ts';
import { shrink } from './shrink.ts';
import { shrinkWithinSchema } from './shrink-within-schema.ts';
import { joinEnds, truncateText } from './truncate.ts';

/** What had to be done to a value. */
export class Notes {
  /** The kinds of secrets that were taken out. */
  redacted: Set<string> | undefined = undefined;
  /** Control characters or hidden text were taken out or made visible. */
  cleaned = false;
  /** The size, in characters, of what was too large; at least that, where not all of it was looked at. */
  truncated = 0;
  /** The size, in characters, of what is too large and had to stay whole. */
  oversize = 0;

  add(secret: string): void {
    this.redacted ??= new Set();
    this.redacted.add(secret);
  }
}

export interface CleanerOptions {
  readonly redactor?: Redactor | undefined;
  /** The most characters that a value has as JSON text, and a text by itself. */
  readonly maxCharacters: number;
  /** What the note in a shortened value says one can do about it. */
  readonly hint: string;
}

/** Makes values fit to leave the router. */
export interface Cleaner {
  /**
   * Text: well-formed, without control characters and secrets, and of bounded size. One that `isHarmless`
   * (`harmless.ts`) is not looked through, unless there are secrets that nobody can know without being told.
   */
  text(text: string, notes: Notes, isHarmless?: boolean): string;
  /** Any other value: JSON-safe too. With the schema of the data it stays valid, so that it may stay too large. */
  value(value: unknown, notes: Notes, schema?: JsonSchemaObject): unknown;
}

/** The longest secret that is recognized has about this many characters. */
const longestSecret = 65_536;
/** A value takes at most this many characters of JSON text besides its own, for quotes, commas and fixed names. */
const aroundValue = 128;
/** No data is looked at further than this, whatever a schema says of it. */
const mostValues = 5_000_000;

/** Whether a short text has only printable ASCII and no colon, as in a URL with a password: most texts are like that. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x3a) return false;
  }
  return true;
}

export function createCleaner({ redactor, maxCharacters, hint }: CleanerOptions): Cleaner {
  const cleanNames = new Set<string>();
  const shortest = redactor === undefined ? shortestSecret : redactor.shortest;
  const isToldSecrets = shortest !== shortestSecret;

  function wash(text: string, notes: Notes): string {
    if (text.length < shortest && isPlain(text)) return text;
    const whole = wellFormed(text);
    const visible = forModel(whole);
    if (visible !== text) notes.cleaned = true;
    return redactor === undefined ? visible : redactor.redact(visible, notes);
  }

  function text(text: string, notes: Notes, isHarmless = false): string {
    const reach = maxCharacters + 2 * longestSecret;
    if (text.length > 2 * reach) {
      // What lies far inside will be cut anyway. Near the edges of the two ends a secret could be in two pieces, of which
      // neither is recognized: that part goes in any case.
      notes.truncated = text.length;
      const head = wash(text.slice(0, reach), notes).slice(0, -longestSecret);
      const tail = wash(text.slice(-reach), notes).slice(longestSecret);
      return joinEnds(wellFormed(head), wellFormed(tail), text, maxCharacters, hint);
    }
    const clean = isHarmless && !isToldSecrets ? text : wash(text, notes);
    if (clean.length <= maxCharacters) return clean;
    notes.truncated = Math.max(notes.truncated, clean.length);
    return truncateText(clean, maxCharacters, hint);
  }

  /** The names of members are few and come again and again, so what was found clean is kept in mind. */
  function key(name: string, notes: Notes): string {
    if (cleanNames.has(name)) return name;
    const clean = text(name, notes);
    if (clean === name && name.length <= 64) {
      if (cleanNames.size >= 1_000) cleanNames.clear();
      cleanNames.add(name);
    }
    return clean;
  }

  const mostCharacters = 4 * maxCharacters;
  const bounded = { text, key, maxValues: Math.max(1_000, maxCharacters), maxCharacters: mostCharacters };
  const whole = { text: wash, key, maxValues: mostValues };

  function value(value: unknown, notes: Notes, schema?: JsonSchemaObject): unknown {
    if (schema !== undefined) return described(value, notes, schema);
    const make = makerOf(value);
    return make !== undefined && isClean(value as object) ? make() : undescribed(value, notes);
  }

  const cleanConstants = new WeakSet<object>();

  /** Whether constant data is just what would become of it. */
  function isClean(data: object): boolean {
    if (cleanConstants.has(data)) return true;
    if (JSON.stringify(undescribed(data, new Notes())) !== JSON.stringify(data)) return false;
    cleanConstants.add(data);
    return true;
  }

  function undescribed(value: unknown, notes: Notes): unknown {
    const walk = startWalk(bounded, notes);
    const values = walk.left;
    const safe = convertItem(value, walk);
    // No text has more than two characters of JSON text for each of its own once it is clean.
    const atMost = 2 * (mostCharacters - walk.leftCharacters) + aroundValue * (values - walk.left + 1);
    if (atMost <= maxCharacters) return safe;
    const size = jsonLength(safe);
    if (size <= maxCharacters) return safe;
    notes.truncated = Math.max(notes.truncated, size);
    return shrink(safe, maxCharacters, hint);
  }

  function described(value: unknown, notes: Notes, schema: JsonSchemaObject): unknown {
    const walk = startWalk(whole, notes);
    const safe = convertItem(value, walk);
    const size = jsonLength(safe);
    if (size <= maxCharacters) return safe;
    const short = shrinkWithinSchema(safe, schema, maxCharacters, hint);
    const left = jsonLength(short);
    if (left < size) notes.truncated = size;
    if (left > maxCharacters) notes.oversize = left;
    return short;
  }
  return { text, value };
}
