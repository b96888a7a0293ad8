import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter, defaultPipeline, defineTool } from 'callgate';
import { strayPaths } from 'callgate/mcp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'callgate-stray-')));
  await writeFile(join(root, 'a.txt'), 'a');
});

afterAll(() => rm(root, { recursive: true }));

const open = defineTool({
  name: 'open',
  description: 'Opens whatever it is given.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  permission: 'read',
  paths: { path: 'read' },
  handler: (args) => args as never,
});

function routed(rules: readonly object[] = []) {
  const pipeline = defaultPipeline({ roots: [root], rules: rules as never }).before(
    'permission',
    'strayPaths',
    strayPaths({ roots: [root] }),
  );
  return createRouter({ tools: [open], pipeline, mode: 'trusted' });
}

describe('strayPaths in a pipeline of your own', () => {
  test.each([
    ['a value', { from: '/etc/passwd' }, '/from'],
    ['deep inside', { of: [{ x: '~/.ssh/id' }] }, '/of/0/x'],
    ['a name of a property', { files: { '/etc/passwd': 1 } }, '/files/~1etc~1passwd'],
    ['JSON in a text', { options: '{"file":"/etc/passwd"}' }, '/options'],
    ['a second path in a declared one', { path: 'a.txt,/etc/passwd' }, '/path'],
  ])('stops what leads out: %s', async (_, args, pointer) => {
    const result = await routed().call({ name: 'open', arguments: args });
    expect(result).toMatchObject({ ok: false, code: 'path_denied', effect: 'none', details: { pointer } });
  });

  test('lets pass what leads into the roots, unchanged, and rules see it', async () => {
    const file = join(root, 'a.txt');
    const call = { name: 'open', arguments: { path: 'a.txt', also: file, text: 'a and/or b' } };
    expect(await routed().call(call)).toMatchObject({ ok: true, data: call.arguments });
    const denied = routed([{ decision: 'deny', effects: { path: file } }]);
    expect(await denied.call({ name: 'open', arguments: { also: file } })).toMatchObject({ code: 'denied' });
  });

  test.each([
    ['a value', { a: '/etc/passwd' }],
    ['from a home folder', { a: ['~/.ssh/id'] }],
    ['from the environment', { a: { b: '$HOME/x' } }],
    ['upwards', { a: '../x' }],
    ['a name of a property', { '/etc/passwd': 1 }],
    ['JSON in a text', { a: '{"b":"/etc/passwd"}' }],
  ])('without roots stops everything that leads somewhere: %s', async (_, args) => {
    const pipeline = defaultPipeline().before('permission', 'strayPaths', strayPaths({ roots: [] }));
    const { paths: _paths, ...unguarded } = open;
    const router = createRouter({ tools: [defineTool(unguarded as never)], pipeline, mode: 'trusted' });
    const details = { reason: 'no-roots' };
    expect(await router.call({ name: 'open', arguments: args })).toMatchObject({ code: 'path_denied', details });
    expect(await router.call({ name: 'open', arguments: { a: 'a and/or b' } })).toMatchObject({ ok: true });
  });

  test('refuses options that do not exist', () => {
    expect(() => strayPaths({ roots: ['.'], root: '.' } as never)).toThrow('strayPaths');
  });
});
