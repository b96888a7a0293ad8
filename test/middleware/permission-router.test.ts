import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { allowAll } from '../../middleware/permission.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import type { ApprovalRequest } from '../../src/policy/approval.ts';
import type { Failure } from '../../src/result.ts';
import { createRouter } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';
import { step } from '../../src/traits.ts';
import type { Found } from '../../src/types.ts';

function recorder(over: Partial<Tool> = {}): { tool: Tool; recorded: unknown[] } {
  const recorded: unknown[] = [];
  const tool = defineTool({
    name: 'record_value',
    description: 'Records a message.',
    parameters: {
      type: 'object',
      properties: { message: { type: 'string' }, times: { type: 'integer', default: 1 } },
      required: ['message'],
      additionalProperties: false,
    },
    permission: 'write',
    handler: (args) => {
      recorded.push(args);
      return 'recorded';
    },
  });
  return { tool: Object.freeze({ ...tool, ...over }), recorded };
}

describe('an approval is for what runs', () => {
  test('the handler gets what was shown, whatever the caller changes while somebody decides', async () => {
    const { tool, recorded } = recorder();
    const args = { message: 'reviewed-value' };
    const approve = vi.fn(async (request: ApprovalRequest) => {
      args.message = 'changed-value';
      return (request.arguments as { message: string }).message === 'reviewed-value';
    });
    const result = await createRouter({ tools: [tool], approve }).call({
      id: 'c1',
      name: 'record_value',
      arguments: args,
    });
    expect(result.ok).toBe(true);
    expect(approve.mock.calls[0]?.[0].arguments).toEqual({ message: 'reviewed-value', times: 1 });
    expect(recorded).toEqual([{ message: 'reviewed-value', times: 1 }]);
  });

  test('another call with the same id and other arguments is asked about again', async () => {
    const { tool, recorded } = recorder();
    const approve = vi.fn((_request: ApprovalRequest) => approve.mock.calls.length === 1);
    const router = createRouter({ tools: [tool], approve });
    await router.call({ id: 'c1', name: 'record_value', arguments: { message: 'a' } });
    const second = await router.call({ id: 'c1', name: 'record_value', arguments: { message: 'b' } });
    expect(second).toMatchObject({ ok: false, code: 'denied', call_id: 'c1' });
    expect(recorded).toEqual([{ message: 'a', times: 1 }]);
  });

  test('of two calls at the same time, the one that was approved runs', async () => {
    const { tool, recorded } = recorder();
    const router = createRouter({ tools: [tool], approve: async ({ callId }) => callId === 'c2' });
    const results = await router.callAll([
      { id: 'c1', name: 'record_value', arguments: '{"message":"same"}' },
      { id: 'c2', name: 'record_value', arguments: '{"message":"same"}' },
    ]);
    expect(results.map(({ ok, call_id }) => [call_id, ok])).toEqual([
      ['c1', false],
      ['c2', true],
    ]);
    expect(recorded).toHaveLength(1);
  });

  test('a tool that is replaced while somebody decides does not run, and neither does the new one', async () => {
    const { tool, recorded } = recorder();
    const router = createRouter({
      tools: [tool],
      approve: () => {
        router.registry.add({ ...tool });
        return true;
      },
    });
    const result = await router.call({ name: 'record_value', arguments: { message: 'a' } });
    expect(result).toMatchObject({ code: 'denied', details: { reason: 'approval_void' } });
    expect(recorded).toEqual([]);
  });

  test('waiting for a person is outside the time of the tool', async () => {
    const { tool } = recorder({ timeout: 1 });
    const approve = () => new Promise<boolean>((resolve) => setTimeout(resolve, 20, true));
    const result = await createRouter({ tools: [tool], approve }).call({
      name: 'record_value',
      arguments: { message: 'a' },
    });
    expect(result.ok).toBe(true);
  });

  test('the whole call ends at its deadline, though the approver hangs, and nothing runs afterwards', async () => {
    const { tool, recorded } = recorder();
    let answer: (answer: boolean) => void = () => {};
    const approve = () =>
      new Promise<boolean>((resolve) => {
        answer = resolve;
      });
    const router = createRouter({ tools: [tool], approve });
    const result = await router.call({ name: 'record_value', arguments: { message: 'a' } }, { deadline: 10 });
    expect(result).toMatchObject({ ok: false, code: 'timeout', effect: 'none' });
    answer(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(recorded).toEqual([]);
  });

  test('a call that its caller withdraws is answered as aborted', async () => {
    const { tool } = recorder();
    const controller = new AbortController();
    const approve = () => {
      controller.abort();
      return new Promise<boolean>(() => {});
    };
    const router = createRouter({ tools: [tool], approve });
    const result = await router.call(
      { name: 'record_value', arguments: { message: 'a' } },
      { signal: controller.signal },
    );
    expect(result).toMatchObject({ ok: false, code: 'aborted', effect: 'none' });
  });

  test('nobody there: the result carries the pending approval', async () => {
    const { tool, recorded } = recorder();
    const result = (await createRouter({ tools: [tool] }).call({
      id: 'c1',
      name: 'record_value',
      arguments: { message: 'a' },
    })) as Failure;
    expect(result).toMatchObject({
      code: 'approval_required',
      details: { pending: { callId: 'c1', tool: 'record_value', arguments: { message: 'a', times: 1 } } },
    });
    expect(recorded).toEqual([]);
  });
});

describe('edited arguments pass the whole chain', () => {
  const edit = (...edits: unknown[]) =>
    vi.fn((_request: ApprovalRequest) => ({ decision: 'allow' as const, arguments: edits.shift() }));

  test('and run without being asked about again', async () => {
    const { tool, recorded } = recorder();
    const approve = edit({ message: 'edited' });
    const result = await createRouter({ tools: [tool], approve }).call({
      id: 'c1',
      name: 'record_value',
      arguments: { message: 'a' },
    });
    expect(result).toMatchObject({ ok: true, call_id: 'c1', tool_name: 'record_value' });
    expect(recorded).toEqual([{ message: 'edited', times: 1 }]);
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('validation included', async () => {
    const { tool, recorded } = recorder();
    const result = await createRouter({ tools: [tool], approve: edit({ message: 5 }) }).call({
      name: 'record_value',
      arguments: { message: 'a' },
    });
    expect(result).toMatchObject({ ok: false, code: 'invalid_arguments' });
    expect(recorded).toEqual([]);
  });

  test('denials included', async () => {
    const { tool, recorded } = recorder();
    const rules = [{ decision: 'deny', arguments: { message: 'secret' } }] as const;
    const result = await createRouter({ tools: [tool], rules, approve: edit({ message: 'Secret' }) }).call({
      name: 'record_value',
      arguments: { message: 'a' },
    });
    expect(result).toMatchObject({ ok: false, code: 'denied' });
    expect(recorded).toEqual([]);
  });

  test('and nobody can edit for ever', async () => {
    const { tool } = recorder();
    let count = 0;
    const rules = [{ decision: 'ask' }] as const;
    const approve = () => ({ decision: 'allow', arguments: { message: `edit ${count++}` } }) as const;
    // A stage that makes something else of every edit, so that it has to be asked about again.
    const stamp = step((_: Found) => ({ args: { message: `stamped ${count}`, times: 1 } }));
    const pipeline = defaultPipeline({ rules, approve }).after('validate', 'stamp', stamp);
    const result = await createRouter({ tools: [tool], pipeline }).call({
      name: 'record_value',
      arguments: { message: 'a' },
    });
    expect(result).toMatchObject({ ok: false, code: 'internal' });
    expect(count).toBe(4);
  });
});

describe('behind the path guard', () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'permission-')));
    await writeFile(join(root, 'a.txt'), 'old');
    await writeFile(join(root, '.env'), 'KEY=1');
    await symlink('.env', join(root, 'harmless.txt'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = defineTool({
    name: 'write_file',
    description: 'Writes a file.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, text: { type: 'string' } },
      required: ['path', 'text'],
    },
    paths: { path: 'write' },
    permission: 'write',
    preview: async ({ path, text }, { fs }) => `- ${(await fs.readText(path)).text}\n+ ${text}`,
    handler: async ({ path, text }, { fs }) => {
      await fs.writeText(path, text);
      return path;
    },
  }) as unknown as Tool;

  test('the approver sees the real path, the effect and the difference', async () => {
    const approve = vi.fn((_request: ApprovalRequest) => true);
    const result = await createRouter({ tools: [write], roots: [root], approve }).call({
      name: 'write_file',
      arguments: { path: './sub/../a.txt', text: 'new' },
    });
    expect(result).toMatchObject({ ok: true, data: 'a.txt' });
    expect(approve.mock.calls[0]?.[0]).toMatchObject({
      arguments: { path: 'a.txt', text: 'new' },
      effects: [{ kind: 'fs.write', path: join(root, 'a.txt') }],
      preview: '- old\n+ new',
    });
  });

  test('a rule about the real path holds for the link that leads there', async () => {
    const rules = [{ decision: 'deny', arguments: { path: { path: '**/.env' } } }] as const;
    const result = await createRouter({ tools: [write], roots: [root], mode: 'trusted', rules }).call({
      name: 'write_file',
      arguments: { path: 'harmless.txt', text: 'x' },
    });
    expect(result).toMatchObject({ ok: false, code: 'denied' });
  });

  test('an approver who edits the path to a link is asked again about where it leads', async () => {
    const approve = vi.fn(({ arguments: args }: ApprovalRequest) =>
      (args as { path: string }).path === 'a.txt'
        ? ({ decision: 'allow', arguments: { path: 'harmless.txt', text: 'x' } } as const)
        : false,
    );
    const result = await createRouter({ tools: [write], roots: [root], approve }).call({
      name: 'write_file',
      arguments: { path: 'a.txt', text: 'x' },
    });
    expect(result).toMatchObject({ code: 'denied', details: { reason: 'declined' } });
    expect(approve.mock.calls.map(([{ arguments: args }]) => (args as { path: string }).path)).toEqual([
      'a.txt',
      '.env',
    ]);
  });

  test('an approver who edits the path to another file is not', async () => {
    const approve = vi.fn(
      (_request: ApprovalRequest) => ({ decision: 'allow', arguments: { path: 'b.txt', text: 'x' } }) as const,
    );
    const result = await createRouter({ tools: [write], roots: [root], approve }).call({
      name: 'write_file',
      arguments: { path: 'a.txt', text: 'x' },
    });
    expect(result).toMatchObject({ ok: true, data: 'b.txt' });
    expect(approve).toHaveBeenCalledTimes(1);
  });
});

describe('command lines', () => {
  const ran: string[] = [];
  const shell = defineTool({
    name: 'run_shell',
    description: 'Runs a command line.',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    permission: 'execute',
    handler: ({ command }) => ran.push(command),
  });
  const rules = [
    {
      decision: 'allow',
      tool: 'run_shell',
      arguments: { command: { command: [['echo'], ['ls'], ['git', 'status'], ['find']] } },
    },
  ] as const;

  test('what runs more than the rule says does not run without asking', async () => {
    const approve = vi.fn(() => false);
    const router = createRouter({ tools: [shell], rules, approve });
    const bad = [
      'echo *; rm -rf victim',
      'ls && touch x',
      'ls\ntouch x',
      'git statusfoo',
      'find . -exec touch x +',
      'X=1 ls',
      'echo x > y',
    ];
    for (const command of bad) {
      expect(await router.call({ name: 'run_shell', arguments: { command } }), command).toMatchObject({
        code: 'denied',
      });
    }
    expect(approve).toHaveBeenCalledTimes(bad.length);
    expect(ran).toEqual([]);
    for (const command of ['git status', 'ls', 'ls -l src', 'echo hello']) {
      expect(await router.call({ name: 'run_shell', arguments: { command } }), command).toMatchObject({ ok: true });
    }
    expect(approve).toHaveBeenCalledTimes(bad.length);
  });
});

describe('switching permission off', () => {
  test('is written so that it can be searched for', async () => {
    const { tool } = recorder();
    const pipeline = defaultPipeline().replace('permission', allowAll());
    const result = await createRouter({ tools: [tool], pipeline, mode: 'plan' }).call({
      name: 'record_value',
      arguments: { message: 'a' },
    });
    expect(result.ok).toBe(true);
  });

  test('or by taking the guard out, which is refused', () => {
    expect(() => defaultPipeline().without('permission' as never)).toThrow('permission');
  });
});
