import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter } from 'callgate';
import { fileTools } from 'callgate/tools';
import { describe, expect, test } from 'vitest';
import type { Rule } from '../../src/policy/rule.ts';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-patterns-')));
for (const folder of ['secrets', 'src/deep', 'notes']) mkdirSync(join(workspace, folder), { recursive: true });
for (const file of ['secrets/x.key', 'src/a.txt', 'notes/n.txt']) writeFileSync(join(workspace, file), 'abc\n');
const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-patterns-')));
mkdirSync(join(elsewhere, 'secrets'));

/** What becomes of a call, with nobody there to ask. */
async function outcome(rule: Rule, name: string, args: object): Promise<string> {
  const router = createRouter({ tools: [...fileTools], roots: [workspace, elsewhere], rules: [rule], mode: 'auto' });
  const result = await router.call({ name, arguments: args });
  return result.ok || result.code === 'tool_error'
    ? 'allow'
    : result.code === 'approval_required'
      ? 'ask'
      : result.code;
}

const write = (path: string) => ['write_file', { path, content: '' }] as const;

describe('a pattern written in another way', () => {
  test.each<[string, Partial<Rule>]>([
    ['a leading ./ in an argument', { arguments: { path: { path: './secrets/**' } } }],
    ['a leading ./ in a short form', { tool: 'write_file(./secrets/**)' }],
    ['a leading ./ in an effect', { effects: { path: './secrets/**' } }],
    ['several of them', { arguments: { path: { path: '././secrets/./**' } } }],
    ['a double slash', { effects: { path: 'secrets//**' } }],
    ['an absolute argument', { arguments: { path: { path: `${workspace}/secrets/**` } } }],
    ['an absolute short form', { tool: `write_file(${workspace}/secrets/**)` }],
    ['an absolute effect', { effects: { path: `${workspace}/secrets/**` } }],
  ])('holds: %s', async (_, conditions) => {
    const rule: Rule = { decision: 'deny', ...conditions };
    expect(await outcome(rule, ...write('secrets/new.key'))).toBe('denied');
    expect(await outcome(rule, ...write('src/new.txt'))).toBe('allow');
  });

  test.each<[string, Partial<Rule>]>([
    ['./', { tool: 'write_file(./notes/**)' }],
    ['an absolute one', { tool: 'write_file', arguments: { path: { path: `${workspace}/notes/**` } } }],
    ['an absolute short form', { tool: `write_file(${workspace}/notes/**)` }],
  ])('allows nothing else: %s', async (_, conditions) => {
    const rules: Rule[] = [{ decision: 'allow', ...conditions }];
    const router = createRouter({ tools: [...fileTools], roots: [workspace, elsewhere], rules, mode: 'ask' });
    const called = async (path: string) => router.call({ name: 'write_file', arguments: { path, content: '' } });
    expect(await called('notes/new.txt')).toMatchObject({ ok: true });
    for (const path of ['src/notes/n.txt', 'n.txt', `${elsewhere}/notes/n.txt`]) {
      expect(await called(path)).toMatchObject({ code: 'approval_required' });
    }
  });
});

describe('a folder above what a rule forbids', () => {
  const denials: readonly [string, Partial<Rule>][] = [
    ['an effect', { effects: { kind: 'fs.read', path: 'secrets/**' } }],
    ['an absolute effect', { effects: { kind: 'fs.read', path: `${workspace}/secrets/**` } }],
    ['an argument', { arguments: { path: { path: 'secrets/**' } } }],
    ['an absolute argument', { arguments: { path: { path: `${workspace}/secrets/*.key` } } }],
    ['a short form', { tool: ['search_files(./secrets/x.key)', 'list_files({secrets,private}/**)'] }],
    ['another case', { effects: { path: 'SECRETS/**' } }],
  ];

  test.each(denials)('is asked about where the call walks: %s', async (_, conditions) => {
    for (const decision of ['deny', 'ask'] as const) {
      const rule: Rule = { decision, ...conditions };
      expect(await outcome(rule, 'search_files', { pattern: 'abc' })).toBe('ask');
      expect(await outcome(rule, 'list_files', { depth: 2 })).toBe('ask');
      expect(await outcome(rule, 'search_files', { pattern: 'abc', path: 'src' })).toBe('allow');
    }
  });

  test.each(denials)('is listed without a question, and files beside are read: %s', async (_, conditions) => {
    const rule: Rule = { decision: 'deny', ...conditions };
    expect(await outcome(rule, 'list_files', {})).toBe('allow');
    expect(await outcome(rule, 'list_files', { path: 'src', glob: '*' })).toBe('allow');
    expect(await outcome(rule, 'read_file', { path: 'src/a.txt' })).toBe('allow');
  });

  test('is not allowed by a rule that leaves something out', async () => {
    const rules: Rule[] = [{ decision: 'allow', arguments: { path: { not: { path: 'secrets/**' } } } }];
    const router = createRouter({
      tools: [...fileTools],
      roots: [workspace],
      rules,
      modes: { shut: { default: 'deny' } },
    });
    const searched = (path: string) =>
      router.call({ name: 'search_files', arguments: { pattern: 'abc', path } }, { run: { mode: 'shut' } });
    expect(await searched('.')).toMatchObject({ code: 'denied' });
    expect(await searched('src')).toMatchObject({ ok: true });
  });

  test('is not asked about for what has another kind, or begins with a wildcard', async () => {
    const search = ['search_files', { pattern: 'abc' }] as const;
    expect(await outcome({ decision: 'deny', effects: { kind: 'fs.write', path: 'secrets/**' } }, ...search)).toBe(
      'allow',
    );
    expect(await outcome({ decision: 'deny', effects: { kind: 'fs.read', path: '**/*.key' } }, ...search)).toBe(
      'allow',
    );
  });

  test('is not left out of account by a tool that says so in another way than by a function', () => {
    const [tool] = fileTools;
    expect(() => createRouter({ tools: [{ ...tool, walks: false } as never] })).toThrow(/walks must be a function/);
  });

  test('is kept from every tool by the path guard, without a question', async () => {
    const router = createRouter({ tools: [...fileTools], roots: [workspace], pathGuard: { deny: ['secrets/**'] } });
    const result = await router.call({ name: 'search_files', arguments: { pattern: 'abc' } });
    expect(result).toMatchObject({ ok: true, data: expect.not.stringContaining('secrets') });
  });
});
