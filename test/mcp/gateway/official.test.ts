import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { folderWith } from '../../cli/run-cli.ts';
import { connect, type Driver, type Line, lines, officialServers, overStdio } from './clients.ts';
import {
  everythingCalls,
  filesystemCalls,
  makeFiles,
  memoryCalls,
  type OfficialCall,
  resetFiles,
  thinkingCalls,
} from './official-calls.ts';
import { type Served, servedConfig } from './serve.ts';

const root = realpathSync(folderWith({}));
makeFiles(root);
const outside = realpathSync(folderWith({ 'secret.txt': 'nobody may read this' }));
const memoryFile = join(realpathSync(folderWith({})), 'memory.jsonl');

const mcpServers = {
  fs: officialServers.filesystem(root),
  everything: officialServers.everything,
  memory: officialServers.memory(memoryFile),
  thinking: officialServers.thinking,
};
type Name = keyof typeof mcpServers;

const calls: Readonly<Record<Name, readonly OfficialCall[]>> = {
  fs: filesystemCalls(root),
  everything: everythingCalls,
  memory: memoryCalls,
  thinking: thinkingCalls,
};

const config = {
  mcpServers,
  roots: [root],
  mode: 'trusted',
  guards: {
    'fs.*': { paths: { path: 'read' } },
    'fs.read_multiple_files': { paths: { '/paths/*': 'read' } },
    'fs.write_file': { paths: { path: 'write' } },
    'fs.edit_file': { paths: { path: 'write' } },
    'fs.create_directory': { paths: { path: 'write' } },
    'fs.move_file': { paths: { source: 'write', destination: 'write' } },
  },
  policy: { rules: [{ decision: 'deny', tool: 'everything.get-env', reason: 'the environment is private' }] },
};

/** Whole results of a list of calls, one after the other; times of day are taken out. */
async function answers(driver: Driver, list: readonly OfficialCall[], prefix = ''): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [tool, args] of list) {
    const result = await driver.call(prefix + tool, args).catch((error: Error) => ({ thrown: error.message }));
    found.push({
      tool,
      result: JSON.parse(JSON.stringify(result, readable).replaceAll(/\d+:\d\d:\d\d [AP]M/g, 'TIME')),
    });
  }
  return found;
}

/** What is said in base64 may hold the time of day as well. */
function readable(key: string, value: unknown): unknown {
  return key === 'blob' ? Buffer.from(String(value), 'base64').toString('latin1') : value;
}

function reset(): void {
  resetFiles(root);
  rmSync(memoryFile, { force: true });
}

const direct = new Map<Name, Promise<Driver>>();
const gateways = new Map<Line, Promise<Served>>();

/** The server without a gateway. Both lines of the client get the same from it, so one connection is enough. */
function directly(name: Name): Promise<Driver> {
  if (!direct.has(name)) direct.set(name, connect('1.x', overStdio('1.x', mcpServers[name])));
  return direct.get(name) as Promise<Driver>;
}

const known = new Map<Name, Promise<unknown[]>>();

function expectedOf(name: Name): Promise<unknown[]> {
  reset();
  if (!known.has(name))
    known.set(
      name,
      directly(name).then((driver) => answers(driver, calls[name])),
    );
  return known.get(name) as Promise<unknown[]>;
}

function gateway(line: Line): Promise<Served> {
  if (!gateways.has(line)) gateways.set(line, servedConfig(line, config));
  return gateways.get(line) as Promise<Served>;
}

afterAll(async () => {
  for (const driver of direct.values()) await (await driver).close();
  for (const served of gateways.values()) await (await served).end();
});

describe.each(lines)('the official servers behind the gateway, for a client of the %s line', (line) => {
  it.each(Object.keys(mcpServers) as Name[])('%s gives the same answers as without it', async (name) => {
    const { driver } = await gateway(line);
    const expected = await expectedOf(name);
    reset();
    expect(await answers(driver, calls[name], `${name}.`)).toEqual(expected);
    expect(JSON.stringify(expected)).not.toContain('thrown');
  });

  it('the tools are the same but for their names, those that are denied or no tools left out', async () => {
    const { driver } = await gateway(line);
    const expected: unknown[] = [];
    for (const name of Object.keys(mcpServers) as Name[]) {
      for (const tool of await (await directly(name)).list()) {
        const { execution, _meta, ...rest } = tool as Record<string, unknown>;
        if ((execution as { taskSupport?: string } | undefined)?.taskSupport === 'required') continue;
        if (tool.name !== 'get-env') expected.push({ ...rest, name: `${name}.${tool.name}` });
      }
    }
    const byName = (list: unknown[]) => new Map(list.map((tool) => [(tool as { name: string }).name, tool]));
    const tools = (await driver.list()).map((tool) => {
      const { title, ...annotations } = (tool['annotations'] ?? {}) as Record<string, unknown>;
      expect(title).toBe(tool['title']);
      return { ...tool, annotations };
    });
    expect(byName(tools)).toEqual(byName(expected));
  });

  it('progress goes through', async () => {
    const { driver } = await gateway(line);
    const reports: unknown[] = [];
    const args = { duration: 0.06, steps: 3 };
    await driver.call('everything.trigger-long-running-operation', args, { onprogress: (each) => reports.push(each) });
    // The last one comes together with the result, and the official clients then drop it, with and without us.
    expect(reports.slice(0, 2)).toMatchObject([
      { progress: 1, total: 3 },
      { progress: 2, total: 3 },
    ]);
  });

  it('a call can be withdrawn, and the next one is answered', async () => {
    const { driver } = await gateway(line);
    const controller = new AbortController();
    const onprogress = () => controller.abort(new Error('no longer needed'));
    const args = { duration: 30, steps: 600 };
    const call = driver.call('everything.trigger-long-running-operation', args, {
      signal: controller.signal,
      onprogress,
    });
    await expect(call).rejects.toThrow('no longer needed');
    expect(await driver.call('everything.echo', { message: 'here' })).toMatchObject({
      content: [{ text: 'Echo: here' }],
    });
  });

  const escapes: [why: string, tool: string, args: Record<string, unknown>][] = [
    [
      'out of the root by ..',
      'read_text_file',
      { path: `${root}/notes/../../${outside.split('/').at(-1)}/secret.txt` },
    ],
    ['to another folder', 'read_text_file', { path: join(outside, 'secret.txt') }],
    ['in a list', 'read_multiple_files', { paths: [join(root, 'notes/a.txt'), join(outside, 'secret.txt')] }],
    ['where a file would be made', 'write_file', { path: join(outside, 'planted.txt'), content: 'x' }],
    ['in the second argument', 'move_file', { source: join(root, 'notes/a.txt'), destination: join(outside, 'a') }],
    ['into what others obey', 'write_file', { path: join(root, '.git/hooks/post-commit'), content: 'x' }],
  ];
  it.each(escapes)('a path %s is stopped before the server sees it', async (_why, tool, args) => {
    const { driver } = await gateway(line);
    const result = await driver.call(`fs.${tool}`, args);
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain('nobody may read this');
    // The server itself would say it in these words.
    expect(JSON.stringify(result)).not.toContain('Access denied');
    expect(existsSync(join(outside, 'planted.txt')) || existsSync(join(root, '.git'))).toBe(false);
    expect(readFileSync(join(root, 'notes/a.txt'), 'utf8')).toContain('alpha');
  });

  it('what the policy denies is denied', async () => {
    const { driver } = await gateway(line);
    const result = await driver.call('everything.get-env').catch((error: Error) => ({ thrown: error.message }));
    expect(JSON.stringify(result)).toContain('the environment is private');
  });

  it('arguments that do not fit are refused in words that help', async () => {
    const { driver } = await gateway(line);
    const result = await driver.call('everything.get-sum', { a: '2', b: 3 });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('/a must be number') }] });
  });

  it('a tool that is not there is a protocol error which names the nearest', async () => {
    const { driver } = await gateway(line);
    await expect(driver.call('fs.read_text_fle')).rejects.toThrow('fs.read_text_file');
  });
});
