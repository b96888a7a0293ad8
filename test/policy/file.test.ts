import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, test } from 'vitest';
import { permission } from '../../middleware/permission.ts';
import { parsePolicy, readPolicyFile } from '../../src/policy/file.ts';

const schema = JSON.parse(readFileSync(new URL('../../src/policy/rules.schema.json', import.meta.url), 'utf8'));
const fitsSchema = new Ajv({ strict: false }).compile(schema);

const good = {
  $schema: './rules.schema.json',
  rules: [
    {
      decision: 'allow',
      tool: ['read_file(src/**)', 'list_*'],
      match: [{ tool: 'read_file', arguments: { path: 'src/a.ts' } }, { tool: 'list_files' }],
      notMatch: [{ tool: 'read_file', arguments: { path: '.env' } }],
    },
    { decision: 'ask', level: ['network', 'none'], reason: 'it leaves the machine', name: 'outside' },
    {
      decision: 'deny',
      effects: [
        { kind: 'fs.write', path: '.github/**' },
        { kind: 'net', port: 22 },
      ],
      mode: 'auto',
    },
    {
      decision: 'deny',
      arguments: { '/edits/*/path': { not: { path: 'src/**' } }, count: { max: 5 }, branch: ['main', null] },
    },
    { decision: 'deny', tag: 'prod', source: '**', annotations: { destructive: true } },
    {
      decision: 'allow',
      effects: { command: [['git', 'status'], ['ls']] },
      notMatch: [{ tool: 'x', effects: [{ kind: 'exec', argv: ['rm'] }] }],
    },
  ],
  modes: { review: { read: 'allow', default: 'ask' } },
};

const bad: [string, unknown, string][] = [
  ['no object', [], 'The policy must be an object'],
  ['no rules', {}, 'The policy needs a list of rules'],
  ['an unknown member', { rules: [], rule: [] }, `The policy's "rule" is unknown`],
  ['an unknown decision', { rules: [{ decision: 'block' }] }, 'Rule 0: decision'],
  [
    'an unknown condition',
    {
      rules: [
        { decision: 'deny', tool: 'a' },
        { decision: 'deny', regex: 'a' },
      ],
    },
    'Rule 1: regex',
  ],
  ['code', { rules: [{ decision: 'deny', when: 'true' }] }, 'Rule 0: when must be a function'],
  [
    'an unknown matcher',
    { rules: [{ decision: 'deny', arguments: { a: { like: 'x' } } }] },
    'Rule 0: arguments.a.like',
  ],
  ['only, with a deny', { rules: [{ decision: 'deny', only: ['a'] }] }, 'Rule 0: only goes with allow only'],
  [
    'an identity, with an ask',
    { rules: [{ decision: 'ask', identity: 'a'.repeat(64) }] },
    'Rule 0: identity goes with',
  ],
  [
    'an identity that is no digest',
    { rules: [{ decision: 'allow', identity: 'a' }] },
    'Rule 0: identity needs digests',
  ],
  ['only, as one text', { rules: [{ decision: 'allow', only: 'a' }] }, 'Rule 0: only needs a list'],
  ['an unknown effect', { rules: [{ decision: 'deny', effects: { kind: 'rm' } }] }, 'Rule 0: effects.kind'],
  ['a mode without default', { rules: [], modes: { mine: { read: 'allow' } } }, 'Mode "mine" needs a table'],
  ['modes that are none', { rules: [], modes: null }, `The policy's "modes" must be an object`],
  ['an example without a tool', { rules: [{ decision: 'deny', match: [{ arguments: {} }] }] }, 'Rule 0: match[0].tool'],
  [
    'an example with a mistyped member',
    { rules: [{ decision: 'deny', match: [{ tool: 'a', args: {} }] }] },
    'Rule 0: match[0].args is unknown',
  ],
];

describe('a policy file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'policy-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const written = (text: string): string => {
    const path = join(folder, 'policy.json');
    writeFileSync(path, text);
    return path;
  };

  test('fits the options of permission', () => {
    const policy = readPolicyFile(written(JSON.stringify(good)));
    expect(policy).toEqual({ rules: good.rules, modes: good.modes });
    expect(permission({ ...policy }).name).toBe('permission');
  });

  test('is described by its schema', () => {
    expect(fitsSchema(good), JSON.stringify(fitsSchema.errors)).toBe(true);
  });

  test.each(bad)('%s is refused, by the schema as well', (_, content, message) => {
    expect(() => parsePolicy(content)).toThrow(message);
    expect(() => parsePolicy(content)).toThrow(TypeError);
    expect(fitsSchema(content)).toBe(false);
  });

  test('that says two things at one place is refused, for JSON takes the last', () => {
    const text = '{"rules": [\n{"decision": "deny", "tool": "a", "decision": "allow"}]}';
    expect(() => readPolicyFile(written(text))).toThrow(/policy\.json:2:35: the key "decision" stands twice/);
  });

  test('that is no JSON is refused with its name', () => {
    expect(() => readPolicyFile(written('{"rules": [}'))).toThrow(/policy\.json:1:12 is not JSON/);
  });
});

describe('examples in rules', () => {
  test.each<[string, object, string | undefined]>([
    ['a match that matches', { tool: 'a', match: [{ tool: 'a' }] }, undefined],
    [
      'a match that does not',
      { tool: 'a', match: [{ tool: 'a' }, { tool: 'b' }] },
      'Rule 0: match[1] is not matched, although it should be',
    ],
    ['a notMatch that does not', { tool: 'a', notMatch: [{ tool: 'b' }] }, undefined],
    [
      'a notMatch that matches',
      { tool: 'a', notMatch: [{ tool: 'a' }] },
      'Rule 0: notMatch[0] is matched, although it should not be',
    ],
    ['a level', { level: 'write', match: [{ tool: 'a', level: 'write' }], notMatch: [{ tool: 'a' }] }, undefined],
    ['a mode', { mode: 'plan', match: [{ tool: 'a', mode: 'plan' }], notMatch: [{ tool: 'a' }] }, undefined],
    [
      'a doubt is no match',
      { tool: 'sh(rm)', match: [{ tool: 'sh', arguments: { command: 'a>b' } }] },
      'cannot be judged by the rule',
    ],
    [
      'nor is it none',
      { tool: 'sh(rm)', notMatch: [{ tool: 'sh', arguments: { command: 'a>b' } }] },
      'cannot be judged by the rule',
    ],
    ['no list', { match: { tool: 'a' } }, 'Rule 0: match needs a list of calls'],
    ['a rule that decides later', { when: async () => true, match: [{ tool: 'a' }] }, 'cannot be checked'],
  ])('%s', (_, conditions, message) => {
    const parse = () => parsePolicy({ rules: [{ decision: 'deny', ...conditions }] });
    if (message === undefined) expect(parse).not.toThrow();
    else expect(parse).toThrow(message);
  });
});
