import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import type { ApprovalRequest, PendingApproval } from '../../src/policy/approval.ts';
import { replaceFile } from '../../src/policy/replace-file.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { type RuleMemory, ruleMemory } from '../../src/policy/rule-memory.ts';
import { signDecision } from '../../src/policy/signed.ts';
import { memoryStore } from '../../src/policy/store.ts';
import type { Failure } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import type { RouterOptions } from '../../src/router-options.ts';
import type { Tool } from '../../src/tool.ts';
import { requestOf } from './stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'callgate-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
let file = '';
beforeEach(() => {
  file = join(folder, `${Math.random()}`, '..', `${Math.random()}.json`);
});

const send: Tool = defineTool({
  name: 'send',
  description: 'Sends a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  permission: 'network',
  handler: ({ text }) => `sent ${text}`,
});

/** A program with somebody who gives these answers, one after the other, and then no more. */
function program(
  remember: RuleMemory | undefined,
  answers: unknown[],
  more: Partial<RouterOptions> = {},
  tool: Tool = send,
) {
  const asked: ApprovalRequest[] = [];
  const approve = (request: ApprovalRequest): never => {
    asked.push(request);
    return answers.shift() as never;
  };
  const router = createRouter({
    tools: [tool],
    approve,
    ...(remember !== undefined && { remember }),
    ...more,
  } as RouterOptions);
  return { router, asked };
}

const hello = (router: Router, text = 'hello', run?: object) =>
  router.call({ name: 'send', arguments: { text } }, run === undefined ? {} : { run });
const always = (scope: string) => ({ decision: 'allow', always: { scope } });

describe('always, for the run', () => {
  test('asks once, shows the rule before, and keeps just that', async () => {
    const { router, asked } = program(undefined, [always('run')]);
    expect(await hello(router)).toMatchObject({ ok: true });
    expect(asked[0]?.always).toEqual({
      rule: expect.objectContaining({ decision: 'allow', tool: 'send', arguments: { text: 'hello' }, only: ['text'] }),
      scopes: ['run'],
    });
    expect(Object.isFrozen(asked[0]?.always?.rule)).toBe(true);
    expect(await hello(router)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
    expect(await hello(router, 'other')).toMatchObject({ code: 'approval_required' });
    expect(asked).toHaveLength(2);
  });

  test('is for no other run, no other user and no other mode', async () => {
    const { router, asked } = program(undefined, [always('run'), undefined, undefined, undefined]);
    await hello(router, 'hello', { id: 'one', principal: 'ada' });
    expect(await hello(router, 'hello', { id: 'one', principal: 'ada' })).toMatchObject({ ok: true });
    expect(await hello(router, 'hello', { id: 'two', principal: 'ada' })).toMatchObject({ ok: false });
    expect(await hello(router, 'hello', { id: 'one', principal: 'bob' })).toMatchObject({ ok: false });
    expect(await hello(router, 'hello', { id: 'one', principal: 'ada', mode: 'auto' })).toMatchObject({ ok: false });
    expect(asked).toHaveLength(4);
    const planned = await hello(router, 'hello', { id: 'one', principal: 'ada', mode: 'plan' });
    expect(planned).toMatchObject({ code: 'denied' });
    expect(asked).toHaveLength(4);
  });

  test('a deny still wins, and a call that a rule asks about is never spared the question', async () => {
    let denying = false;
    const policies = [{ decide: () => (denying ? ('deny' as const) : undefined) }];
    const { router, asked } = program(undefined, [always('run')], { policies });
    await hello(router);
    denying = true;
    expect(await hello(router)).toMatchObject({ code: 'denied' });
    const house = program(undefined, [true], { rules: [{ decision: 'ask', tool: 'send' }] });
    await hello(house.router);
    expect(asked[0]).toHaveProperty('always');
    expect(house.asked[0]).not.toHaveProperty('always');
  });

  test('is not for a tool that has changed since', async () => {
    const { router, asked } = program(undefined, [always('run'), undefined]);
    await hello(router);
    router.registry.add({ ...send, description: 'Sends a text to everybody.' });
    expect(await hello(router)).toMatchObject({ code: 'approval_required' });
    expect(asked).toHaveLength(2);
  });

  test.each<[string, unknown, string]>([
    ['for the project, without a file', always('project'), 'not_rememberable'],
    ['for ever', always('ever'), 'approver_failed'],
    ['without a scope', { decision: 'allow', always: true }, 'approver_failed'],
    [
      'with a scope that is only inherited',
      { decision: 'allow', always: Object.create({ scope: 'run' }) },
      'approver_failed',
    ],
    ['for edited arguments', { ...always('run'), arguments: { text: 'x' } }, 'approver_failed'],
    ['with a denial', { decision: 'deny', always: { scope: 'run' } }, 'declined'],
  ])('an answer that cannot be kept runs nothing and keeps nothing: %s', async (_, answer, reason) => {
    const { router, asked } = program(undefined, [answer, undefined]);
    expect(await hello(router)).toMatchObject({ code: 'denied', details: { reason } });
    expect(await hello(router)).toMatchObject({ code: 'approval_required' });
    expect(asked).toHaveLength(2);
  });

  test('where no rule was offered, none is kept, whatever the answer says', async () => {
    const { router } = program(undefined, [always('run')], { rules: [{ decision: 'ask', tool: 'send' }] });
    expect(await hello(router)).toMatchObject({ code: 'denied', details: { reason: 'not_rememberable' } });
  });

  test('forgets the oldest of very many runs, and asks again', async () => {
    const memory = ruleMemory();
    const rule: Rule = { decision: 'allow', tool: 'write_file' };
    const run = (n: number) => ({ id: `run ${n}`, mode: 'ask' });
    for (let n = 0; n <= 1_000; n++) await memory.keep(rule, 'run', run(n));
    expect(memory.allows(requestOf({ run: run(0) }))).toBe(false);
    expect(memory.allows(requestOf({ run: run(1) }))).toBe(true);
  });
});

describe('always, for the project', () => {
  test('is written to the file as it was shown, and counts in the next process', async () => {
    const first = program(ruleMemory(file), [always('project')]);
    expect(await hello(first.router)).toMatchObject({ ok: true });
    expect(await hello(first.router)).toMatchObject({ ok: true });
    expect(first.asked).toHaveLength(1);
    const shown = first.asked[0]?.always?.rule;
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ rules: [shown] });
    const next = program(ruleMemory(file), []);
    expect(await hello(next.router)).toMatchObject({ ok: true });
    expect(await hello(next.router, 'other')).toMatchObject({ code: 'approval_required' });
    expect(next.asked).toHaveLength(1);
  });

  test('adds to what the file says already, which counts as well, and a deny in it wins', async () => {
    const deny: Rule = { decision: 'deny', tool: 'send', arguments: { text: 'rude' }, reason: 'be kind' };
    const content = { $schema: './rules.schema.json', modes: { calm: { default: 'ask' } }, rules: [deny] };
    writeFileSync(file, JSON.stringify(content));
    const { router, asked } = program(ruleMemory(file), [always('project'), always('project')]);
    expect(await hello(router, 'rude')).toMatchObject({ code: 'denied', error: expect.stringContaining('be kind') });
    await hello(router);
    await hello(router, 'second');
    const written = JSON.parse(readFileSync(file, 'utf8'));
    expect(written).toEqual({ ...content, rules: [deny, asked[0]?.always?.rule, asked[1]?.always?.rule] });
  });

  test('a file that cannot be read any more is left as it is, and the call does not run', async () => {
    const { router } = program(ruleMemory(file), [always('project'), undefined]);
    writeFileSync(file, '{"rules": [');
    expect(await hello(router)).toMatchObject({ code: 'denied', details: { reason: 'store_failed' } });
    expect(readFileSync(file, 'utf8')).toBe('{"rules": [');
    expect(existsSync(`${file}.lock`)).toBe(false);
    expect(await hello(router)).toMatchObject({ code: 'approval_required' });
    expect(() => ruleMemory(file)).toThrow(/is not JSON/);
  });

  test('of many who add at the same time, none is lost', async () => {
    const [one, other] = [ruleMemory(file), ruleMemory(file)];
    const rule = (n: number): Rule => ({ decision: 'allow', tool: `t${n}` });
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 ? one : other).keep(rule(n), 'project', { id: 'r', mode: 'ask' })),
    );
    const tools = JSON.parse(readFileSync(file, 'utf8')).rules.map(({ tool }: Rule) => tool);
    expect(tools.sort()).toEqual(Array.from({ length: 8 }, (_, n) => `t${n}`));
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  test('a rule that says anything but one allowance is not kept', async () => {
    const memory = ruleMemory();
    for (const rule of [
      { decision: 'deny', tool: 'a' },
      { decision: 'allow' },
      { decision: 'allow', tool: ['a', 'b'] },
    ]) {
      await expect(memory.keep(rule as Rule, 'run', { id: 'r', mode: 'ask' })).rejects.toThrow(TypeError);
    }
  });
});

test('a change that fails leaves the file as it was', async () => {
  writeFileSync(file, 'old');
  await expect(
    replaceFile(file, () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(readFileSync(file, 'utf8')).toBe('old');
  await replaceFile(file, (text) => `${text} and new`);
  expect(readFileSync(file, 'utf8')).toBe('old and new');
});

describe('always, decided later', () => {
  const key = 'a key that only the two processes know';
  const pendingFrom = async (router: Router): Promise<PendingApproval> =>
    ((await hello(router)) as Failure & { details: { pending: PendingApproval } }).details.pending;

  test('keeps the rule that was shown and signed', async () => {
    const approvals = memoryStore();
    const tools = [send];
    const router = createRouter({ tools, approvals });
    const pending = await pendingFrom(router);
    const signed = signDecision(pending, 'allow', key, { always: 'run' });
    expect(await router.resume(signed, { store: approvals, key })).toMatchObject({ ok: true });
    expect(await hello(router)).toMatchObject({ ok: true });
    expect(await hello(router, 'other')).toMatchObject({ code: 'approval_required' });
    const other = createRouter({ tools, pipeline: defaultPipeline() });
    expect(await hello(other)).toMatchObject({ code: 'approval_required' });
  });

  test('not for what was not offered, for a denial, or for edited arguments; and not by changing what was signed', async () => {
    const approvals = memoryStore();
    const router = createRouter({ tools: [send], approvals });
    const pending = await pendingFrom(router);
    expect(() => signDecision(pending, 'allow', key, { always: 'project' })).toThrow(/No rule was offered/);
    expect(() => signDecision(pending, 'deny', key, { always: 'run' })).toThrow(/goes with an allowance/);
    expect(() => signDecision(pending, 'allow', key, { always: 'run', arguments: { text: 'x' } })).toThrow(TypeError);
    const signed = { ...signDecision(pending, 'allow', key), always: 'run' as const };
    expect(await router.resume(signed, { store: approvals, key })).toMatchObject({
      details: { reason: 'bad_signature' },
    });
    const wider = {
      ...pending,
      always: { rule: { decision: 'allow' as const, tool: 'send' }, scopes: ['run' as const] },
    };
    const forged = signDecision(wider, 'allow', key, { always: 'run' });
    expect(await router.resume(forged, { store: approvals, key })).toMatchObject({ details: { reason: 'other_call' } });
  });
});
