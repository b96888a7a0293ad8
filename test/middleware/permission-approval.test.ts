import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type PermissionOptions, permission } from '../../middleware/permission.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import type { ApprovalAnswer, ApprovalRequest, PendingApproval } from '../../src/policy/approval.ts';
import { policy } from '../../src/policy/policy.ts';
import { memoryStore } from '../../src/policy/store.ts';
import { createRegistry } from '../../src/registry.ts';
import { causeOf, type Failure } from '../../src/result.ts';
import { createRouter } from '../../src/router.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { Tool } from '../../src/tool.ts';
import type { Effect } from '../../src/types.ts';
import { look, readyFor, type Situation, toolOf } from '../policy/stand-in.ts';

type Outcome = Promise<(Failure & { args?: unknown }) | undefined>;

const asked = (options: PermissionOptions, situation: Situation = {}): Outcome =>
  look(permission(options), readyFor(situation)) as Outcome;

/** An answer that the test gives when it wants to. */
function question() {
  const requests: ApprovalRequest[] = [];
  const answers: ((answer: unknown) => void)[] = [];
  const approve = (request: ApprovalRequest): Promise<ApprovalAnswer> => {
    requests.push(request);
    return new Promise((resolve) => answers.push(resolve as (answer: unknown) => void));
  };
  const wasAsked = () => vi.waitFor(() => expect(requests.length).toBeGreaterThan(0));
  return { requests, answers, approve, wasAsked };
}

describe('what the approver is shown', () => {
  const tool = toolOf({
    permission: 'write',
    source: 'files',
    tags: ['disk'],
    annotations: { destructive: true },
    preview: (args) => `- old\n+ ${(args as { text: string }).text}`,
  });
  const args = { path: 'a.txt', text: 'new', options: { mkdirs: true } };
  const effects: Effect[] = [{ kind: 'fs.write', path: 'a.txt' }];

  test('is the tool, the arguments, the effects, the reason and a preview', async () => {
    let shown: ApprovalRequest | undefined;
    await asked(
      {
        approve: (request) => {
          shown = request;
          return true;
        },
      },
      { tool, args, effects },
    );
    expect(shown).toEqual({
      version: 1,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      identity: expect.stringMatching(/^[0-9a-f]{64}$/),
      callId: 'c1',
      run: { id: 'run_1', mode: 'ask' },
      tool: 'write_file',
      description: 'Writes a file.',
      level: 'write',
      source: 'files',
      tags: ['disk'],
      annotations: { destructive: true },
      arguments: args,
      effects,
      reason: 'mode "ask" asks before tools of level "write"',
      rule: 'mode ask',
      preview: '- old\n+ new',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
  });

  test('is frozen all the way down, and nothing of the tool is frozen with it', async () => {
    const tags = ['disk'];
    await asked(
      {
        approve: (request) => {
          expect(
            [request, request.run, request.arguments, request.effects, request.effects[0], request.tags].every(
              Object.isFrozen,
            ),
          ).toBe(true);
          expect(Object.isFrozen((request.arguments as typeof args).options)).toBe(true);
          return true;
        },
      },
      { tool: { ...tool, tags }, args, effects },
    );
    expect(Object.isFrozen(tags)).toBe(false);
  });

  test('names the rule that asks, and its reason', async () => {
    const approve = vi.fn(() => true);
    await asked({ rules: [{ decision: 'ask', name: 'paid', reason: 'it costs money' }], approve }, { mode: 'trusted' });
    expect(approve).toHaveBeenCalledWith(expect.objectContaining({ rule: 'paid', reason: 'it costs money' }), {
      signal: expect.any(AbortSignal),
    });
  });

  test.each<[string, Tool['preview'], object]>([
    [
      'throws',
      () => {
        throw new Error('no such file');
      },
      { preview: "The tool's preview failed: no such file", previewFailed: true },
    ],
    [
      'rejects with a string',
      () => Promise.reject('x'),
      { preview: expect.stringContaining('failed'), previewFailed: true },
    ],
    ['shows a function', () => () => 1, { preview: expect.stringContaining('failed'), previewFailed: true }],
    [
      'shows a cycle',
      () => {
        const a: unknown[] = [];
        a.push(a);
        return a;
      },
      { previewFailed: true },
    ],
    ['shows data', async () => ({ bytes: 3 }), { preview: '{\n  "bytes": 3\n}' }],
    [
      'changes the arguments',
      (shown) => {
        (shown as { path: string }).path = 'evil';
        return 'ok';
      },
      { preview: 'ok' },
    ],
  ])('a preview that %s', async (_, preview, expected) => {
    const approve = vi.fn((_request: ApprovalRequest) => true);
    const outcome = await asked(
      { approve },
      { tool: toolOf({ preview: preview as NonNullable<Tool['preview']> }), args },
    );
    expect(approve.mock.calls[0]?.[0]).toMatchObject({ ...expected, arguments: args });
    expect(outcome?.args).toEqual(args);
  });

  test('a preview that shows nothing is none', async () => {
    const approve = vi.fn((_request: ApprovalRequest) => true);
    await asked({ approve }, { tool: toolOf({ preview: () => undefined }) });
    expect(approve.mock.calls[0]?.[0]).not.toHaveProperty('preview');
  });

  test('a preview can look at files and not change them', async () => {
    const touched: string[] = [];
    const fs = new Proxy({}, { get: (_, operation) => async () => touched.push(String(operation)) });
    const preview: Tool['preview'] = async (_, context) => {
      await context.fs?.readText('a.txt');
      const failures = await Promise.allSettled([
        context.fs?.writeText('a.txt', ''),
        context.fs?.remove('a.txt'),
        context.fs?.rename('a.txt', 'b'),
        context.fs?.mkdir('b'),
        context.fs?.open('a.txt', 'replace'),
      ]);
      expect(() => context.fs?.cwdFor('a.txt')).toThrow('may not start a program');
      return failures.map((one) => one.status).join();
    };
    const approve = vi.fn((_request: ApprovalRequest) => true);
    const ctx = Object.assign(readyFor({ tool: toolOf({ preview }) }), { fs });
    await look(permission({ approve }), ctx as never);
    expect(approve.mock.calls[0]?.[0].preview).toBe(Array(5).fill('rejected').join());
    expect(touched).toEqual(['readText']);
  });
});

describe('the answer', () => {
  test.each<[string, unknown]>([
    ['true', true],
    ['allow', 'allow'],
    ['an allowance', { decision: 'allow' }],
    ['an allowance with a reason', { decision: 'allow', reason: 'fine' }],
    ['an allowance without edited arguments', { decision: 'allow', arguments: undefined }],
  ])('%s lets the call pass, with its arguments frozen', async (_, answer) => {
    const args = { path: 'a.txt', nested: [{}] };
    const outcome = await asked({ approve: async () => answer as ApprovalAnswer }, { args });
    expect(outcome).toEqual({ args });
    expect(outcome?.args).not.toBe(args);
    expect(Object.isFrozen((outcome as { args: typeof args }).args.nested[0])).toBe(true);
  });

  test.each<[string, unknown]>([
    ['false', false],
    ['deny', 'deny'],
    ['null', null],
    ['a word it does not know', 'yes'],
    ['a word in capitals', 'ALLOW'],
    ['one', 1],
    ['an empty object', {}],
    ['a decision it does not know', { decision: 'approved' }],
    ['a decision of true', { decision: true }],
    ['a denial with arguments', { decision: 'deny', arguments: {} }],
    ['a list', ['allow']],
    ['allowed: true', { allowed: true }],
  ])('%s is a denial (R7)', async (_, answer) => {
    for (const approve of [async () => answer, () => answer]) {
      expect(await asked({ approve: approve as never })).toMatchObject({
        code: 'denied',
        effect: 'none',
        error: expect.stringContaining('The user declined this call. Do not repeat'),
        details: { reason: 'declined' },
      });
    }
  });

  test('a reason is told to the model', async () => {
    const outcome = await asked({ approve: () => ({ decision: 'deny', reason: 'use the test folder' }) });
    expect(outcome?.error).toContain('The user declined this call: use the test folder.');
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('terminal gone');
      },
    ],
    ['rejects', () => Promise.reject(new Error('terminal gone'))],
    [
      'throws undefined',
      () => {
        throw undefined;
      },
    ],
    [
      'answers with an object that throws when read',
      () => ({
        get decision() {
          throw new Error('terminal gone');
        },
      }),
    ],
    [
      'changes what it was shown',
      (...shown: unknown[]) => {
        (shown[0] as { tool: string }).tool = 'x';
        return true;
      },
    ],
  ])('an approver that %s: denied (R7)', async (_, approve) => {
    const outcome = (await asked({ approve: approve as never })) as Failure;
    expect(outcome).toMatchObject({ code: 'denied', details: { reason: 'approver_failed' } });
    expect(JSON.stringify(outcome)).not.toContain('terminal gone');
    if (_ === 'rejects') expect(causeOf(outcome)).toEqual(new Error('terminal gone'));
  });

  test('nobody there: approval_required, with the pending approval as plain data', async () => {
    const outcome = await asked({}, { args: { path: 'a.txt' } });
    expect(outcome).toMatchObject({ code: 'approval_required', effect: 'none', details: { reason: 'no_approver' } });
    const { pending } = (outcome as Failure).details as { pending: PendingApproval };
    expect(pending).toMatchObject({ tool: 'write_file', arguments: { path: 'a.txt' }, callId: 'c1' });
    expect(JSON.parse(JSON.stringify(pending))).toEqual(pending);
  });

  test('undefined is no answer: approval_required, as if nobody had been there, and kept for later', async () => {
    const approvals = memoryStore();
    for (const approve of [() => undefined, async () => undefined]) {
      const outcome = (await asked({ approve, approvals })) as Failure;
      expect(outcome).toMatchObject({ code: 'approval_required', effect: 'none', details: { reason: 'no_approver' } });
      const { pending } = outcome.details as { pending: PendingApproval };
      expect(approvals.load(pending.id)).toEqual(pending);
    }
  });

  test('arguments that cannot be shown cannot be approved', async () => {
    const approve = vi.fn(() => true);
    expect(await asked({ approve }, { args: { at: new Map() } })).toMatchObject({
      code: 'denied',
      details: { reason: 'not_presentable' },
    });
    expect(approve).not.toHaveBeenCalled();
  });

  test('dates and big integers can be approved', async () => {
    const args = { at: new Date(5), count: 10n };
    const outcome = await asked(
      {
        approve: ({ arguments: shown }) => {
          (shown as typeof args).at.setTime(9);
          return true;
        },
      },
      { args },
    );
    expect(outcome?.args).toEqual({ at: new Date(5), count: 10n });
  });
});

describe('waiting', () => {
  let clock = fakeClock();
  beforeEach(() => {
    clock = fakeClock();
  });

  test('ends at the time for answers, with a denial and no timer left (R7)', async () => {
    const outcome = asked({ approve: () => new Promise(() => {}), approveTimeout: 5000, clock });
    await clock.untilPending();
    await clock.advance(4999);
    expect(clock.pending()).toHaveLength(1);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ code: 'denied', details: { reason: 'approval_timeout' } });
    expect(clock.pending()).toEqual([]);
  });

  test('sets no timer without a time for answers', async () => {
    const { approve, answers, wasAsked } = question();
    const outcome = asked({ approve, clock });
    await wasAsked();
    expect(clock.pending()).toEqual([]);
    await clock.advance(1e9);
    answers[0]?.(true);
    expect(await outcome).toEqual({ args: {} });
  });

  test('does not listen to an answer that comes too late', async () => {
    const { approve, answers } = question();
    const outcome = asked({ approve, approveTimeout: 10, clock });
    await clock.untilPending();
    await clock.advance(10);
    answers[0]?.(true);
    expect((await outcome)?.code).toBe('denied');
  });

  test('ends when the call is withdrawn, and the approver is told', async () => {
    const ctx = readyFor();
    let told: AbortSignal | undefined;
    const outcome = look(
      permission({
        approve: (_, { signal }) => {
          told = signal;
          return new Promise(() => {});
        },
      }),
      ctx,
    ) as Outcome;
    await vi.waitFor(() => expect(told?.aborted).toBe(false));
    ctx.abort(new DOMException('gone', 'AbortError'));
    expect(told?.aborted).toBe(true);
    expect(await outcome).toMatchObject({ ok: false, code: 'aborted', effect: 'none' });
  });

  test('an approval in the same turn as the withdrawal does not count', async () => {
    const ctx = readyFor();
    const { approve, answers, wasAsked } = question();
    const outcome = look(permission({ approve }), ctx) as Outcome;
    await wasAsked();
    answers[0]?.(true);
    ctx.abort(new DOMException('gone', 'AbortError'));
    expect((await outcome)?.code).toBe('aborted');
  });

  test('nobody is asked for a call that is withdrawn already', async () => {
    const ctx = readyFor();
    ctx.abort(new DOMException('gone', 'AbortError'));
    const approve = vi.fn(() => true);
    expect(await look(permission({ approve }), ctx)).toMatchObject({ code: 'aborted' });
    expect(approve).not.toHaveBeenCalled();
  });

  test('a preview that hangs does not keep the approver waiting for ever', async () => {
    const approve = vi.fn((_request: ApprovalRequest) => true);
    const tool = toolOf({ preview: () => new Promise(() => {}) });
    const outcome = asked({ approve, decideTimeout: 50, clock }, { tool });
    await clock.untilPending();
    await clock.advance(50);
    expect((await outcome)?.args).toEqual({});
    expect(approve.mock.calls[0]?.[0]).toMatchObject({
      previewFailed: true,
      preview: expect.stringContaining('50 ms'),
    });
    expect(clock.pending()).toEqual([]);
  });

  test('a policy that hangs has denied at the time for decisions, with no timer left', async () => {
    const hangs = policy(() => new Promise<never>(() => {}), { name: 'hangs' });
    const outcome = asked({ policies: [hangs], decideTimeout: 50, clock });
    await clock.untilPending();
    await clock.advance(49);
    expect(clock.pending()).toHaveLength(1);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ code: 'denied', details: { rule: 'deadline' } });
    const settles = policy(async () => 'allow' as const);
    expect(await asked({ policies: [settles], decideTimeout: 50, clock })).toBeUndefined();
    expect(clock.pending()).toEqual([]);
  });

  test('takes the clock of the router, and that of the default pipeline', async () => {
    const tool = toolOf();
    const approve = () => new Promise<never>(() => {});
    const options = { approve, approveTimeout: 86_400_000, clock };
    for (const router of [
      createRouter({ tools: [tool], ...options }),
      createRouter({ tools: [tool], pipeline: defaultPipeline(options) }),
    ]) {
      const outcome = router.call({ name: tool.name });
      await clock.untilPending();
      await clock.advance(86_400_000);
      expect(await outcome).toMatchObject({ code: 'denied', details: { reason: 'approval_timeout' } });
    }
  });
});

describe('one approval, one call', () => {
  test('several can be pending, each with an answer of its own (R10)', async () => {
    const { approve, answers, requests } = question();
    const stage = permission({ approve });
    const outcomes = ['c1', 'c2', 'c3'].map((id) => look(stage, readyFor({ id, args: { id } })) as Outcome);
    await vi.waitFor(() => expect(requests).toHaveLength(3));
    answers[2]?.(true);
    answers[0]?.(false);
    expect((await outcomes[2])?.args).toEqual({ id: 'c3' });
    expect((await outcomes[0])?.code).toBe('denied');
    answers[1]?.(true);
    expect((await outcomes[1])?.args).toEqual({ id: 'c2' });
  });

  test('two calls that are the same in everything are asked for one by one (R10)', async () => {
    const { approve, answers, requests } = question();
    const stage = permission({ approve });
    const outcomes = [1, 2].map(() => look(stage, readyFor({ args: { path: 'a' } })) as Outcome);
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    expect(requests[0]?.digest).toBe(requests[1]?.digest);
    expect(requests[0]?.id).not.toBe(requests[1]?.id);
    answers[0]?.(true);
    answers[1]?.(false);
    expect((await outcomes[0])?.args).toEqual({ path: 'a' });
    expect((await outcomes[1])?.code).toBe('denied');
  });

  test('an approval is not good for the next call, with the same id and other arguments or the same ones', async () => {
    const approve = vi.fn((_request: ApprovalRequest) => approve.mock.calls.length === 1);
    const stage = permission({ approve });
    expect(await look(stage, readyFor({ args: { message: 'a' } }))).toEqual({ args: { message: 'a' } });
    expect(await look(stage, readyFor({ args: { message: 'b' } }))).toMatchObject({ code: 'denied' });
    expect(await look(stage, readyFor({ args: { message: 'a' } }))).toMatchObject({ code: 'denied' });
    expect(approve).toHaveBeenCalledTimes(3);
  });
});

describe('an approval is void when anything has changed meanwhile (R9)', () => {
  const tool = toolOf({ permission: 'write' });

  test.each<[string, (ctx: ReturnType<typeof readyFor>) => void]>([
    [
      'the arguments, in place',
      (ctx) => {
        (ctx.args as { message: string }).message = 'changed-value';
      },
    ],
    ['the arguments, by others', (ctx) => Object.assign(ctx, { args: { message: 'changed-value' } })],
    ['the arguments, to something that has no form', (ctx) => Object.assign(ctx, { args: { message: () => 1 } })],
    ['the effects', (ctx) => Object.assign(ctx, { effects: [{ kind: 'fs.write', path: '/etc/passwd' }] })],
    ['the tool on the context', (ctx) => Object.assign(ctx, { tool: toolOf({ permission: 'write' }) })],
    [
      'the tool in the registry',
      (ctx) => void (ctx.registry as ReturnType<typeof createRegistry>).add(toolOf({ permission: 'write' })),
    ],
    [
      'the tool in the registry: gone',
      (ctx) => void (ctx.registry as ReturnType<typeof createRegistry>).remove('write_file'),
    ],
  ])('%s', async (_, change) => {
    const ctx = readyFor({ tool, args: { message: 'reviewed-value' } });
    const { approve, answers, wasAsked } = question();
    const outcome = look(permission({ approve }), ctx) as Outcome;
    await wasAsked();
    change(ctx);
    answers[0]?.(true);
    expect(await outcome).toMatchObject({ code: 'denied', details: { reason: 'approval_void' } });
  });

  test.each<[string, (changing: { -readonly [K in keyof Tool]: Tool[K] }) => void]>([
    [
      'its schema',
      (changing) => {
        changing.parameters = { type: 'object', properties: { more: {} } };
      },
    ],
    [
      'its description',
      (changing) => {
        changing.description = 'Now sends the file away.';
      },
    ],
    [
      'its level',
      (changing) => {
        changing.permission = 'read';
      },
    ],
  ])('the tool, in place: %s', async (_, change) => {
    const changing = { ...tool };
    const { approve, answers, wasAsked } = question();
    const outcome = asked({ approve }, { tool: changing });
    await wasAsked();
    change(changing);
    answers[0]?.(true);
    expect(await outcome).toMatchObject({ code: 'denied', details: { reason: 'approval_void' } });
  });

  test('the rules', async () => {
    const moving = { decide: () => 'ask' as const, version: '1' };
    const { approve, answers, wasAsked } = question();
    const outcome = asked({ approve, policies: [moving] });
    await wasAsked();
    moving.version = '2';
    answers[0]?.(true);
    expect((await outcome)?.details).toEqual({ reason: 'approval_void' });
  });

  test('the working directory', async () => {
    const { approve, answers, wasAsked } = question();
    const outcome = asked({ approve });
    await wasAsked();
    const elsewhere = vi.spyOn(process, 'cwd').mockReturnValue('/elsewhere');
    answers[0]?.(true);
    expect((await outcome)?.details).toEqual({ reason: 'approval_void' });
    elsewhere.mockRestore();
  });

  test('and not when only the caller’s own object has', async () => {
    const sent = { message: 'reviewed-value' };
    const ctx = readyFor({ tool, args: { ...sent } });
    Object.assign(ctx.call, { arguments: sent });
    const { approve, answers, wasAsked } = question();
    const outcome = look(permission({ approve }), ctx) as Outcome;
    await wasAsked();
    sent.message = 'changed-value';
    answers[0]?.(true);
    expect((await outcome)?.args).toEqual({ message: 'reviewed-value' });
  });
});

describe('an approver may edit the arguments', () => {
  /** A chain in small: permission, behind whatever validation and the guards make of the arguments. */
  function chain(
    options: PermissionOptions,
    ready: (args: unknown) => { args: unknown; effects?: readonly Effect[] } = (args) => ({ args }),
  ) {
    const stage = permission(options);
    const tool = toolOf({ permission: 'write' });
    const registry = createRegistry([tool]);
    const run = (args: unknown, restarted?: ReturnType<typeof readyFor>): unknown => {
      const ctx =
        restarted ?? readyFor({ tool, registry, restart: (same) => run(same.call.arguments, same as never) as never });
      const prepared = ready(args);
      Object.assign(ctx, { tool: registry.get(tool.name), ...prepared });
      return look(stage, ctx);
    };
    return { run: (args: unknown) => run(args) as Outcome, registry };
  }

  test('and is not asked again for what they wrote', async () => {
    const approve = vi.fn(() => ({ decision: 'allow', arguments: { path: 'b.txt' } }) as const);
    const outcome = await chain({ approve }).run({ path: 'a.txt' });
    expect(outcome).toEqual({ args: { path: 'b.txt' } });
    expect(Object.isFrozen(outcome?.args)).toBe(true);
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('the same arguments again are no edit', async () => {
    const { run } = chain({ approve: () => ({ decision: 'allow', arguments: { b: 2, a: 1 } }) }, (args) => ({ args }));
    expect(await run({ a: 1, b: 2 })).toEqual({ args: { a: 1, b: 2 } });
  });

  test('a schema may add its defaults to what they wrote', async () => {
    const approve = vi.fn(() => ({ decision: 'allow', arguments: { list: [{ a: 1 }] } }) as const);
    const { run } = chain({ approve }, (args) => ({ args: { mode: 'w', ...(args as object) } }));
    expect(await run({ list: [] })).toEqual({ args: { mode: 'w', list: [{ a: 1 }] } });
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test('what they wrote is copied: changing it afterwards changes nothing', async () => {
    const edited = { path: 'b.txt' };
    const { run } = chain({ approve: () => ({ decision: 'allow', arguments: edited }) }, (args) => {
      edited.path = 'evil';
      return { args };
    });
    const outcome = run({ path: 'a.txt' });
    edited.path = 'b.txt';
    expect((await outcome)?.args).toEqual({ path: 'b.txt' });
    expect(edited.path).toBe('evil');
  });

  test('a deny holds for what they wrote', async () => {
    const { run } = chain({
      approve: () => ({ decision: 'allow', arguments: { path: '.env' } }),
      rules: [{ decision: 'deny', arguments: { path: { path: '**/.env' } } }],
    });
    expect(await run({ path: 'a.txt' })).toMatchObject({ code: 'denied', details: { reason: 'policy' } });
  });

  test('they are asked again when the guards read it differently', async () => {
    const approve = vi.fn((request: ApprovalRequest) =>
      approve.mock.calls.length === 1
        ? ({ decision: 'allow', arguments: { path: 'link' } } as const)
        : (request.arguments as { path: string }).path !== 'secrets/key',
    );
    const { run } = chain({ approve }, (args) => {
      const { path } = args as { path: string };
      return { args: { path: path === 'link' ? 'secrets/key' : path } };
    });
    expect(await run({ path: 'a.txt' })).toMatchObject({ code: 'denied', details: { reason: 'declined' } });
    expect(approve).toHaveBeenCalledTimes(2);
  });

  test('they are asked again when it does something of another kind', async () => {
    const approve = vi.fn((request: ApprovalRequest) =>
      request.effects.length === 1 ? ({ decision: 'allow', arguments: { url: 'x' } } as const) : false,
    );
    const { run } = chain({ approve }, (args) => ({
      args,
      effects: [
        { kind: 'fs.write', path: 'a' },
        ...((args as { url?: string }).url ? [{ kind: 'net', host: 'x', port: 1 } as const] : []),
      ],
    }));
    expect(await run({})).toMatchObject({ code: 'denied', details: { reason: 'declined' } });
    expect(approve).toHaveBeenCalledTimes(2);
  });

  test('they are asked again when the tool has been replaced by then', async () => {
    const approve = vi.fn((_request: ApprovalRequest) =>
      approve.mock.calls.length === 1 ? ({ decision: 'allow', arguments: { a: 2 } } as const) : false,
    );
    const { run, registry } = chain({ approve }, (args) => {
      if ((args as { a: number }).a === 2) registry.add(toolOf({ permission: 'write' }));
      return { args };
    });
    expect((await run({ a: 1 }))?.code).toBe('denied');
    expect(approve).toHaveBeenCalledTimes(2);
  });

  test('their decision is used once', async () => {
    let restarted: unknown;
    const stage = permission({ approve: () => ({ decision: 'allow', arguments: { a: 2 } }) });
    const ctx = readyFor({
      args: { a: 1 },
      restart: (same) => {
        restarted = same.call.arguments;
        return same.ok('ran');
      },
    });
    await look(stage, ctx);
    const again = () => {
      const replay = readyFor({ args: restarted, restart: (same) => same.fail('tool_error', 'asked again') });
      Object.assign(replay, { tool: ctx.registry.get('write_file'), registry: ctx.registry });
      return look(permission({ approve: () => false }), replay) as Outcome;
    };
    expect((await again())?.args).toEqual({ a: 2 });
    expect((await again())?.code).toBe('denied');
  });

  test('their decision is for this call only', async () => {
    let restarted: unknown;
    const ctx = readyFor({
      restart: (same) => {
        restarted = same.call.arguments;
        return same.ok('ran');
      },
    });
    await look(permission({ approve: () => ({ decision: 'allow', arguments: { a: 2 } }) }), ctx);
    const other = readyFor({ args: restarted, id: 'c2', registry: ctx.registry as never });
    Object.assign(other, { tool: ctx.registry.get('write_file') });
    expect(await look(permission({ approve: () => false }), other)).toMatchObject({ code: 'denied' });
  });

  test('an edit that cannot be used is a denial', async () => {
    for (const edited of [{ a: () => 1 }, { a: new Map() }]) {
      const { run } = chain({ approve: () => ({ decision: 'allow', arguments: edited }) });
      expect(await run({})).toMatchObject({ code: 'denied', details: { reason: 'unusable_edit' } });
    }
  });

  test('an edit of arguments that changed meanwhile is void', async () => {
    const ctx = readyFor({ args: { a: 1 } });
    const { approve, answers, wasAsked } = question();
    const outcome = look(permission({ approve }), ctx) as Outcome;
    await wasAsked();
    (ctx.args as { a: number }).a = 3;
    answers[0]?.({ decision: 'allow', arguments: { a: 2 } });
    expect((await outcome)?.details).toEqual({ reason: 'approval_void' });
  });

  test('an edit that the rules allow needs no decision', async () => {
    const ask = policy(({ arguments: args }) => ((args as { n: number }).n > 5 ? 'ask' : 'allow'));
    const { run } = chain({ policies: [ask], approve: () => ({ decision: 'allow', arguments: { n: 1 } }) });
    expect(await run({ n: 9 })).toBeUndefined();
  });
});
