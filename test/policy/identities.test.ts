import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { permission } from '../../middleware/permission.ts';
import { toolDigest } from '../../src/policy/digest.ts';
import { fileIdentities, type Identities, type IdentityStore, memoryIdentities } from '../../src/policy/identities.ts';
import { createRouter } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';
import { toolOf } from './stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'callgate-identities-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lookup = toolOf({ name: 'look_up', permission: 'read', source: 'wiki', handler: () => 'found' });

/** A program that has these tools, with somebody who answers. */
function program(tool: Tool, identities: Identities, answer: unknown = true, mode = 'trusted') {
  const asked: string[] = [];
  const approve = ({ reason }: { reason: string }): never => {
    asked.push(reason);
    return answer as never;
  };
  const router = createRouter({ tools: [tool], identities, approve, mode });
  return { asked, router, call: () => router.call({ name: tool.name, arguments: {} }) };
}

describe('a tool from elsewhere', () => {
  test.each<[string, Partial<Tool>]>([
    ['description', { description: 'Looks up, and tells everybody.' }],
    ['schema', { parameters: { type: 'object', properties: { note: { type: 'string' } } } }],
    ['level', { permission: 'write' }],
    ['hints', { annotations: { openWorld: false } }],
    ['tags', { tags: ['safe'] }],
  ])('is asked about again when its %s has changed, in every mode, and then known', async (_, change) => {
    const store = memoryIdentities();
    expect(await program(lookup, { store, firstUse: 'trust' }).call()).toMatchObject({ ok: true });
    const after = program(toolOf({ ...lookup, ...change }), { store, firstUse: 'trust' });
    expect(await after.call()).toMatchObject({ ok: true });
    expect(await after.call()).toMatchObject({ ok: true });
    expect(after.asked).toEqual(['what look_up from wiki says of itself has changed since it was approved']);
    const back = program(lookup, { store, firstUse: 'trust' }, false);
    expect(await back.call()).toMatchObject({ code: 'denied' });
    expect(await back.call()).toMatchObject({ code: 'denied' });
    expect(back.asked).toHaveLength(2);
  });

  test('is asked about before its first use, where that is not trusted', async () => {
    const store = memoryIdentities();
    const no = program(lookup, { store, firstUse: 'ask' }, Promise.resolve(undefined));
    expect(await no.call()).toMatchObject({ code: 'approval_required' });
    const yes = program(lookup, { store, firstUse: 'ask' });
    expect(await yes.call()).toMatchObject({ ok: true });
    expect(await yes.call()).toMatchObject({ ok: true });
    expect(yes.asked).toEqual(['look_up from wiki has not been used before']);
  });

  test('is another one under the same name from another source', async () => {
    const store = memoryIdentities();
    await program(lookup, { store, firstUse: 'ask' }).call();
    const other = program(toolOf({ ...lookup, source: 'evil' }), { store, firstUse: 'ask' }, false);
    expect(await other.call()).toMatchObject({ code: 'denied' });
  });

  test('is never let through by drift where the mode would stop it, nor offered', async () => {
    const store = memoryIdentities();
    const write = toolOf({ ...lookup, permission: 'write' });
    const planned = program(write, { store, firstUse: 'ask' }, true, 'plan');
    expect(await planned.call()).toMatchObject({ code: 'denied' });
    expect(planned.asked).toEqual([]);
    expect(await planned.router.schemas('openai')).toEqual([]);
  });

  test('of the program itself is not asked about', async () => {
    const own = program(toolOf({ permission: 'read' }), { store: memoryIdentities(), firstUse: 'ask' }, false);
    expect(await own.call()).toMatchObject({ ok: true });
  });

  test.each<[string, Partial<IdentityStore>]>([
    [
      'cannot be read',
      {
        get: () => {
          throw new Error('gone');
        },
      },
    ],
    ['cannot be read later', { get: () => Promise.reject(new Error('gone')) }],
    ['cannot be written', { set: () => Promise.reject(new Error('gone')) }],
    ['knows nonsense', { get: () => 5 as never }],
  ])('does not run when the store %s', async (_, broken) => {
    for (const firstUse of ['ask', 'trust'] as const) {
      const store = { ...memoryIdentities(), ...broken };
      expect(await program(lookup, { store, firstUse }, false).call()).toMatchObject({ code: 'denied' });
    }
    const store = { ...memoryIdentities(), ...broken };
    if (!('get' in broken))
      expect(await program(lookup, { store, firstUse: 'ask' }).call()).toMatchObject({ code: 'denied' });
  });
});

describe('a store in a file', () => {
  const path = join(folder, 'tools.json');

  test('lasts', async () => {
    await fileIdentities(path).set('wiki', 'look_up', toolDigest(lookup));
    await fileIdentities(path).set('wiki', 'other', 'a'.repeat(64));
    const store = fileIdentities(path);
    expect(store.get('wiki', 'look_up')).toBe(toolDigest(lookup));
    expect(store.get('wiki', 'other')).toBe('a'.repeat(64));
    expect(store.get('wik', 'ilook_up')).toBeUndefined();
    expect(store.get('__proto__', 'constructor')).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toContain('[\\"wiki\\",\\"look_up\\"]');
  });

  test.each(['{', '[1]', '{"a":"b"}', 'null', '5'])('that holds %s is refused', (text) => {
    writeFileSync(path, text);
    expect(() => fileIdentities(path)).toThrow(TypeError);
  });
});

test('what a first use means must be said', () => {
  const store = memoryIdentities();
  expect(() => permission({ identities: { store } as Identities })).toThrow(/firstUse/);
  expect(() => permission({ identities: { store: {}, firstUse: 'ask' } as Identities })).toThrow(/get and set/);
  expect(() => permission({ identities: { store, firstUse: 'ask', more: 1 } as Identities })).toThrow(
    /no option "more"/,
  );
});
