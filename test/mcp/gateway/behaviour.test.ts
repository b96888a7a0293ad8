import { once } from 'node:events';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/cli/command-line.ts';
import { folderWith } from '../../cli/run-cli.ts';
import { isAlive } from '../../is-alive.ts';
import { type Answering, lines, officialServers } from './clients.ts';
import { endedWithTest, type Served, script, scripted, served, servedConfig } from './serve.ts';

const started = endedWithTest();

function start(...args: Parameters<typeof servedConfig>): Promise<Served> {
  return started(servedConfig(...args));
}

const textOf = (result: Record<string, unknown>): string => JSON.stringify(result['content']);

/** Asks again until it holds; fails after ten seconds. */
async function until<Result>(look: () => Promise<Result>, holds: (result: Result) => boolean): Promise<Result> {
  for (const begun = Date.now(); ; ) {
    const result = await look();
    if (holds(result) || Date.now() - begun > 10_000) return result;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe('a server that dies in the middle of a call', () => {
  it('costs that call, once and cleanly; then it is back', async () => {
    const { driver } = await start('2.x', { mcpServers: { s: scripted() }, mode: 'trusted' });
    const first = Number(textOf(await driver.call('s.pid')).match(/\d+/)?.[0]);
    const calls = [driver.call('s.hang'), driver.call('s.hang')];
    // Both are on their way to the server once it has answered what was asked after them.
    await driver.call('s.pid');
    process.kill(first, 'SIGKILL');
    for (const result of await Promise.all(calls)) {
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
      expect(textOf(result)).toMatch(/s\.hang.*"?s"?.*ended/);
    }
    const back = await until(
      () => driver.call('s.pid'),
      (result) => result['isError'] !== true,
    );
    const second = Number(textOf(back).match(/\d+/)?.[0]);
    expect(second).toBeGreaterThan(0);
    expect(second).not.toBe(first);
  });
});

describe('a gateway with several servers', () => {
  it('starts with those that start, and says what is wrong with the others', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const mcpServers = {
      s: scripted(),
      gone: { command: '/nowhere/server' },
      closed: { url: `http://127.0.0.1:${port}/mcp` },
      dead: { command: process.execPath, args: ['-e', 'console.error("no licence found"); process.exit(3)'] },
    };
    const { driver, log } = await start('2.x', { mcpServers, mode: 'trusted' });
    const names = (await driver.list()).map(({ name }) => name);
    expect(names).toEqual(['s.pid', 's.hang', 's.steps', 's.lie']);
    expect(log()).toMatch(/callgate: The server gone could not be started: .*ENOENT/);
    expect(log()).toMatch(/callgate: The server closed could not be started: .*ECONNREFUSED/);
    expect(log()).toMatch(/callgate: The server dead could not be started: .*no licence found/);
  });

  it('starts nothing without one that is required, and leaves none running', async () => {
    const diary = join(folderWith({ diary: '' }), 'diary');
    const mcpServers = { s: scripted({ diary }), gone: { command: '/nowhere/server', required: true } };
    await expect(servedConfig('2.x', { mcpServers })).rejects.toThrow(
      /ended with 2: (?![\s\S]*could not be started[\s\S]*could not be started)[\s\S]*gone.*ENOENT\. It is required/,
    );
    expect(readFileSync(diary, 'utf8')).toBe('end\n');
  });

  it('starts nothing when no server could be started', async () => {
    await expect(servedConfig('2.x', { mcpServers: { gone: { command: '/nowhere' } } })).rejects.toThrow(
      /ended with 2: [\s\S]*No server could be started/,
    );
  });

  it('says which guards and rules guard nothing', async () => {
    const { log } = await start('2.x', {
      mcpServers: { s: scripted() },
      guards: { 's.pd*i': { permission: 'read' } },
      policy: { rules: [{ decision: 'deny', tool: 's.hagn' }] },
    });
    expect(log()).toMatch(/No tool matches .*s\.pd\*i/);
    expect(log()).toMatch(/rule 0 of the policy: It concerns none of the tools/);
  });
});

describe('what does not pass', () => {
  it.each(['serve', 'wrap'])('is not declared (%s), and what servers log stands in the gate’s own log', async (how) => {
    const diary = JSON.stringify({
      logs: [
        ['warning', 'a \u001b[31mlarm'],
        ['info', 'chatter'],
      ],
    });
    const server = { command: process.execPath, args: [script, diary] };
    const cwd = folderWith({ 'callgate.json': JSON.stringify({ mcpServers: { s: server } }) });
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough().setEncoding('utf8')];
    const argv = how === 'serve' ? ['mcp', 'serve'] : ['mcp', 'wrap', '--', server.command, ...server.args];
    const running = commandLine(argv, { stdin, stdout, stderr, env: { PATH: process.env['PATH'] }, cwd });
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    for (const [id, method] of ['logging/setLevel', 'resources/list', 'prompts/list'].entries()) {
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: id + 2, method, params: { level: 'debug' } })}\n`);
    }
    stdin.end();
    expect(await running).toBe(0);
    const said = String(stdout.read())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(said.find(({ id }) => id === 1).result.capabilities).toEqual({ tools: { listChanged: true } });
    expect(said.flatMap(({ error }) => error?.code ?? [])).toEqual([-32601, -32601, -32601]);
    expect(said.filter(({ method }) => method !== undefined)).toEqual([]);
    const log = String(stderr.read());
    expect(log).toMatch(/^callgate: \[[\w-]+\] a \\u001b\[31mlarm$/m);
    expect(log).not.toContain('chatter');
  });
});

describe('asking', () => {
  const config = { mcpServers: { s: scripted() }, mode: 'ask' };

  it.each(lines)('is done at the client, where it can ask (%s)', async (line) => {
    const asked: string[] = [];
    const answer: Answering = (message) => {
      asked.push(message);
      return asked.length === 1 ? 'accept' : 'decline';
    };
    const { driver } = await start(line, config, { answer });
    expect(await driver.call('s.pid')).not.toHaveProperty('isError', true);
    expect(asked).toEqual([expect.stringMatching(/^May this run\? s\.pid/)]);
    expect(await driver.call('s.pid')).toMatchObject({ isError: true });
    expect(asked).toHaveLength(2);
  });

  it('without that, a call is denied in words that say how it could be allowed', async () => {
    const { driver } = await start('1.x', config);
    const result = await driver.call('s.pid');
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toMatch(/no way to ask its user.*Whoever runs the server can allow the call there/);
  });

  it('a tool that has changed since it came is asked about, whatever the mode', async () => {
    const diary = join(folderWith({ diary: '' }), 'diary');
    const mcpServers = { s: scripted({ changes: true, diary }) };
    const { driver, log } = await start('2.x', { mcpServers, mode: 'trusted' });
    expect(await driver.call('s.pid')).not.toHaveProperty('isError', true);
    await driver.call('s.change');
    await until(
      async () => log(),
      (text) => text.includes('s.pid has changed'),
    );
    expect(log()).toMatch(/s\.pid has changed \(description\); it is asked about again/);
    expect(await driver.call('s.pid')).toMatchObject({ isError: true });
  });
});

describe('a gateway with stages', () => {
  it('writes an audit file that only its owner can read, with keys taken out', async () => {
    const folder = realpathSync(folderWith({ 'a.txt': 'alpha' }));
    const key = 'sk-live-0123456789abcdef';
    const mcpServers = { s: { ...scripted(), env: { API_KEY: key } } };
    const config = { mcpServers, mode: 'trusted', stages: { audit: join(folder, 'audit.jsonl') } };
    const one = await servedConfig('2.x', config);
    const result = { content: [{ type: 'text', text: `the key is ${key}` }] };
    expect(textOf(await one.driver.call('s.lie', { result }))).not.toContain(key);
    await one.driver.call('s.nothing').catch(() => {});
    expect(await one.end()).toBe(0);
    const text = readFileSync(join(folder, 'audit.jsonl'), 'utf8');
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records).toMatchObject([
      { tool_name: 's.lie', ok: true },
      { tool_name: 's.nothing', ok: false, code: 'unknown_tool' },
    ]);
    expect(text).not.toContain(key);
  });

  it('counts calls, and stops a loop', async () => {
    const { driver } = await start('2.x', {
      mcpServers: { s: scripted() },
      mode: 'trusted',
      stages: { budget: { calls: 4 }, loopGuard: { repeats: 2 } },
    });
    const outcomes: unknown[] = [];
    for (let count = 0; count < 3; count++) outcomes.push((await driver.call('s.pid'))['isError'] ?? false);
    expect(outcomes).toEqual([false, false, true]);
    await driver.call('s.steps');
    await driver.call('s.lie', { result: { content: [] } });
    expect(textOf(await driver.call('s.steps'))).toContain('budget');
  });
});

it('a call that takes too long fails, and one that is withdrawn ends: the server is told of both', async () => {
  const diary = join(folderWith({ diary: '' }), 'diary');
  const { driver } = await start('2.x', { mcpServers: { s: scripted({ diary }) }, mode: 'trusted', timeout: 300 });
  const late = await driver.call('s.hang');
  expect(late).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/s\.hang did not finish in the time/) }],
  });
  const controller = new AbortController();
  const withdrawn = driver.call('s.hang', {}, { signal: controller.signal });
  await driver.call('s.pid');
  controller.abort(new Error('not needed'));
  await expect(withdrawn).rejects.toThrow('not needed');
  await driver.call('s.pid');
  expect(readFileSync(diary, 'utf8').match(/cancelled/g)).toHaveLength(2);
});

describe('callgate mcp wrap', () => {
  const root = realpathSync(folderWith({ 'a.txt': 'alpha\n' }));
  const outside = realpathSync(folderWith({ 'secret.txt': 'nobody may read this' }));
  const { command, args } = officialServers.filesystem(root);
  const wrap = async (argv: readonly string[], answer?: Answering): Promise<Served> => {
    const options = { cwd: '/', ...(answer !== undefined && { answer }) };
    return await started(served('2.x', ['wrap', ...argv, '--', command, ...args], options));
  };

  it('keeps the names that the server gives its tools', async () => {
    const { driver } = await wrap([]);
    expect((await driver.list()).map(({ name }) => name)).toContain('read_text_file');
  });

  it('asks about everything without a word about it, and nobody there is a denial', async () => {
    const { driver } = await wrap([]);
    expect(await driver.call('read_text_file', { path: join(root, 'a.txt') })).toMatchObject({ isError: true });
  });

  it('with its guesses accepted, reads in the root, asks before it writes, and lets nothing out', async () => {
    let asked = 0;
    const { driver } = await wrap(['--root', root, '--accept-guesses'], () => {
      asked++;
      return 'accept';
    });
    const read = await driver.call('read_text_file', { path: join(root, 'a.txt') });
    expect(textOf(read)).toContain('alpha');
    expect(asked).toBe(0);
    expect(textOf(await driver.call('read_text_file', { path: 'a.txt' }))).toContain('alpha');
    const written = await driver.call('write_file', { path: join(root, 'b.txt'), content: 'beta' });
    expect(written).not.toHaveProperty('isError', true);
    expect({ asked, text: readFileSync(join(root, 'b.txt'), 'utf8') }).toEqual({ asked: 1, text: 'beta' });
    for (const path of [join(outside, 'secret.txt'), '../secret.txt', '/etc/passwd']) {
      expect(await driver.call('read_text_file', { path })).toMatchObject({ isError: true });
    }
    expect(asked).toBe(1);
  });

  it('takes guards from a file, by the names of the server, and rules', async () => {
    const folder = folderWith({
      'guards.json': JSON.stringify({ guards: { 'read_*': { paths: { path: 'read' }, permission: 'read' } } }),
      'rules.json': JSON.stringify({ rules: [{ decision: 'deny', tool: 'read_media_file', reason: 'text only' }] }),
    });
    const [guards, policy] = [join(folder, 'guards.json'), join(folder, 'rules.json')];
    const { driver } = await wrap(['--root', root, '--guards', guards, '--policy', policy]);
    expect(textOf(await driver.call('read_text_file', { path: 'a.txt' }))).toContain('alpha');
    expect((await driver.list()).map(({ name }) => name)).not.toContain('read_media_file');
    expect(
      textOf(await driver.call('read_media_file', { path: 'a.txt' }).catch((error) => ({ content: error.message }))),
    ).toMatch(/text only/);
  });

  it('says which guards and rules guard nothing, and what was meant, in the names of the server', async () => {
    const folder = folderWith({
      'guards.json': JSON.stringify({ raed_text: { permission: 'read' }, read_text: { paths: { paht: 'read' } } }),
      'rules.json': JSON.stringify({ rules: [{ decision: 'deny', tool: 'read_txt' }] }),
    });
    const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
    const server = scripted({ tools: [{ name: 'read_text', inputSchema }] });
    const options = ['--guards', join(folder, 'guards.json'), '--policy', join(folder, 'rules.json')];
    const argv = ['wrap', ...options, '--', server.command, ...server.args];
    await expect(served('2.x', argv, { cwd: '/' })).rejects.toThrow(
      'The gateway ended with 2: callgate: No tool matches "raed_text" of guards, which guards nothing. Did you mean ' +
        'read_text? No tool that "read_text" of guards matches has an argument "paht": its parameters have no such ' +
        'property. They are: path. Did you mean path? Nothing was started.',
    );
    writeFileSync(join(folder, 'guards.json'), JSON.stringify({ read_text: { paths: { path: 'read' } } }));
    const one = await started(served('2.x', argv, { cwd: '/' }));
    expect(one.log().split('\n')).toEqual([
      expect.stringMatching(/^callgate: scripted-server: 5 tools/),
      'callgate: rule 0 of the policy: It concerns none of the tools there are, so it never matches. No tool matches read_txt; did you mean read_text?',
      '',
    ]);
  });

  it('gives the server the environment that it would have without us', async () => {
    const argv = ['wrap', '--mode', 'trusted', '--', process.execPath, ...officialServers.everything.args];
    const env = { SETTING: 'of the client', npm_config_package: 'callgate' };
    const one = await started(served('2.x', argv, { cwd: '/', env }));
    const text = textOf(await one.driver.call('get-env'));
    expect(text).toContain('of the client');
    // An npx that starts the server would take it for an option of its own.
    expect(text).not.toContain('npm_config_package');
  });
});

it('when the client has gone, no server is left', async () => {
  const one = await servedConfig('2.x', { mcpServers: { s: scripted(), t: scripted() }, mode: 'trusted' });
  const pids: number[] = [];
  for (const name of ['s.pid', 't.pid']) pids.push(Number(textOf(await one.driver.call(name)).match(/\d+/)?.[0]));
  expect(pids.map(isAlive)).toEqual([true, true]);
  expect(await one.end()).toBe(0);
  expect(pids.map(isAlive)).toEqual([false, false]);
});
