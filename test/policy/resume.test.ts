import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { permission } from '../../middleware/permission.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import type { PendingApproval } from '../../src/policy/approval.ts';
import { fileStore } from '../../src/policy/file-store.ts';
import { type ResumeOptions, resume } from '../../src/policy/resume.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { type SignedDecision, signDecision } from '../../src/policy/signed.ts';
import { type ApprovalStore, memoryStore } from '../../src/policy/store.ts';
import type { Failure } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';

const key = 'a key that only the two processes know';

function situation(approvals: ApprovalStore, over: Partial<Tool> = {}, rules: readonly Rule[] = []) {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: 'send',
    description: 'Sends a text.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' }, copies: { type: 'integer', default: 1 } },
      required: ['text'],
    },
    permission: 'network',
    handler: (args) => {
      ran.push(args);
      return 'sent';
    },
  });
  const pipeline = defaultPipeline().replace('permission', permission({ approvals, rules }));
  const router = createRouter({ tools: [Object.freeze({ ...tool, ...over })], pipeline, principal: 'ada' });
  return { ran, router };
}

async function pendingFrom({ router }: ReturnType<typeof situation>, text = 'hello'): Promise<PendingApproval> {
  const result = await router.call({ id: 'c1', name: 'send', arguments: JSON.stringify({ text }) });
  expect(result).toMatchObject({ ok: false, code: 'approval_required' });
  return ((result as Failure).details as { pending: PendingApproval }).pending;
}

const reason = (result: unknown): unknown => ((result as Failure).details as { reason: unknown }).reason;

describe('a decision that comes later', () => {
  let store: ApprovalStore;
  beforeEach(() => {
    store = memoryStore();
  });

  test('about a call on nobody’s behalf is not carried out on somebody’s', async () => {
    const { ran, router } = situation(store);
    const call = { id: 'c1', name: 'send', arguments: { text: 'hello' } };
    const anonymous = createRouter({ registry: router.registry, pipeline: router.pipeline });
    const { pending } = ((await anonymous.call(call)) as Failure).details as { pending: PendingApproval };
    const signed = signDecision(pending, 'allow', key);
    expect(reason(await router.resume(signed, { store, key }))).toBe('other_call');
    expect(ran).toEqual([]);
    expect(await anonymous.resume(signed, { store, key })).toMatchObject({ ok: true });
  });

  test('gives that call its final result, with the arguments that were shown', async () => {
    const one = situation(store);
    const pending = await pendingFrom(one);
    expect(pending).toMatchObject({ arguments: { text: 'hello', copies: 1 }, run: { principal: 'ada' } });
    const result = await resume(one.router, signDecision(pending, 'allow', key), { store, key });
    expect(result).toMatchObject({ ok: true, data: 'sent', call_id: 'c1', tool_name: 'send' });
    expect(one.ran).toEqual([{ text: 'hello', copies: 1 }]);
  });

  describe('carries the call out with', () => {
    const states: unknown[] = [];
    const tool = defineTool({
      name: 'send',
      description: 'Sends a text.',
      parameters: { type: 'object', properties: {} },
      permission: 'network',
      handler: (_, { state }) => states.push(state),
    });
    const once = async (
      router: Router<{ user: string } | undefined>,
      more: { state?: { user: string } | undefined },
    ) => {
      states.length = 0;
      const result = (await router.call({ name: 'send', arguments: {} }, { state: { user: 'first' } })) as Failure;
      const { pending } = result.details as { pending: PendingApproval };
      const resumed = await router.resume(signDecision(pending, 'allow', key), { store, key, ...more });
      expect(resumed).toMatchObject({ ok: true });
      return states;
    };
    const routerOf = () =>
      createRouter<{ user: string } | undefined>({ tools: [tool], approvals: store, state: { user: 'own' } });

    test('the state that resume is given', async () => {
      expect(await once(routerOf(), { state: { user: 'ada' } })).toEqual([{ user: 'ada' }]);
    });

    test('the router’s without one', async () => {
      expect(await once(routerOf(), {})).toEqual([{ user: 'own' }]);
    });

    test('none where none is what it is given, as in a call', async () => {
      expect(await once(routerOf(), { state: undefined })).toEqual([undefined]);
    });
  });

  test('is not looked at with an option that does not exist, and can still be used', async () => {
    const one = situation(store);
    const signed = signDecision(await pendingFrom(one), 'allow', key);
    const wrong = await one.router.resume(signed, { store, key, stat: {} } as object as ResumeOptions);
    expect(wrong).toMatchObject({ ok: false, code: 'internal', effect: 'none' });
    expect(wrong.error).toContain('resume() has no option "stat"');
    expect(await one.router.resume(signed, undefined as never)).toMatchObject({ ok: false, code: 'internal' });
    expect(one.ran).toEqual([]);
    expect(await one.router.resume(signed, { store, key })).toMatchObject({ ok: true });
  });

  test('is used once, also by two at the same time', async () => {
    const one = situation(store);
    const signed = signDecision(await pendingFrom(one), 'allow', key);
    const results = await Promise.all([1, 2, 3].map(() => resume(one.router, signed, { store, key })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.filter(({ ok }) => !ok).map(reason)).toEqual(['used', 'used']);
    expect(one.ran).toHaveLength(1);
  });

  test('may be a denial, whatever the rules say by then', async () => {
    const one = situation(store);
    const signed = signDecision(await pendingFrom(one), 'deny', key, { reason: 'not today' });
    const result = await resume(situation(store, {}, [{ decision: 'allow' }]).router, signed, { store, key });
    expect(result).toMatchObject({
      code: 'denied',
      call_id: 'c1',
      tool_name: 'send',
      error: 'The user declined this call: not today. Nothing was done.',
    });
    expect(reason(await resume(one.router, signed, { store, key }))).toBe('used');
    expect(one.ran).toEqual([]);
  });

  test('may edit the arguments, which pass validation and the rules again', async () => {
    const one = situation(store, {}, [{ decision: 'deny', arguments: { text: 'rude' } }]);
    const edited = async (args: unknown) =>
      resume(one.router, signDecision(await pendingFrom(one), 'allow', key, { arguments: args }), { store, key });
    expect(await edited({ text: 'kinder' })).toMatchObject({ ok: true });
    expect(await edited({ text: 5 })).toMatchObject({ code: 'invalid_arguments' });
    expect(await edited({ text: 'rude' })).toMatchObject({ code: 'denied' });
    expect(one.ran).toEqual([{ text: 'kinder', copies: 1 }]);
  });

  test.each<[string, (signed: SignedDecision) => unknown, string]>([
    ['another decision', (signed) => ({ ...signed, decision: 'allow' }), 'bad_signature'],
    ['other arguments', (signed) => ({ ...signed, arguments: { text: 'evil' } }), 'bad_signature'],
    ['a later end', (signed) => ({ ...signed, expires: '2999-01-01T00:00:00.000Z' }), 'bad_signature'],
    ['no signature', ({ signature, ...signed }) => signed, 'bad_signature'],
    ['a signature of another length', (signed) => ({ ...signed, signature: 'ab' }), 'bad_signature'],
    ['a signature that is no text', (signed) => ({ ...signed, signature: [signed.signature] }), 'bad_signature'],
    ['another id', (signed) => ({ ...signed, id: 'other' }), 'unknown'],
    ['an id that is a path', (signed) => ({ ...signed, id: '../../etc/passwd' }), 'unknown'],
    ['nothing at all', () => null, 'store_failed'],
  ])('that was changed does not count: %s', async (_, change, expected) => {
    const one = situation(store);
    const signed = signDecision(await pendingFrom(one), 'deny', key);
    const result = await resume(one.router, change(signed) as SignedDecision, { store, key });
    expect(result).toMatchObject({ code: 'denied', details: { reason: expected } });
    expect(one.ran).toEqual([]);
  });

  test('that was signed with another key does not count, and uses nothing up', async () => {
    const one = situation(store);
    const pending = await pendingFrom(one);
    const forged = signDecision(pending, 'allow', `${key} not`);
    expect(reason(await resume(one.router, forged, { store, key }))).toBe('bad_signature');
    expect(await resume(one.router, signDecision(pending, 'allow', key), { store, key })).toMatchObject({ ok: true });
  });

  test('about another pending call does not count', async () => {
    const one = situation(store);
    const [first, second] = [await pendingFrom(one, 'a'), await pendingFrom(one, 'b')];
    const mixed: ApprovalStore = { ...store, load: () => second };
    expect(reason(await resume(one.router, signDecision(first, 'allow', key), { store: mixed, key }))).toBe(
      'other_call',
    );
  });

  test('does not count after its end', async () => {
    const one = situation(store);
    const signed = signDecision(await pendingFrom(one), 'allow', key, { validFor: 1000 });
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(signed.expires));
    expect(reason(await resume(one.router, signed, { store, key }))).toBe('expired');
    clock.mockRestore();
  });

  test.each<[string, Partial<Tool>, Rule[]]>([
    ['the description of the tool', { description: 'Sends a text to everybody.' }, []],
    ['the schema of the tool', { parameters: { type: 'object', properties: { text: { type: 'string' } } } }, []],
    ['the source of the tool', { source: 'elsewhere' }, []],
    ['the rules', {}, [{ decision: 'ask', tool: 'other' }]],
  ])('is void when %s changed meanwhile', async (_, over, rules) => {
    const signed = signDecision(await pendingFrom(situation(store)), 'allow', key);
    const after = situation(store, over, rules);
    expect(reason(await resume(after.router, signed, { store, key }))).toBe('approval_void');
    expect(after.ran).toEqual([]);
  });

  test('an edit of it is asked about again when the rules changed meanwhile', async () => {
    const signed = signDecision(await pendingFrom(situation(store)), 'allow', key, { arguments: { text: 'b' } });
    const after = situation(store, {}, [{ decision: 'ask', tool: 'other' }]);
    expect(await resume(after.router, signed, { store, key })).toMatchObject({ code: 'approval_required' });
  });

  test('does not get past a rule that denies by then', async () => {
    const signed = signDecision(await pendingFrom(situation(store)), 'allow', key);
    const after = situation(store, {}, [{ decision: 'deny', tool: 'send' }]);
    expect(await resume(after.router, signed, { store, key })).toMatchObject({
      code: 'denied',
      details: { reason: 'policy' },
    });
  });

  test.each<[string, Partial<ApprovalStore>]>([
    [
      'throws when asked',
      {
        load: () => {
          throw new Error('disk');
        },
      },
    ],
    ['throws when used', { use: () => Promise.reject(new Error('disk')) }],
    ['does not say', { use: () => undefined as never }],
    ['says something else', { use: () => 'yes' as never }],
  ])('a store that %s: nothing runs', async (_, broken) => {
    const one = situation(store);
    const signed = signDecision(await pendingFrom(one), 'allow', key);
    const result = await resume(one.router, signed, { store: { ...store, ...broken }, key });
    expect(result).toMatchObject({ code: 'denied' });
    expect(one.ran).toEqual([]);
  });

  test('a store that cannot keep what is pending: denied', async () => {
    const full: ApprovalStore = { ...store, save: () => Promise.reject(new Error('disk full')) };
    const result = await situation(full).router.call({ name: 'send', arguments: { text: 'a' } });
    expect(result).toMatchObject({ code: 'denied', details: { reason: 'store_failed' } });
  });

  test('misuse is refused where it is signed', async () => {
    const pending = await pendingFrom(situation(store));
    expect(() => signDecision(pending, 'allow', 'short')).toThrow('at least 32 bytes');
    expect(() => signDecision(pending, 'yes' as never, key)).toThrow('allow or deny');
    expect(() => signDecision(pending, 'allow', key, { validFor: 0 })).toThrow('validFor');
    expect(() => signDecision(pending, 'allow', key, { arguments: { a: () => 1 } })).toThrow('no canonical form');
  });
});

describe('a store of files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'approvals-'));
    await chmod(folder, 0o700);
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('lasts: a decision is carried out after a restart, and not again after the next', async () => {
    const pending = await pendingFrom(situation(fileStore(folder)));
    const signed = signDecision(pending, 'allow', key);
    const restarted = situation(fileStore(folder));
    expect(await resume(restarted.router, signed, { store: fileStore(folder), key })).toMatchObject({ ok: true });
    const again = situation(fileStore(folder));
    expect(reason(await resume(again.router, signed, { store: fileStore(folder), key }))).toBe('used');
    expect([restarted.ran.length, again.ran.length]).toEqual([1, 0]);
  });

  test.each(['never-saved', '../approvals', ''])('has nothing under the id %j, and lets nobody use it', async (id) => {
    const store = fileStore(folder);
    expect([await store.load(id), await store.use(id)]).toEqual([undefined, false]);
  });

  test('lets one of many use an approval', async () => {
    const pending = await pendingFrom(situation(fileStore(folder)));
    const uses = await Promise.all(Array.from({ length: 20 }, () => fileStore(folder).use(pending.id)));
    expect(uses.filter(Boolean)).toHaveLength(1);
  });

  test('lets one of several processes use an approval, and another process decide', { timeout: 60_000 }, async () => {
    const one = situation(fileStore(folder));
    const pending = await pendingFrom(one);
    const run = async (script: string): Promise<unknown> => {
      const here = fileURLToPath(new URL('../../src/policy/index.ts', import.meta.url));
      const code = `import { fileStore, signDecision } from ${JSON.stringify(here)};
        const [folder, id, key] = process.argv.slice(1);
        const store = fileStore(folder);
        console.log(JSON.stringify(${script}));`;
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--import',
        'tsx',
        '--input-type=module',
        '-e',
        code,
        folder,
        pending.id,
        key,
      ]);
      return JSON.parse(stdout);
    };
    const signed = await run(`signDecision(await store.load(id), 'allow', key, { by: 'ada' })`);
    expect(await resume(one.router, signed as SignedDecision, { store: fileStore(folder), key })).toMatchObject({
      ok: true,
    });

    const another = await pendingFrom(one);
    const uses = await Promise.all([1, 2, 3].map(() => run(`await store.use(${JSON.stringify(another.id)})`)));
    expect(uses.filter(Boolean)).toHaveLength(1);
  });

  test('keeps what was changed on disk from running', async () => {
    const one = situation(fileStore(folder));
    const pending = await pendingFrom(one);
    const signed = signDecision(pending, 'allow', key);
    const path = join(folder, `${pending.id}.json`);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('hello', 'other'));
    expect(reason(await resume(one.router, signed, { store: fileStore(folder), key }))).toBe('other_call');
    expect(one.ran).toEqual([]);
  });

  test('is for its owner only, and never overwrites', async () => {
    const inner = join(folder, 'deeper');
    const store = fileStore(inner);
    const pending = await pendingFrom(situation(store));
    if (process.platform !== 'win32') {
      expect((await stat(inner)).mode & 0o777).toBe(0o700);
      expect((await stat(join(inner, `${pending.id}.json`))).mode & 0o777).toBe(0o600);
    }
    await expect(store.save(pending)).rejects.toThrow('EEXIST');
  });

  test.each(['../escape', 'a/b', '', '.', 'a.json', 'a\0b', 'x'.repeat(65)])(
    'takes no id that is not one: %j',
    async (id) => {
      const store = fileStore(folder);
      expect(await store.load(id)).toBeUndefined();
      expect(await store.use(id)).toBe(false);
      await expect(store.save({ id } as PendingApproval)).rejects.toThrow('needs an id');
      expect(await readdir(folder)).toEqual([]);
    },
  );
});
