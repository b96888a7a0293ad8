import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goneOf, hostile, isolated, kinds, routerWith } from './support.ts';

const one = { isolation: { threads: 1, processes: 1, grace: 200 } };

describe('what a handler in a process writes on its channel', () => {
  const rubbish = [
    ...['text', 'unreadable', 'empty', 'noMessage', 'nothing', 'unknownType', 'inherited', 'noNumber', 'noList'],
    ...['manyArguments', 'giant', 'progressFlood', 'askFlood', 'sameQuestion', 'writesOnLifeline', 'deepNesting'],
    ...['byteByByte', 'placesWithoutEnd', 'wideProgress', 'manyValues'],
  ];

  it.each(rubbish)('ends its own call and no other: %s', async (kind) => {
    const router = routerWith(
      [isolated('process', 'rubbishOnProcess', {}, hostile), isolated('process', 'good', {}, hostile)],
      one,
    );
    const [spoilt, next] = await Promise.all([
      router.call({ name: 'rubbishOnProcess', arguments: { kind } }),
      router.call({ name: 'good' }),
    ]);
    expect(spoilt).toMatchObject({ code: 'unavailable', effect: 'unknown', details: { reason: 'rules' } });
    expect(next).toMatchObject({ ok: true, data: 'good' });
  });

  it('closing it ends its call', async () => {
    const router = routerWith([isolated('process', 'rubbishOnProcess', {}, hostile)], one);
    const result = await router.call({ name: 'rubbishOnProcess', arguments: { kind: 'closes' } });
    expect(result).toMatchObject({ code: 'unavailable', effect: 'unknown' });
  });

  it('cannot settle another call, tell of it, or answer twice', async () => {
    const names = ['answersForOthers', 'tellsForOthers', 'answersTwice', 'good'];
    const router = routerWith(
      names.map((name) => isolated('process', name, {}, hostile)),
      one,
    );
    const told: unknown[] = [];
    const onProgress = (data: unknown) => told.push(data);
    const results = await Promise.all(names.map((name) => router.call({ name }, { onProgress })));
    expect(results.map(({ data }) => data)).toEqual(['mine', 'mine', 'once', 'good']);
    expect(told).toEqual([]);
  });

  it('without a call is borne for a while, and then ends it', async () => {
    const router = routerWith([isolated('process', 'keepsAnswering', {}, hostile), isolated('process', 'pid')], {
      isolation: { processes: 2 },
    });
    const { data: pid } = await router.call({ name: 'pid' });
    expect(await router.call({ name: 'keepsAnswering' })).toMatchObject({ data: 'once' });
    expect(await router.call({ name: 'pid' })).toMatchObject({ data: pid });
  });

  it('answers that nobody reads do not pile up here', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'callgate-isolation-')));
    await writeFile(join(root, 'big.bin'), Buffer.alloc(1_000_000));
    const tool = isolated(
      'process',
      'neverReads',
      {
        parameters: { type: 'object', properties: { path: { type: 'string' } } },
        paths: { path: 'read' },
        timeout: 1_000,
      },
      hostile,
    );
    const router = routerWith([tool], { roots: [root], ...one });
    const late = new Promise((resolve) => router.on('late', resolve));
    expect(await router.call({ name: 'neverReads', arguments: { path: 'big.bin' } })).toMatchObject({
      code: 'timeout',
    });
    await late;
    await rm(root, { recursive: true });
  });
});

describe('what a handler in a thread sends on the thread’s own channel', () => {
  it.each(['null', 'text', 'ready', 'number', 'list'])('reaches nobody: %s', async (kind) => {
    const router = routerWith(
      [isolated('thread', 'rubbishOnThread', { timeout: 300 }, hostile), isolated('thread', 'good', {}, hostile)],
      one,
    );
    await router.call({ name: 'good' });
    expect(await router.call({ name: 'rubbishOnThread', arguments: { kind } })).toMatchObject({ code: 'timeout' });
    expect(await router.call({ name: 'good' })).toMatchObject({ data: 'good' });
  });
});

describe.each(kinds)('what a handler in a %s gives', (kind) => {
  it('pollutes no prototype', async () => {
    const router = routerWith([
      isolated(kind, 'pollutes', {}, hostile),
      isolated(kind, 'pollutesByError', {}, hostile),
    ]);
    await router.call({ name: 'pollutes' });
    expect(await router.call({ name: 'pollutesByError' })).toMatchObject({ code: 'conflict', error: 'polluted' });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('is cut where it is an error', async () => {
    const router = routerWith([isolated(kind, 'bigError', {}, hostile)]);
    const result = await router.call({ name: 'bigError' });
    expect(result).toMatchObject({ code: 'tool_error' });
    expect(result.error?.length).toBeLessThan(10_000);
  });
});

describe('the capabilities of a call, asked for by hand', () => {
  let root = '';
  let outside = '';

  beforeAll(async () => {
    const top = await realpath(await mkdtemp(join(tmpdir(), 'callgate-isolation-')));
    root = join(top, 'root');
    outside = join(top, 'outside');
    await mkdir(join(root, 'granted'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(root, 'granted', 'a.txt'), 'inside');
    await writeFile(join(root, 'other.txt'), 'not granted');
    await writeFile(join(outside, 's.txt'), 'secret');
    await symlink(outside, join(root, 'granted', 'out'));
  });
  afterAll(() => rm(join(root, '..'), { recursive: true }));

  const reading = (name: string, module = hostile) =>
    isolated(
      'process',
      name,
      {
        parameters: {
          type: 'object',
          properties: { path: { type: 'string' }, method: {}, args: {}, operation: {} },
          additionalProperties: false,
        },
        paths: { path: 'read' },
      } as object,
      module,
    );

  it.each([
    ['readText', ['../outside/s.txt']],
    ['readText', ['granted/../../outside/s.txt']],
    ['readText', ['granted/out/s.txt']],
    ['readText', ['/etc/passwd']],
    ['readText', ['other.txt']],
    ['readText', [{ requested: 'granted', root: '/', rel: 'etc/passwd' }]],
    ['readText', [{ requested: 'granted', root: 'ROOT', rel: '../outside/s.txt' }]],
    ['readText', [['granted/a.txt']]],
    ['readText', [null]],
    ['readText', ['granted/a.txt', { maxBytes: 'all' }]],
    ['readText', ['granted/a.txt', { range: [0] }]],
    ['writeText', ['granted/new.txt', 'x']],
    ['writeText', ['granted/new.txt', { length: 3 }]],
    ['open', ['granted/a.txt', 'append']],
    ['open', ['granted/a.txt', '__proto__']],
    ['list', ['.']],
    ['mkdir', ['granted/folder']],
    ['remove', ['granted/a.txt']],
    ['rename', ['granted/a.txt', 'granted/b.txt']],
    ['cwdFor', ['granted']],
    ['hostPath', ['granted']],
  ])('the path guard holds: fs.%s of %j', async (method, args) => {
    const router = routerWith([reading('asksThrough')], { roots: [root] });
    const given = JSON.parse(JSON.stringify(args).replace('ROOT', root));
    const result = await router.call({
      name: 'asksThrough',
      arguments: { path: 'granted', method, args: given },
    });
    expect(result).toMatchObject({ ok: false, code: expect.stringMatching(/^(?:path_denied|internal|tool_error)$/) });
    expect(JSON.stringify(result)).not.toMatch(/secret|not granted/);
  });

  it.each([
    'constructor',
    '__proto__',
    'toString',
    'fs',
    'fs.constructor',
    'fs.revoke',
    'exec.run',
    'fetch',
    'file.read',
  ])('there is no operation %s for a call that was not lent it', async (operation) => {
    const router = routerWith([reading('asksFor'), isolated('process', 'good', {}, hostile)], {
      roots: [root],
      ...one,
    });
    await router.call({ name: 'good' });
    const withdrawal = new AbortController();
    const [result] = await Promise.all([
      router.call(
        { name: 'asksFor', arguments: { path: 'granted', operation, args: [] } },
        { signal: withdrawal.signal, deadline: 500 },
      ),
    ]);
    // A refusal is an answer to the question; the handler, which waits for ever, is unharmed.
    expect(result).toMatchObject({ ok: false, code: 'timeout' });
  });
});

it('a process that is gone is gone', async () => {
  const router = routerWith([isolated('process', 'pid')], { isolation: { reuse: false } });
  const { data } = await router.call({ name: 'pid' });
  await goneOf(data as number);
});
