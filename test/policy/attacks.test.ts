import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { defineTool } from '../../src/define-tool.ts';
import { type ApprovalRequest, readAnswer } from '../../src/policy/approval.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { signDecision } from '../../src/policy/signed.ts';
import { memoryStore } from '../../src/policy/store.ts';
import { createRegistry } from '../../src/registry.ts';
import { createRouter } from '../../src/router.ts';
import type { RouterOptions } from '../../src/router-options.ts';
import type { Tool } from '../../src/tool.ts';

const root = mkdtempSync(join(tmpdir(), 'callgate-attacks-'));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, 'secrets'));
mkdirSync(join(root, 'notes'));
writeFileSync(join(root, 'secrets/key'), 'k');

function program(options: Partial<RouterOptions> = {}, over: Partial<Tool> = {}) {
  const ran: unknown[] = [];
  const write: Tool = {
    ...defineTool({
      name: 'write_file',
      description: 'Writes.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path'],
      },
      permission: 'write',
      paths: { path: 'write' },
      handler: (args) => {
        ran.push(structuredClone(args));
        return 'written';
      },
    }),
    ...over,
  };
  const router = createRouter({ tools: [write], roots: [root], ...options } as RouterOptions);
  const call = (args: unknown, name = 'write_file') => router.call({ id: 'c', name, arguments: args });
  return { router, ran, call };
}

describe('an approver that is confused or bribed', () => {
  test.each<[string, () => unknown]>([
    [
      'arguments that are read as something else each time',
      () => {
        let reads = 0;
        return {
          decision: 'allow',
          arguments: {
            get path() {
              return reads++ === 0 ? 'notes/a' : 'secrets/key';
            },
            content: 'x',
          },
        };
      },
    ],
    [
      'an answer that is read as something else each time',
      () => {
        let reads = 0;
        return {
          decision: 'allow',
          get arguments() {
            return { path: reads++ === 0 ? 'notes/a' : 'secrets/key' };
          },
        };
      },
    ],
    [
      'arguments with a way of their own to become JSON',
      () => ({
        decision: 'allow',
        arguments: { path: 'notes/a', toJSON: () => ({ path: 'secrets/key' }) },
      }),
    ],
    ['arguments that inherit', () => ({ decision: 'allow', arguments: Object.create({ path: 'secrets/key' }) })],
    [
      'arguments with a prototype among them',
      () => ({ decision: 'allow', arguments: JSON.parse('{"path":"notes/a","__proto__":{"path":"secrets/key"}}') }),
    ],
    [
      'arguments as a proxy',
      () => {
        let reads = 0;
        const flip = {
          get: (_: object, key: string) => (key === 'path' ? (reads++ < 1 ? 'notes/a' : 'secrets/key') : undefined),
        };
        return { decision: 'allow', arguments: new Proxy({ path: 'notes/a' }, flip) };
      },
    ],
    ['a way around by path', () => ({ decision: 'allow', arguments: { path: 'notes/../secrets/key' } })],
    ['another spelling', () => ({ decision: 'allow', arguments: { path: 'SECRETS/key' } })],
  ])('cannot get past a deny with %s', async (_, answer) => {
    const rules: Rule[] = [{ decision: 'deny', arguments: { path: { path: 'secrets/**' } } }];
    const { ran, call } = program({ rules, approve: answer as never });
    await call({ path: 'notes/b', content: 'x' });
    expect(JSON.stringify(ran)).not.toMatch(/secrets/i);
  });

  test('cannot have a rule kept for a call that has ended meanwhile', async () => {
    const abort = new AbortController();
    let asked = 0;
    const { router } = program({
      approve: () => {
        asked++;
        abort.abort();
        return { decision: 'allow', always: { scope: 'run' } };
      },
    });
    const call = { name: 'write_file', arguments: { path: 'notes/a', content: 'x' } };
    expect(await router.call(call, { signal: abort.signal })).toMatchObject({ code: 'aborted' });
    await router.call(call, { signal: AbortSignal.timeout(10_000) });
    expect(asked).toBe(2);
  });

  test('cannot widen the rule that it was shown', async () => {
    const answers: unknown[] = [];
    const approve = (request: ApprovalRequest): never => {
      answers.push(request);
      const rule = request.always?.rule as { tool?: unknown } | undefined;
      expect(() => Object.assign(rule as object, { tool: '*' })).toThrow(TypeError);
      return { decision: 'allow', always: { scope: 'run', rule: { decision: 'allow' } } } as never;
    };
    const { call } = program({ approve });
    await call({ path: 'notes/a', content: 'x' });
    await call({ path: 'notes/b', content: 'x' });
    expect(answers).toHaveLength(2);
  });

  test('cannot turn a no into a yes later: what was declined is not pending', async () => {
    const approvals = memoryStore();
    let shown: ApprovalRequest | undefined;
    const { router, call, ran } = program({
      approvals,
      approve: (request) => {
        shown = request;
        return 'deny';
      },
    });
    await call({ path: 'notes/a' });
    const key = 'a key of which there are 32 bytes';
    const signed = signDecision(shown as ApprovalRequest, 'allow', key);
    expect(await router.resume(signed, { store: approvals, key })).toMatchObject({ details: { reason: 'unknown' } });
    expect(ran).toEqual([]);
  });
});

test('whatever an approver says, only the known forms allow', () => {
  const word = fc.constantFrom('allow', 'deny', 'ALLOW', 'yes', 'approve', true, false, 1, null);
  const answer = fc.oneof(
    word,
    fc.anything(),
    fc.record({ decision: word, allowed: word, always: fc.anything(), arguments: fc.anything() }, { requiredKeys: [] }),
  );
  fc.assert(
    fc.property(answer, (said) => {
      let read: ReturnType<typeof readAnswer>;
      try {
        read = readAnswer(said);
      } catch {
        return;
      }
      const isAllowance =
        said === true || said === 'allow' || (said as { decision?: unknown } | null | undefined)?.decision === 'allow';
      expect(read.allowed === true).toBe(isAllowance);
      expect(read.allowed === undefined).toBe(said === undefined);
    }),
  );
});

describe('a model that looks for a gap', () => {
  test.each<[string, string]>([
    ['a prototype', '{"__proto__":{"path":"notes/a"},"path":"secrets/key"}'],
    ['a constructor', '{"constructor":{"prototype":{"path":"notes/a"}},"path":"secrets/key"}'],
    ['a key twice', '{"path":"notes/a","path":"secrets/key"}'],
    ['a key twice, once escaped', '{"path":"notes/a","p\\u0061th":"secrets/key"}'],
    ['a list for a path', '{"path":["notes/a"]}'],
    ['full-width letters', '{"path":"\uff53ecrets/key"}'],
    ['a letter of a ligature', '{"path":"\u017fecrets/key"}'],
    ['capital letters', '{"path":"Secrets/key"}'],
    ['a trailing dot', '{"path":"secrets./key"}'],
    ['a zero-width space', '{"path":"sec\u200brets/key"}'],
    ['a stream', '{"path":"secrets:x/key"}'],
    ['a way around', '{"path":"notes/../secrets/key"}'],
    ['an absolute path', JSON.stringify({ path: join(root, 'secrets/key') })],
  ])('cannot use %s to be allowed what is denied', async (_, args) => {
    const rules: Rule[] = [
      { decision: 'deny', arguments: { path: { path: 'secrets/**' } } },
      { decision: 'allow', arguments: { path: { path: 'notes/**' } } },
    ];
    const { call, ran } = program({ rules, mode: 'trusted' });
    expect(await call(args)).toMatchObject({ ok: false, effect: 'none' });
    expect(ran).toEqual([]);
  });

  test.each([
    'wr\u0456te_file',
    'write_file\u200b',
    'WRITE_FILE',
    'write_file ',
    '\uff57rite_file',
    '__proto__',
    'constructor',
    'write_file\0',
  ])('cannot be allowed as a tool by a name that looks like its own: %j', async (name) => {
    const { call, ran } = program({ rules: [{ decision: 'allow', tool: 'write_file' }] });
    expect(await call({ path: 'notes/a' }, name)).toMatchObject({ ok: false, code: 'unknown_tool' });
    expect(ran).toEqual([]);
  });

  test('no tool can be registered under such a name', () => {
    const tool = (name: string): Tool => ({ name, description: '', parameters: { type: 'object' }, handler: () => 1 });
    for (const name of ['wr\u0456te_file', 'write_file\u200b', '\uff57rite', '', 'a b', '*']) {
      expect(() => createRegistry([tool(name)])).toThrow();
    }
  });

  test('cannot get one approval for many calls by sending them at the same time', async () => {
    let asked = 0;
    const { router, ran } = program({ approve: () => ++asked === 1 });
    const same = { id: 'c', name: 'write_file', arguments: { path: 'notes/a', content: 'x' } };
    const results = await router.callAll([same, same, same, same]);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(asked).toBe(4);
    expect(ran).toHaveLength(1);
  });

  test('cannot use another tool’s rule by declaring the same arguments', async () => {
    const rules: Rule[] = [{ decision: 'allow', tool: 'write_file(notes/**)' }];
    const { call, ran } = program({ rules }, { name: 'write_file2' });
    expect(await call({ path: 'notes/a' }, 'write_file2')).toMatchObject({ code: 'approval_required' });
    expect(ran).toEqual([]);
  });

  test('cannot choose its mode', async () => {
    const { router, ran } = program();
    for (const mode of ['TRUSTED', 'trusted ', '__proto__', 'constructor', 'hasOwnProperty']) {
      const result = await router.call({ name: 'write_file', arguments: { path: 'notes/a' } }, { run: { mode } });
      expect(result).toMatchObject({ code: 'denied', details: { reason: 'unknown_mode' } });
    }
    expect(ran).toEqual([]);
  });
});
