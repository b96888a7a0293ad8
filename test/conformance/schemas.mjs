import { createRegistry } from 'callgate';
import { cfworkerEngine, checkForeignSchema, createSchemaEngine, lintSchema, toLenientSchema } from 'callgate/schema';
import { attempt, line } from './support.mjs';

/** Schemas of every dialect with values that fit and do not, in both engines, and what is said about schemas themselves. */
export default async function* run(random) {
  const engines = { ajv: createSchemaEngine(), cfworker: cfworkerEngine() };
  for (let number = 0; number < 300; number++) {
    const schema = schemaFor(random, 3);
    const $schema = random.pick([undefined, ...dialects]);
    if (typeof schema === 'object' && $schema !== undefined) schema.$schema = $schema;
    const values = Array.from({ length: 4 }, () => valueFor(random));
    for (const [name, engine] of Object.entries(engines)) {
      const compiled = attempt(() => engine.compile(schema));
      if (compiled.gives === undefined) {
        yield line(name, compiled);
        continue;
      }
      for (const value of values) {
        const filled = structuredClone(value);
        yield line(name, [compiled.gives(filled) ?? 'fits', filled]);
      }
    }
    yield line(
      'lint',
      attempt(() => lintSchema(schema)),
    );
    yield line(
      'foreign',
      attempt(() => checkForeignSchema(schema, { maxDepth: 3, maxEnum: 2 })),
    );
    if (typeof schema === 'object')
      yield line(
        'lenient',
        attempt(() => toLenientSchema(schema)),
      );
  }
  for (const pattern of patterns) {
    for (const [name, engine] of Object.entries(engines)) {
      const compiled = attempt(() => engine.compile({ type: 'string', pattern }));
      yield line(
        pattern,
        compiled.gives === undefined ? compiled : texts.map((text) => compiled.gives(text) === undefined),
      );
      yield line(
        name,
        attempt(() => typeof engine.compile({ patternProperties: { [pattern]: false } })),
      );
    }
  }
  for (const format of formats) {
    for (const [name, engine] of Object.entries(engines)) {
      const fits = engine.compile({ type: 'string', format });
      yield line(
        `${name} ${format}`,
        texts.map((text) => fits(text) === undefined),
      );
    }
  }
  const registry = createRegistry();
  for (const [at, pattern] of patterns.entries()) {
    const parameters = { type: 'object', properties: { a: { type: 'string', pattern } } };
    registry.add({ name: `t${at}`, description: 'x', parameters, handler: () => at });
  }
  yield line('verify', await registry.verify());
}

const dialects = [
  'http://json-schema.org/draft-04/schema#',
  'http://json-schema.org/draft-06/schema#',
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
  'https://example.com/own-dialect',
];

const names = ['a', 'b', '__proto__', 'ä', '10', 'x-y', 'constructor'];

function schemaFor(random, depth) {
  if (random.chance(0.05)) return random.chance(0.5);
  const inner = () => schemaFor(random, depth - 1);
  const schema = {};
  const times = 1 + random.below(3);
  for (let time = 0; time < times; time++)
    Object.assign(schema, random.pick(depth > 0 ? [...leaves, ...branches] : leaves)(random, inner));
  return schema;
}

const leaves = [
  (random) => ({
    type: random.pick([
      'string',
      'number',
      'integer',
      'object',
      'array',
      'null',
      'boolean',
      ['string', 'null'],
      'text',
    ]),
  }),
  (random) => ({ minimum: random.number(), exclusiveMaximum: random.pick([5, true, false]) }),
  (random) => ({ multipleOf: random.pick([1, 0.01, 0, 1e-9]) }),
  (random) => ({ minLength: random.below(3), maxLength: random.below(9) }),
  (random) => ({ pattern: random.pick(patterns) }),
  (random) => ({ format: random.pick(formats) }),
  (random) => ({ enum: random.list(3, () => random.json(1)) }),
  (random) => ({ const: random.json(1) }),
  (random) => ({ default: random.json(1) }),
  (random) => ({ required: random.pick([['a'], ['a', 'b'], true, []]) }),
  () => ({ uniqueItems: true }),
  (random) => ({ minItems: random.below(3), maxProperties: random.below(3) }),
  () => ({ $ref: '#' }),
  (random) => ({ $ref: random.pick(['#/$defs/one', '#/definitions/one', 'https://example.com/other', '#/nowhere']) }),
];

const branches = [
  (random, inner) => ({ properties: Object.fromEntries(random.list(3, () => [random.pick(names), inner()])) }),
  (_, inner) => ({ additionalProperties: inner() }),
  (random, inner) => ({ patternProperties: { [random.pick(patterns)]: inner() } }),
  (random, inner) => ({ items: random.chance(0.3) ? [inner(), inner()] : inner() }),
  (_, inner) => ({ prefixItems: [inner()], additionalItems: inner() }),
  (_, inner) => ({ anyOf: [inner(), inner()] }),
  (_, inner) => ({ oneOf: [inner(), inner(), inner()] }),
  (_, inner) => ({ allOf: [inner(), inner()] }),
  (_, inner) => ({ not: inner() }),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  (_, inner) => ({ if: inner(), then: inner(), else: inner() }),
  (_, inner) => ({ contains: inner(), minContains: 2 }),
  (_, inner) => ({ propertyNames: inner() }),
  (_, inner) => ({ dependentSchemas: { a: inner() }, dependentRequired: { b: ['a'] } }),
  (_, inner) => ({ unevaluatedProperties: inner() }),
  (_, inner) => ({ $defs: { one: inner() }, definitions: { one: inner() } }),
];

function valueFor(random) {
  if (random.chance(0.4))
    return Object.fromEntries(random.list(4, () => [random.pick(['a', 'b', 'ä', '10', 'x-y']), random.json(2)]));
  if (random.chance(0.3)) return random.list(4, () => random.json(1));
  return random.chance(0.3) ? random.pick(texts) : random.json(2);
}

// What is a regular expression is the platform's to say: of ECMAScript's newest syntax (modifiers, names used twice) later
// releases take what earlier ones refuse, so there is none of it here.
const patterns = [
  ...[
    '^a',
    'a|b',
    '^[a-z]+$',
    '^\\p{L}+$',
    '^\\p{Lu}',
    '\\p{Script=Greek}',
    '^\\d{4}$',
    '^(a+)+$',
    '^(a|a)*$',
    '(?=x)x',
    '(.)\\1',
  ],
  ...[
    '[',
    '(',
    '*',
    '\\',
    '\\:',
    '\\-',
    '^\\S+@\\S+$',
    '\\u{61}',
    '\\u0061',
    '^.$',
    '^[^\\s]*$',
    '\\p{Emoji}',
    '\\p{Nope}',
  ],
  ...['(?i)abc', '(?<n>a)\\k<n>', '[\\p{L}--[a-z]]', '[[a-z]&&[aeiou]]', '(?<!x)y', '(?<=x)y', '\\cA'],
  ...[
    'a{,3}',
    'a{3,1}',
    '\\b\\w+\\b',
    '\\p{RGI_Emoji}',
    '\\p{L}{1000}',
    '',
    '^$',
    '\\N',
    '\\z',
    '\\A',
    '[[:alpha:]]',
    '(?P<n>a)',
    '(?>a)',
  ],
];

const formats = [
  ...[
    'date',
    'time',
    'date-time',
    'duration',
    'email',
    'idn-email',
    'hostname',
    'idn-hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uri-reference',
  ],
  ...[
    'iri',
    'iri-reference',
    'uuid',
    'uri-template',
    'json-pointer',
    'relative-json-pointer',
    'regex',
    'byte',
    'int32',
    'password',
    'own',
  ],
];

const texts = [
  ...[
    '',
    'a',
    'b',
    'ab',
    'aaaa',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
    'ABC',
    'abc',
    'x',
    'y',
    'xy',
    'Ünï',
    'ΑΒΓ',
    '👩‍👩‍👧',
    '\u{1fae8}',
  ],
  ...[
    '2026-11-30',
    '2026-02-29',
    '23:59:60Z',
    '2026-11-30T02:00:00+01:00',
    'P1Y2M',
    'PT',
    'a@example.com',
    'ä@exämple.com',
    '"a b"@x.co',
  ],
  ...[
    'example.com',
    '-a.com',
    'xn--bcher-kva.ch',
    'bücher.ch',
    'faß.de',
    '127.0.0.1',
    '01.2.3.4',
    '::1',
    '1::2::3',
    'fe80::1%eth0',
  ],
  ...[
    'https://example.com/a?b#c',
    'https://exämple.com/',
    '//x',
    '/a/b',
    'http://[::1]:80/',
    'urn:x:y',
    'http://a b',
    '{a}',
    '{a',
    '/~0~1',
    '0#',
  ],
  ...[
    '123e4567-e89b-12d3-a456-426614174000',
    '^a',
    '[',
    '(?i',
    'AQID',
    '1234',
    '\n',
    '\ud800',
    '\u{10ffff}',
    'ſ',
    'K',
    'İ',
  ],
];
