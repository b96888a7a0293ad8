import { createRouter, pipeline, type Tool, type ToolResult } from 'callgate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { execute } from '../../middleware/execute.ts';
import { lookup } from '../../middleware/lookup.ts';
import { normalize } from '../../middleware/normalize.ts';
import { type RepairOptions, repair } from '../../middleware/repair.ts';
import { validate } from '../../middleware/validate.ts';
import { repairArguments, repairSteps } from '../../src/providers/arguments/ladder.ts';
import type { JsonSchemaObject } from '../../src/schema/json-schema.ts';

/** A router of one tool that gives back its arguments, with the repair stage in its place. */
function routerFor(parameters: JsonSchemaObject, options?: RepairOptions) {
  const echo: Tool = { name: 'echo', description: 'Gives back.', parameters, handler: (args) => args };
  const stages = pipeline()
    .use('normalize', normalize())
    .use('lookup', lookup())
    .use('repair', repair(options))
    .use('validate', validate())
    .use('execute', execute());
  return createRouter({ tools: [echo], pipeline: stages });
}

async function sent(parameters: JsonSchemaObject, args: unknown, options?: RepairOptions): Promise<ToolResult> {
  return routerFor(parameters, options).call({ id: 'c1', name: 'echo', arguments: args });
}

const edit: JsonSchemaObject = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    old_string: { type: 'string' },
    new_string: { type: 'string' },
    replace_all: { type: 'boolean' },
  },
  required: ['path', 'old_string', 'new_string'],
  additionalProperties: false,
};

describe('what is mended', () => {
  const page: JsonSchemaObject = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      max: { type: 'integer', minimum: 1 },
      tags: { type: 'array', items: { type: 'string' } },
      where: { type: 'object', properties: { line: { type: 'number' } } },
      deep: { type: ['boolean', 'null'] },
    },
    required: ['path'],
  };

  it.each<[string, unknown, unknown, { step: string; pointer: string }[]]>([
    [
      'numbers as text',
      { path: 'a', max: '200000' },
      { path: 'a', max: 200000 },
      [{ step: 'number-text', pointer: '/max' }],
    ],
    [
      'a list as text',
      { path: 'a', tags: '["x","y"]' },
      { path: 'a', tags: ['x', 'y'] },
      [{ step: 'json-text', pointer: '/tags' }],
    ],
    [
      'an object as text, and a number as text in it',
      { path: 'a', where: '{"line": "4"}' },
      { path: 'a', where: { line: 4 } },
      [
        { step: 'json-text', pointer: '/where' },
        { step: 'number-text', pointer: '/where/line' },
      ],
    ],
    [
      'a boolean as text',
      { path: 'a', deep: 'true' },
      { path: 'a', deep: true },
      [{ step: 'boolean-text', pointer: '/deep' }],
    ],
    ['a fenced code block', '```json\n{"path":"a"}\n```', { path: 'a' }, [{ step: 'code-fence', pointer: '' }]],
    [
      'arguments encoded twice',
      JSON.stringify('{"path":"a"}'),
      { path: 'a' },
      [{ step: 'double-encoding', pointer: '' }],
    ],
    [
      'arguments encoded twice inside a fence',
      `\`\`\`\n${JSON.stringify('{"path":"a"}')}\n\`\`\``,
      { path: 'a' },
      [
        { step: 'code-fence', pointer: '' },
        { step: 'double-encoding', pointer: '' },
      ],
    ],
    ['a trailing comma', '{"path":"a",}', { path: 'a' }, [{ step: 'json-syntax', pointer: '' }]],
    [
      'single quotes and Python words',
      "{'path': 'a', 'deep': True}",
      { path: 'a', deep: true },
      [{ step: 'json-syntax', pointer: '' }],
    ],
    ['null for absent', { path: 'a', max: null }, { path: 'a' }, [{ step: 'absent-null', pointer: '/max' }]],
  ])('%s', async (_, given, expected, steps) => {
    const result = await sent(page, given);
    expect(result).toMatchObject({ ok: true, data: expected });
    expect(result.meta['repaired']).toEqual(steps);
    expect(await sent(page, given, { steps: [] })).toMatchObject({ ok: false });
  });

  it('an object in quotes below oneOf', async () => {
    const parameters: JsonSchemaObject = {
      type: 'object',
      properties: {
        target: {
          oneOf: [
            {
              type: 'object',
              properties: { kind: { const: 'agent' }, name: { type: 'string' } },
              required: ['kind', 'name'],
            },
            {
              type: 'object',
              properties: { kind: { const: 'team' }, id: { type: 'integer' } },
              required: ['kind', 'id'],
            },
          ],
        },
      },
      required: ['target'],
    };
    expect(await sent(parameters, { target: '{"kind":"agent","name":"1"}' })).toMatchObject({
      data: { target: { kind: 'agent', name: '1' } },
    });
    expect(await sent(parameters, { target: { kind: 'team', id: '1' } })).toMatchObject({
      data: { target: { kind: 'team', id: 1 } },
    });
  });

  it('is noted in a failure too', async () => {
    const result = await sent(edit, { path: 'a', replace_all: 'true' });
    expect(result).toMatchObject({ ok: false, code: 'invalid_arguments' });
    expect(result.meta['repaired']).toEqual([{ step: 'boolean-text', pointer: '/replace_all' }]);
  });

  it('is seen by the stages after it, and by nothing when there was nothing to mend', async () => {
    const result = await sent(edit, { path: 'a', old_string: 'x', new_string: 'y' });
    expect(result).toMatchObject({ ok: true });
    expect(result.meta).not.toHaveProperty('repaired');
  });
});

describe('what stays', () => {
  it('is the text true in a field for text', async () => {
    const given = { path: 'a.cfg', old_string: 'true', new_string: 'false', replace_all: 'true' };
    expect(await sent(edit, given)).toMatchObject({
      data: { path: 'a.cfg', old_string: 'true', new_string: 'false', replace_all: true },
    });
  });

  it('is a code with leading zeros, and a number as text wherever text fits', async () => {
    const parameters: JsonSchemaObject = {
      type: 'object',
      properties: {
        zip: { type: 'string' },
        code: { anyOf: [{ type: 'number' }, { type: 'string' }] },
        n: { type: 'number' },
      },
    };
    expect(await sent(parameters, { zip: '020', code: '0003000' })).toMatchObject({
      data: { zip: '020', code: '0003000' },
    });
    expect(await sent(parameters, { code: '7' })).toMatchObject({ data: { code: '7' } });
    for (const n of ['020', '+1', ' 1', '1_000', '1,000', '0x10', 'Infinity', '', '12345678901234567890', '1e999']) {
      expect(await sent(parameters, { n })).toMatchObject({ ok: false, code: 'invalid_arguments' });
    }
  });

  it('is a fraction where a whole number is due', async () => {
    const parameters: JsonSchemaObject = { type: 'object', properties: { n: { type: 'integer' } } };
    expect(await sent(parameters, { n: '1.5' })).toMatchObject({ ok: false });
    expect(await sent(parameters, { n: '-3' })).toMatchObject({ data: { n: -3 } });
  });

  it('is a null that the schema allows, and one for what is required', async () => {
    const parameters: JsonSchemaObject = {
      type: 'object',
      properties: {
        metric: { type: 'string' },
        start_date: { type: 'string' },
        end_date: { type: ['string', 'null'] },
      },
      required: ['metric'],
    };
    const given = { metric: 'weight', start_date: null, end_date: null };
    expect(await sent(parameters, given)).toMatchObject({ data: { metric: 'weight', end_date: null } });
    expect(await sent(parameters, { metric: null })).toMatchObject({ ok: false, code: 'invalid_arguments' });
  });

  it('is a null for a property that the schema does not know', async () => {
    expect(await sent(edit, { path: 'a', old_string: 'b', new_string: 'c', more: null })).toMatchObject({ ok: false });
  });
});

describe('what cannot be read', () => {
  const anything: JsonSchemaObject = { type: 'object' };

  it.each([
    '{"path":"SKILL.md","content":"# Tit',
    '{"path":"SKILL.md","content":"# Title"',
    '{"path":"SKILL.md",',
    '{"path":"SKILL.md", ...}',
    '{"files":["a","b"',
    '{"files":["a", ...]}',
    '```json\n{"path":"a"',
    JSON.stringify('{"path":"SKILL.md","content":"# Ti'),
    '{',
    'path=a',
    'Here is the call: {"path":"a"}',
    '[{"path":"a"}]',
    '5',
    '"text"',
    '{"path":"a","path":"b"}',
    '{"path":"a","path":"b",}',
    '{"__proto__":{"isAdmin":true}}',
    "{'__proto__':{'isAdmin':true}}",
  ])('never becomes an empty or a smaller call: %s', async (text) => {
    const result = await sent(anything, text);
    expect(result.ok).toBe(false);
    expect(['invalid_json', 'invalid_arguments']).toContain((result as { code: string }).code);
    expect(result.meta).not.toHaveProperty('repaired');
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('is never completed, wherever valid JSON is cut', () => {
    const value = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(value, fc.nat(), (object, place) => {
        const text = JSON.stringify(object);
        const cut = text.slice(0, place % text.length);
        const mended = repairArguments({ type: 'object' }, cut, {
          steps: new Set(repairSteps),
          mend: (broken) => broken + '}'.repeat(5),
        });
        expect(mended).toEqual({ arguments: cut, repaired: [] });
      }),
    );
  });

  it('leaves valid arguments exactly as they were', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        const mended = repairArguments({ type: 'object' }, text, { steps: new Set(repairSteps), mend: () => '{}' });
        if (Object.hasOwn(object, '__proto__')) return;
        expect(mended.repaired).toEqual([]);
        expect(mended.arguments).toBe(text);
      }),
    );
  });

  it('does not mend JSON that is refused for what it says', () => {
    const text = '{"a":{"__proto__":""}}';
    const mended = repairArguments({ type: 'object' }, text, { steps: new Set(repairSteps), mend: () => '{}' });
    expect(mended).toEqual({ arguments: text, repaired: [] });
  });

  it('does not follow a schema that refers to itself without end', async () => {
    const endless: JsonSchemaObject = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }] } },
    };
    const mended = repairArguments(endless, { a: { a: '1' } }, { steps: new Set(repairSteps) });
    expect(mended.repaired).toEqual([]);
  });
});

describe('options', () => {
  it('are checked when the stage is made', () => {
    expect(() => repair({ steps: ['trailing-comma' as 'json-text'] })).toThrow(
      /unknown step "trailing-comma"; the steps are/,
    );
    expect(() => repair({ step: [] } as unknown as RepairOptions)).toThrow(/step/);
  });

  it('turn single steps on', async () => {
    const parameters: JsonSchemaObject = {
      type: 'object',
      properties: { n: { type: 'number' }, b: { type: 'boolean' } },
    };
    expect(await sent(parameters, { n: '1' }, { steps: ['number-text'] })).toMatchObject({ ok: true });
    expect(await sent(parameters, { b: 'true' }, { steps: ['number-text'] })).toMatchObject({ ok: false });
  });

  it('keep the order fixed', () => {
    const mended = repairArguments(
      { type: 'object', properties: { n: { type: 'number' } } },
      JSON.stringify('{"n":"1"}'),
      { steps: new Set(['number-text', 'double-encoding']) },
    );
    expect(mended).toEqual({
      arguments: { n: 1 },
      repaired: [
        { step: 'double-encoding', pointer: '' },
        { step: 'number-text', pointer: '/n' },
      ],
    });
  });
});
