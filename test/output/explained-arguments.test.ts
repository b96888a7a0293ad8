import { createRouter, defaultPipeline, defineTool, type Failure } from 'callgate';
import { normalize, validate } from 'callgate/middleware';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createArgumentsCheck, type Refusal } from '../../src/schema/check-arguments.ts';
import { createSchemaEngine, type SchemaEngine, type Violation } from '../../src/schema/engine.ts';
import { defaultArgumentLimits } from '../../src/schema/limits.ts';

const token = `ghp_${'a1B2'.repeat(10)}`;

const tool = defineTool({
  name: 'tool',
  description: 'For a test.',
  parameters: {
    type: 'object',
    properties: {
      a: { type: 'number' },
      b: { type: ['integer', 'null'], maximum: 3 },
      a_rather_long_name_of_a_property: { type: 'boolean' },
      [token]: { type: 'number' },
      'x://u:p@h/': { type: 'string', maxLength: 3 },
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } },
      kind: { enum: ['one', token] },
      form: { anyOf: [{ type: 'number' }, { type: 'object', properties: { a: { type: 'number' } } }] },
      deep: { $ref: '#/properties/list/items' },
    },
    additionalProperties: false,
    required: ['a'],
  },
  permission: 'read',
  handler: () => 'done',
});

const names = ['a', 'b', 'a_rather_long_name_of_a_property', token, 'x://u:p@h/', 'list', 'kind', 'form', 'deep'];

function routerWith(options: Parameters<typeof normalize>[0]) {
  return createRouter({ tools: [tool], pipeline: defaultPipeline().replace('normalize', normalize(options)) });
}

// A pattern that nothing matches: whoever is told what is secret looks through every text.
const never = { type: 'never', triggers: ['(never)'], pattern: /\(never\)/g };

describe('why arguments do not fit', () => {
  const asUsual = routerWith({});
  const lookedThrough = routerWith({ patterns: [never] });

  it('is told alike, whether or not the text was looked through', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 24 }),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 90 }),
      fc.constantFrom(
        token,
        `sk-${'a1B2_'.repeat(4)}`,
        'http://ada:pass@host/',
        '://',
        'secret_key',
        'sk-',
        'eyJ',
        '-----BEGIN ',
        '//',
        '--',
        '-----BEGIN PRIVATE KEY-----',
      ),
      fc.constantFrom(
        '\u001b[2J',
        '\u202e',
        '\ud800',
        'bearer 12345678',
        '"quoted"',
        '\\\\\\\\\\\\\\\\\\\\',
        '{"a":1}',
        '[1]',
        '',
      ),
    );
    const scalar = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
    const item = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(text, scalar, { maxKeys: 3 }));
    const name = fc.oneof(fc.constantFrom(...names), text);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, item, { maxKeys: 5 }), async (args) => {
        const call = { id: 'c1', name: 'tool', arguments: args };
        expect(await asUsual.call(call)).toStrictEqual(await lookedThrough.call(call));
      }),
      { numRuns: 500 },
    );
  });

  it.each(['string "x"', 'must be number', 'tool": /a', '/a must be'])(
    'is no place for a secret that is told, also where it is part of what is always said: %j',
    async (secret) => {
      const { error } = (await routerWith({ secrets: [secret] }).call({
        name: 'tool',
        arguments: { a: 'x' },
      })) as Failure;
      const whole = 'Invalid arguments for "tool": /a must be number (got string "x").';
      expect(error).toBe(whole.replace(secret, '[redacted:secret]'));
    },
  );

  it('is looked through where a stage has changed it', async () => {
    const pipeline = defaultPipeline().after('normalize', 'adding', async (_, next) => {
      const result = await next();
      if (!result.ok) (result as { error: string }).error += ` ${token}`;
      return result;
    });
    const result = await createRouter({ tools: [tool], pipeline }).call({ name: 'tool', arguments: { a: 'x' } });
    expect(result.error).toBe('Invalid arguments for "tool": /a must be number (got string "x"). [redacted:github]');
  });

  it.each([
    ['copies', (violation: Violation) => ({ ...violation, message: `${violation.message} ${token}` })],
    ['changes', (violation: Violation) => Object.assign(violation, { message: `${violation.message} ${token}` })],
  ])('is looked through where an engine %s what another says', async (_, changed) => {
    const engine: SchemaEngine = {
      compile: (schema, options) => {
        const validator = createSchemaEngine({}).compile(schema, options);
        return (value) => validator(value)?.map(changed);
      },
    };
    const pipeline = defaultPipeline().replace('validate', validate({ engine }));
    const result = await createRouter({ tools: [tool], pipeline }).call({ name: 'tool', arguments: { a: 'x' } });
    expect(result.error).toBe('Invalid arguments for "tool": /a must be number (got string "x") [redacted:github].');
  });

  it.each([
    ['one fault', { a: 'x' }],
    ['several', { b: 'x', list: 7 }],
  ])('has details that belong to whoever gets them: %s', async (_, args) => {
    const call = { id: 'c1', name: 'tool', arguments: args };
    const expected = structuredClone(await asUsual.call(call));
    for (let time = 0; time < 3; time++) {
      const result = (await asUsual.call(call)) as Failure;
      expect(result).toStrictEqual(expected);
      (result.details as { violations: unknown[] }).violations.length = 0;
    }
  });

  it('is kept in mind for places with names that are short enough', () => {
    const parameters = { type: 'object', additionalProperties: { type: 'number' } } as const;
    const tool = defineTool({ name: 'tool', description: '', parameters, permission: 'read', handler: () => 1 });
    const check = createArgumentsCheck(defaultArgumentLimits);
    const details = (...names: string[]) =>
      (check(tool, Object.fromEntries(names.map((name) => [name, 'x']))) as Refusal).details;
    expect(details('a')).toBe(details('a'));
    expect(details('a', 'b')).toBe(details('a', 'b'));
    expect(details('a/b')).not.toEqual(details('a', 'b'));
    const long = 'a'.repeat(100_000);
    expect(details(long)).toEqual(details(long));
    expect(details(long)).not.toBe(details(long));
  });
});
