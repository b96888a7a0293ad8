import { adopt, type Bag } from './adopt.ts';
import { copyDeep, copyPlain, type Tally } from './copy.ts';
import { readExpected } from './expected-text.ts';
import { ArgumentsFault } from './fault.ts';
import { findJsonFault, type JsonFault } from './json-faults.ts';
import { type JsonWeight, surelyWrites, weighJson } from './json-text.ts';
import { type ArgumentLimits, defaultArgumentLimits } from './limits.ts';

/** Characters of text that are parsed without being weighed first. */
const shortText = 10_000;

/**
 * Turns what a model sent as arguments into a fresh object of plain data, or says why it cannot be used. Never throws,
 * and never changes what it was given.
 *
 * Absent arguments, `null`, blank text and the text `null` are `{}`: models send all four for a tool without
 * parameters, and a tool with required ones still refuses `{}`. Other text must be one JSON object (RFC 8259), within
 * `limits`, without a key twice in one object. Whatever cannot be read stays a fault: it is never repaired or replaced.
 * Keys that can replace a prototype (`__proto__`, a `constructor` that holds a `prototype`) are refused everywhere.
 *
 * `grows` says whether properties will be added to the object, as defaults are; `names` are those of the properties to
 * expect (`namesToExpect`). Both only bear on speed.
 */
export function parseArguments(
  raw: unknown,
  limits: ArgumentLimits = defaultArgumentLimits,
  grows = true,
  names: readonly string[] = [],
): Bag | ArgumentsFault {
  if (typeof raw === 'object' && raw !== null) return copyGiven(raw, limits, grows);
  if (typeof raw === 'string') return parseText(raw, limits, names);
  if (raw === undefined || raw === null) return {};
  return notAnObject(raw);
}

function copyGiven(given: object, limits: ArgumentLimits, grows: boolean): Bag | ArgumentsFault {
  try {
    return Array.isArray(given) ? notAnObject(given) : copyPlain(given, limits, grows);
  } catch {
    // An accessor or a proxy of the caller's own threw.
    return new ArgumentsFault('invalid_arguments', 'not_plain_data', 'The arguments object could not be read.');
  }
}

function parseText(text: string, limits: ArgumentLimits, names: readonly string[]): Bag | ArgumentsFault {
  if (isTooLarge(text, limits.maxBytes)) {
    return invalidJson(
      'too_large',
      `are larger than ${limits.maxBytes} bytes. Send less, in several calls if need be.`,
    );
  }
  // No text holds more values than characters.
  const expected = text.length <= limits.maxNodes ? readExpected(text, names) : undefined;
  if (expected !== undefined) return expected;
  // Short text is cheap to parse, however it is built.
  const heavy = text.length > shortText ? overweight(weighJson(text, limits), limits) : undefined;
  if (heavy !== undefined) return heavy;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return overweight(weighJson(text, limits), limits) ?? notParsed(text, limits);
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    return overweight(weighJson(text, limits), limits) ?? notAnObject(value);
  }
  // What was just parsed is nobody else's and plain already, so it need not be copied.
  const keys = adopt(value as Bag, limits, true);
  if (keys >= 0 && surelyWrites(text, keys)) return value as Bag;
  return checkClosely(text, value as Bag, keys, limits);
}

function checkClosely(text: string, object: Bag, keys: number, limits: ArgumentLimits): Bag | ArgumentsFault {
  const weight = weighJson(text, limits);
  const heavy = overweight(weight, limits);
  if (heavy !== undefined) return heavy;
  if (weight.keys === keys) return object;
  const tally: Tally = { keys: 0 };
  const args = copyDeep(object, limits, tally);
  if (args instanceof ArgumentsFault || tally.keys === weight.keys) return args;
  return unreadable(text, findJsonFault(text, limits.maxDepth));
}

function notParsed(text: string, limits: ArgumentLimits): Bag | ArgumentsFault {
  return text.trim() === '' ? {} : unreadable(text, findJsonFault(text, limits.maxDepth));
}

function overweight(weight: JsonWeight, limits: ArgumentLimits): ArgumentsFault | undefined {
  if (weight.depth > limits.maxDepth) {
    return invalidJson('too_deep', `are nested more than ${limits.maxDepth} levels deep. Send a flatter structure.`);
  }
  // An empty object or array was counted twice; the exact count is taken while copying.
  if (weight.values > 2 * limits.maxNodes) {
    return invalidJson('too_many_values', `hold more than ${limits.maxNodes} values. Send fewer, in several calls.`);
  }
  return undefined;
}

function isTooLarge(text: string, maxBytes: number): boolean {
  // A UTF-16 code unit takes one to three bytes of UTF-8.
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

function unreadable(text: string, fault: JsonFault | undefined): ArgumentsFault {
  if (fault === undefined) return invalidJson('not_json', 'are not valid JSON.');
  const { line, column } = placeOf(text, fault.index);
  const where = `line ${line}, column ${column}`;
  switch (fault.kind) {
    case 'duplicate':
      return new ArgumentsFault(
        'invalid_json',
        'duplicate_key',
        `The arguments give the key ${JSON.stringify(fault.key.slice(0, 80))} twice in one object (${where}). Send each key once.`,
        { line, column, pointer: fault.pointer },
      );
    case 'truncated':
      return new ArgumentsFault(
        'invalid_json',
        'truncated',
        `The arguments are not valid JSON: ${fault.problem} (${where}), so they look cut off. Nothing was run. Send the whole call again, with less in it if it was cut for length.`,
        { line, column },
      );
    case 'syntax':
      return new ArgumentsFault(
        'invalid_json',
        'not_json',
        `The arguments are not valid JSON at ${where}: ${fault.problem}.`,
        { line, column },
      );
  }
}

function placeOf(text: string, index: number): { line: number; column: number } {
  const lines = text.slice(0, index).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function invalidJson(reason: 'too_large' | 'too_deep' | 'too_many_values' | 'not_json', what: string): ArgumentsFault {
  return new ArgumentsFault('invalid_json', reason, `The arguments ${what}`);
}

function notAnObject(value: unknown): ArgumentsFault {
  if (typeof value === 'string' && value.trimStart().startsWith('{')) {
    return new ArgumentsFault(
      'invalid_arguments',
      'double_encoded',
      'The arguments must be an object, but they are a string that holds JSON text: they were encoded twice. Send the object itself.',
    );
  }
  const kind = Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return new ArgumentsFault('invalid_arguments', 'not_an_object', `The arguments must be an object, not ${kind}.`);
}
