import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { copyDeep, copyPlain } from '../../src/schema/copy.ts';
import { namesToExpect } from '../../src/schema/expected-text.ts';
import { ArgumentsFault } from '../../src/schema/fault.ts';
import { findJsonFault } from '../../src/schema/json-faults.ts';
import { surelyWrites, weighJson } from '../../src/schema/json-text.ts';
import { type ArgumentLimits, argumentLimits, defaultArgumentLimits } from '../../src/schema/limits.ts';
import { parseArguments } from '../../src/schema/parse.ts';
import { key, object, runs, same, text, withFault } from './json-texts.ts';

type Outcome = { value: unknown } | { code: string; reason: string; pointer?: string | undefined };

/** `parseArguments` for text as it would be without haste: everything is weighed first, copied and counted. */
function carefully(text: string, limits: ArgumentLimits): Outcome {
  const unusable = (reason: string) => ({ code: 'invalid_json', reason });
  if (Buffer.byteLength(text) > limits.maxBytes) return unusable('too_large');
  const weight = weighJson(text, limits);
  if (weight.depth > limits.maxDepth) return unusable('too_deep');
  if (weight.values > 2 * limits.maxNodes) return unusable('too_many_values');
  const fault = findJsonFault(text, limits.maxDepth);
  const isTwice = fault?.kind === 'duplicate' && { ...unusable('duplicate_key'), pointer: fault.pointer };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === '') return { value: {} };
    return isTwice || unusable(fault?.kind === 'truncated' ? 'truncated' : 'not_json');
  }
  if (value === null) return { value: {} };
  if (typeof value !== 'object' || Array.isArray(value)) {
    const isEncoded = typeof value === 'string' && value.trimStart().startsWith('{');
    return { code: 'invalid_arguments', reason: isEncoded ? 'double_encoded' : 'not_an_object' };
  }
  const copy = copyDeep(value, limits, { keys: 0 });
  return copy instanceof ArgumentsFault ? outcome(copy) : isTwice || { value: copy };
}

function outcome(result: unknown): Outcome {
  if (!(result instanceof ArgumentsFault)) return { value: result };
  const { code, reason, place } = result;
  return place.pointer === undefined ? { code, reason } : { code, reason, pointer: place.pointer };
}

const limits = fc.oneof(
  fc.constant(defaultArgumentLimits),
  fc
    .record({
      maxBytes: fc.integer({ min: 1, max: 90 }),
      maxDepth: fc.integer({ min: 1, max: 4 }),
      maxNodes: fc.integer({ min: 1, max: 9 }),
    })
    .map((given) => argumentLimits(given)),
);

/** Names of properties as a schema may have them, in any order. */
const names = fc
  .uniqueArray(fc.oneof(key, fc.constantFrom('c', 'd')), { maxLength: 6 })
  .map((all) => namesToExpect({ properties: Object.fromEntries(all.map((name) => [name, {}])) }));

describe('reading text the quick way', () => {
  it.each([
    ['JSON of all forms', text, '', runs],
    ['JSON with a fault put in', withFault(text), '', runs],
    ['long JSON', text, ' '.repeat(10_000), runs / 10],
  ])('comes to what the careful reader says: %s', (_, texts, filling, numRuns) => {
    fc.assert(
      fc.property(texts, limits, names, (short, within, expected) => {
        const given = short + filling;
        same(outcome(parseArguments(given, within, true, expected)), carefully(given, within));
      }),
      { numRuns },
    );
  });

  it('sees what was too deep in a value that the same key, written again, would replace', () => {
    const flat = argumentLimits({ maxDepth: 1 });
    expect(parseArguments('{"a":{"b":1},"a":2}', flat)).toMatchObject({ reason: 'too_deep' });
  });

  it('is sure of the number of keys only where no key was dropped', () => {
    fc.assert(
      fc.property(object, fc.nat({ max: 8 }), (given, parsed) => {
        if (surelyWrites(given, parsed))
          expect(weighJson(given, defaultArgumentLimits).keys).toBeLessThanOrEqual(parsed);
      }),
      { numRuns: runs },
    );
  });

  it.each([
    '{"url":"https://example.org:80/","when":"12:30","text":"one: two"}',
    '{ "a" : "x" , "b"\n:\t{ "c" :1 } }',
    '{"json":"{\\"a\\":1,\\"a\\":2}","a":"\\\\"}',
    '{"\\u003a":":","\\"":"\\":"}',
  ])('takes %s, where colons stand in strings', (given) => {
    expect(parseArguments(given)).toStrictEqual(JSON.parse(given));
  });

  it.each([
    '{"a":1,"a" :2}',
    '{"a":":","a":1}',
    '{"a":{"b":1,"b"\n:\n1}}',
    '{"a":"\\":","a":"\\":"}',
    '{"a:":1,"a\\u003a":1}',
  ])('sees the key that %s has twice', (given) => {
    expect(parseArguments(given)).toMatchObject({ code: 'invalid_json', reason: 'duplicate_key' });
  });
});

describe('copying objects the quick way', () => {
  const names = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'b', '0') }, key);
  const { data } = fc.letrec<{ data: unknown; inner: unknown }>((tie) => ({
    data: fc.dictionary(names, tie('inner'), { maxKeys: 4, noNullPrototype: false }),
    inner: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, -0, 1.5, 'x', '', 'longer', undefined, Number.NaN, 1n, new Date(0)),
      fc.array(tie('inner'), { maxLength: 4 }),
      fc.sparseArray(tie('inner'), { maxLength: 2, maxNumElements: 3 }),
      tie('data'),
    ),
  }));

  it('comes to what the careful way makes of it', () => {
    fc.assert(
      fc.property(data, limits, fc.boolean(), (given, within, grows) => {
        const quick = copyPlain(given as object, within, grows);
        same(outcome(quick), outcome(copyDeep(given as object, within, { keys: 0 })));
        expect(sharedWith(given, quick)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  /** The objects of one value that are in the other too. */
  function sharedWith(one: unknown, other: unknown): object[] {
    const inside = (value: unknown): object[] =>
      typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(inside)] : [];
    const known = new Set(inside(one));
    return inside(other).filter((value) => known.has(value));
  }

  it('reads what is inside once, and leaves symbols there', () => {
    let reads = 0;
    const given = {
      list: [
        {
          [Symbol('s')]: 1,
          get path(): string {
            return reads++ === 0 ? 'notes.md' : '/etc/passwd';
          },
        },
      ],
    };
    const copy = parseArguments(given) as typeof given;
    expect(copy).toStrictEqual({ list: [{ path: 'notes.md' }] });
    expect(reads).toBe(1);
  });
});

describe('where something was added to the prototype of all objects', () => {
  const root = Object.prototype as Record<string, unknown>;

  afterEach(() => {
    delete root['added'];
  });

  it.each([1, { b: 1 }, [[1]], () => 1])('arguments are read as ever (%j)', (added) => {
    root['added'] = added;
    const given = { a: 1, c: { d: [{}] } };
    for (const raw of [given, JSON.stringify(given)]) {
      const args = parseArguments(raw) as object;
      expect(JSON.stringify(args)).toBe('{"a":1,"c":{"d":[{}]}}');
      expect(Object.keys(args)).toEqual(['a', 'c']);
    }
    const twice = parseArguments('{"a":1,"a":2}');
    delete root['added'];
    expect(twice).toMatchObject({ reason: 'duplicate_key' });
  });
});
