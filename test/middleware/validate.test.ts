import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validate } from '../../middleware/validate.ts';
import { ToolError } from '../../src/errors.ts';
import type { SchemaEngine } from '../../src/schema/engine.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';
import type { StandardSchemaLike } from '../../src/tool.ts';
import { traitsOf } from '../../src/traits.ts';
import { contextFor, run, toolWith } from './validate-stand-in.ts';

const open = toolWith({ type: 'object', properties: { path: { type: 'string' } } });
const closed = toolWith({ type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false });
const needy = toolWith({
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  required: ['a', 'b'],
});

describe('what arguments may look like', () => {
  it.each([[''], [' \n'], ['{}'], ['null'], [undefined], [null], [{}]])(
    '%j is {} to a tool without required arguments',
    async (given) => {
      expect(await run(open, given)).toEqual({ args: {} });
    },
  );

  it.each([[''], ['null'], [undefined], [{}]])(
    '%j to a tool with some names what is missing, and is no syntax error',
    async (given) => {
      const { failure } = await run(needy, given);
      expect(failure).toMatchObject({
        code: 'invalid_arguments',
        error: 'Invalid arguments for "add": /a is required; /b is required.',
      });
    },
  );

  it('takes text and objects alike', async () => {
    expect(await run(needy, '{"a":2,"b":3}')).toEqual({ args: { a: 2, b: 3 } });
    expect(await run(needy, { a: 2, b: 3 })).toEqual({ args: { a: 2, b: 3 } });
  });
});

describe('what is refused', () => {
  const deep = (levels: number): object => {
    let value: object = {};
    for (let level = 0; level < levels; level++) value = { path: value };
    return value;
  };

  it.each<[string, JsonSchemaObject, unknown, string, string]>([
    ['a list', open.parameters, '[1]', 'invalid_arguments', 'not_an_object'],
    ['JSON encoded twice', open.parameters, '"{\\"path\\":\\"x\\"}"', 'invalid_arguments', 'double_encoded'],
    ['a comma too many', open.parameters, '{"path":"x",}', 'invalid_json', 'not_json'],
    ['text cut off', open.parameters, '{"path":"SKILL.md","content":"# Tit', 'invalid_json', 'truncated'],
    ['5 MB', open.parameters, `{"path":"${'x'.repeat(5_000_000)}"}`, 'invalid_json', 'too_large'],
    ['5 MB in an object', open.parameters, { path: 'x'.repeat(5_000_000) }, 'invalid_arguments', 'too_large'],
    ['20,000 levels', open.parameters, deep(20_000), 'invalid_arguments', 'too_deep'],
    ['200,000 open brackets', open.parameters, '['.repeat(200_000), 'invalid_json', 'too_deep'],
    ['a key twice', open.parameters, '{"path":"ok","path":"/etc/passwd"}', 'invalid_json', 'duplicate_key'],
    [
      '__proto__ to a closed schema',
      closed.parameters,
      '{"path":"x","__proto__":{"admin":true}}',
      'invalid_arguments',
      'forbidden_key',
    ],
    [
      '__proto__ to an open schema',
      open.parameters,
      '{"path":"x","__proto__":{"admin":true}}',
      'invalid_arguments',
      'forbidden_key',
    ],
    [
      'constructor with a prototype',
      open.parameters,
      '{"constructor":{"prototype":{"x":1}}}',
      'invalid_arguments',
      'forbidden_key',
    ],
    ['an inherited name as a required one', { required: ['toString'] }, {}, 'invalid_arguments', 'schema'],
    ['a list for a text', open.parameters, '{"path":["/etc"]}', 'invalid_arguments', 'schema'],
    ['text for a number', { properties: { n: { type: 'number' } } }, '{"n":"1e3"}', 'invalid_arguments', 'schema'],
    [
      'text for a boolean',
      { properties: { flag: { type: 'boolean' } } },
      '{"flag":"false"}',
      'invalid_arguments',
      'schema',
    ],
    ['a number too large for a number', open.parameters, '{"n":1e400}', 'invalid_arguments', 'not_plain_data'],
    [
      'a number beyond its bounds',
      { properties: { n: { maximum: 9_007_199_254_740_991 } } },
      '{"n":9007199254740993}',
      'invalid_arguments',
      'schema',
    ],
    [
      'null for a required text',
      { properties: { path: { type: 'string' } }, required: ['path'] },
      '{"path":null}',
      'invalid_arguments',
      'schema',
    ],
  ])('%s', async (_, parameters, given, code, reason) => {
    const { failure } = await run(toolWith(parameters), given);
    expect(failure).toMatchObject({ code, details: { reason } });
    expect(failure?.error.startsWith('Invalid arguments for "add"')).toBe(true);
    expect(failure?.error.length).toBeLessThan(600);
  });

  it.each<[string, JsonSchemaObject, string]>([
    ['a schema that does not compile', { type: 'dict' as 'object' }, '/type'],
    ['a remote reference', { $ref: 'http://example.com/x.json' }, '$ref'],
    ['$async', { $async: true }, '$async'],
  ])('%s is a fault of the tool, said every time', async (_, parameters, words) => {
    const tool = toolWith(parameters);
    for (const given of ['{}', '{"a":1}']) {
      const { failure } = await run(tool, given);
      expect(failure?.code).toBe('invalid_schema');
      expect(failure?.error).toContain(words);
      expect(failure?.error).toContain('fault of the tool');
    }
  });

  it('gives the program the violations, and no part of the schema', async () => {
    const { failure } = await run(needy, { a: '4' });
    expect(failure?.details).toEqual({
      reason: 'schema',
      violations: [
        { pointer: '/b', keyword: 'required', expected: 'integer' },
        { pointer: '/a', keyword: 'type', expected: 'integer' },
      ],
    });
  });

  it('gives line and column for text', async () => {
    const { failure } = await run(open, '{\n  "path": tru\n');
    expect(failure?.details).toMatchObject({ line: 2, column: 11 });
    expect(failure?.error).toContain('line 2, column 11');
  });
});

describe("the caller's arguments", () => {
  const filled = toolWith({
    properties: {
      limit: { type: 'integer', default: 5 },
      where: { type: 'object', properties: { deep: { default: true } } },
    },
  });

  it('are never changed, though defaults are filled in', async () => {
    const given = { where: {} };
    const { args } = await run(filled, given);
    expect(args).toEqual({ limit: 5, where: { deep: true } });
    expect(given).toEqual({ where: {} });
    expect(await run(filled, Object.freeze({ where: Object.freeze({}) }))).toEqual({ args });
  });

  it('and what a handler does to its own does not come back, nor reach the next call', async () => {
    const given = { list: [{ a: 1 }] };
    const tool = toolWith({ type: 'object', properties: { list: { type: 'array', default: [] } } });
    const first = (await run(tool, given)).args as { list: { a: number }[] };
    first.list.push({ a: 2 });
    (first.list[0] as { a: number }).a = 9;
    expect(given).toEqual({ list: [{ a: 1 }] });
    const second = (await run(tool, {})).args as { list: unknown[] };
    second.list.push(1);
    expect(await run(tool, {})).toEqual({ args: { list: [] } });
  });
});

describe('a tool with a Standard Schema', () => {
  const standard = (validateValue: (value: unknown) => unknown): StandardSchemaLike => ({
    '~standard': { version: 1, vendor: 'test', validate: validateValue },
  });
  const withSchema = (validateValue: (value: unknown) => unknown) =>
    // A JSON Schema that refuses everything shows that it is not consulted.
    toolWith({ not: {} }, { standardSchema: standard(validateValue) });

  it('gets what its own library makes of the arguments', async () => {
    const when = withSchema((value) => ({ value: { at: new Date((value as { at: string }).at) } }));
    expect(await run(when, '{"at":"2024-05-31"}')).toEqual({ args: { at: new Date('2024-05-31') } });
    const later = withSchema(async (value) => ({ value: { ...(value as object), checked: true } }));
    expect(await run(later, { a: 1 })).toEqual({ args: { a: 1, checked: true } });
  });

  it('and its issues become violations, with pointers', async () => {
    const issues = [
      { message: 'Expected number', path: ['list', 0, { key: 'a/b' }] },
      { message: 'Something is wrong' },
    ];
    for (const result of [{ issues }, Promise.resolve({ issues })]) {
      const { failure } = await run(
        withSchema(() => result),
        { list: [{ 'a/b': 'x' }] },
      );
      expect(failure?.error).toBe(
        'Invalid arguments for "add": /list/0/a~1b: Expected number; the value: Something is wrong.',
      );
      expect(failure?.details).toMatchObject({
        violations: [{ pointer: '/list/0/a~1b', expected: 'Expected number' }, { pointer: '' }],
      });
    }
  });

  it('is parsed under the same limits first', async () => {
    let asked = 0;
    const tool = withSchema((value) => {
      asked++;
      return { value };
    });
    expect((await run(tool, '{"__proto__":1}')).failure?.code).toBe('invalid_arguments');
    expect((await run(tool, '{"a":')).failure?.code).toBe('invalid_json');
    expect(asked).toBe(0);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['gives nothing', () => undefined],
    ['gives neither a value nor issues', () => ({})],
    ['gives an empty list of issues', () => ({ issues: [] })],
    ['gives issues that are none', () => ({ value: 1, issues: 'many' })],
    ['gives true', () => true],
  ])('is not passed when its library %s', async (_, validateValue) => {
    const { failure, args } = await run(withSchema(validateValue), {});
    expect(failure?.code).toBe('invalid_schema');
    expect(args).toBeUndefined();
  });
});

describe('the stage', () => {
  it('says what it needs and adds, and is a step under its own name', () => {
    const stage = validate();
    expect(stage.name).toBe('validate');
    expect(traitsOf(stage)).toMatchObject({ needs: ['tool'], adds: ['args'] });
  });

  it('makes no promise for a tool with a JSON Schema', () => {
    const look = traitsOf(validate()).step;
    expect(look?.(contextFor(needy, { a: 1, b: 2 }))).toEqual({ args: { a: 1, b: 2 } });
  });

  it('refuses options that it does not have', () => {
    expect(() => validate({ limit: {} } as never)).toThrow('validate() has no option "limit"');
    expect(() => validate({ limits: { maxDepth: -1 } })).toThrow(TypeError);
    expect(() => validate({ limits: { depth: 5 } as never })).toThrow('unknown limit "depth"');
  });

  it('keeps to the limits it is given', async () => {
    const { failure } = await run(open, '{"path":"0123456789"}', { limits: { maxBytes: 10 } });
    expect(failure).toMatchObject({ code: 'invalid_json', details: { reason: 'too_large' } });
    expect((await run(open, { a: { b: {} } }, { limits: { maxDepth: 2 } })).failure?.details).toMatchObject({
      reason: 'too_deep',
    });
  });

  it('takes another engine, compiles a tool once, and never lets through what is not clearly fitting', async () => {
    let compiled = 0;
    const violation = { pointer: '/a', keyword: 'x', expected: 'y', received: 'z', message: '/a is odd' };
    const engine: SchemaEngine = {
      compile: () => {
        compiled++;
        return (value) => ('a' in (value as object) ? [violation] : undefined);
      },
    };
    const look = traitsOf(validate({ engine })).step;
    const tool = toolWith({});
    expect(look?.(contextFor(tool, {}))).toEqual({ args: {} });
    expect(look?.(contextFor(tool, { a: 1 }))).toMatchObject({
      code: 'invalid_arguments',
      error: 'Invalid arguments for "add": /a is odd.',
    });
    expect(compiled).toBe(1);
    const broken: SchemaEngine = {
      compile: () => {
        throw new ToolError('No such dialect.', { code: 'invalid_schema' });
      },
    };
    expect((await run(tool, {}, { engine: broken })).failure?.error).toContain('No such dialect.');
    const crashing: SchemaEngine = {
      compile: () => () => {
        throw new Error('secret');
      },
    };
    const { failure } = await run(tool, {}, { engine: crashing });
    expect(failure?.code).toBe('invalid_schema');
    expect(failure?.error).not.toContain('secret');
  });

  it('does not load Ajv before the first schema is compiled', () => {
    for (const file of [
      '../../middleware/validate.ts',
      '../../src/schema/ajv.ts',
      '../../src/schema/engine.ts',
      '../../src/schema/pattern/compile.ts',
      '../../src/schema/unique-items.ts',
    ]) {
      const source = readFileSync(new URL(file, import.meta.url), 'utf8');
      expect(source).not.toMatch(/^import (?!type)[^;]*from 'ajv/m);
    }
  });
});
