import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolated, kinds, routerWith } from './support.ts';

const module = new URL('../fixtures/isolation/lent.mjs', import.meta.url);
const text = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });

describe.each(kinds)('what a call was lent, used from a %s', (kind) => {
  let root = '';
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'callgate-lent-')));
    await writeFile(join(root, 'one.txt'), 'one');
  });
  afterAll(() => rm(root, { recursive: true }));

  const onFiles = (name: string) =>
    isolated(kind, name, { parameters: text('path'), paths: { path: 'write' } } as object, module);

  it('files are read, written, opened, listed, moved and removed', async () => {
    const router = routerWith([onFiles('files')], { roots: [root] });
    const result = await router.call({ name: 'files', arguments: { path: 'work' } });
    expect(result.error).toBeNull();
    expect(result.data).toEqual({
      level: expect.stringMatching(/kernel-anchored|no-follow-any|best-effort/),
      created: true,
      stale: { is: 'ToolError', code: 'conflict' },
      parts: ['one ', 'two'],
      afterClose: 'The file is not open.',
      names: ['a.txt file', 'bytes.bin file', 'c.txt file', 'deep dir'],
      bytes: [1, 2, 3],
      isBytes: true,
      stat: { type: 'file', size: 13, sameTag: true },
      text: 'first',
    });
  });

  it('more operations than may be under way at a time wait for each other', async () => {
    const router = routerWith([onFiles('manyReads')], { roots: [root] });
    expect(await router.call({ name: 'manyReads', arguments: { path: 'one.txt' } })).toMatchObject({ data: 1 });
  });

  it('nothing works once the call is over', async () => {
    const router = routerWith([onFiles('useAfterEnd'), isolated(kind, 'lateAnswer', {}, module)], { roots: [root] });
    expect(await router.call({ name: 'useAfterEnd', arguments: { path: 'one.txt' } })).toMatchObject({
      data: 'returned',
    });
    expect(await router.call({ name: 'lateAnswer' })).toMatchObject({ data: expect.stringMatching(/^aborted: /) });
  });

  it('what is fetched comes whole; other hosts are refused, and a request can be withdrawn', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/slow') return;
      response.setHeader('content-type', 'text/plain; charset=latin1');
      response.end(Buffer.from(`from ${request.headers['x-from']} \xe9`, 'latin1'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const declared = { parameters: text('url'), urls: ['url'] } as object;
    const router = routerWith(
      [isolated(kind, 'fetches', declared, module), isolated(kind, 'withdraws', declared, module)],
      { urls: { privateAddresses: [`127.0.0.1:${port}`] } },
    );
    const url = `http://127.0.0.1:${port}/`;
    expect((await router.call({ name: 'fetches', arguments: { url } })).data).toEqual({
      status: 200,
      type: 'text/plain',
      truncated: false,
      text: 'from isolated é',
      bytes: 15,
      denied: 'url_denied',
      proxy: expect.stringContaining('internal: fetch.proxy is not to be had'),
    });
    expect(await router.call({ name: 'withdraws', arguments: { url: `${url}slow` } })).toMatchObject({
      data: 'ToolError aborted',
    });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('commands run, and no other command than the call’s', async () => {
    const router = routerWith(
      [isolated(kind, 'runs', { parameters: text('command'), commands: ['command'] } as object, module)],
      { roots: [root], commands: { sandbox: 'unsandboxed' }, approve: () => 'allow' },
    );
    expect((await router.call({ name: 'runs', arguments: { command: 'echo hello' } })).data).toEqual({
      exitCode: 0,
      stdout: 'hello\n',
      sameTier: true,
      other: 'command_denied',
    });
  });
});
