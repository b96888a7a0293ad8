import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/cli/command-line.ts';
import { parseGatewayConfig } from '../../../src/mcp/gateway/read-config.ts';
import { secretsInAddress, secretsInArguments, secretsInVariable } from '../../../src/mcp/gateway/secrets.ts';
import { folderWith } from '../../cli/run-cli.ts';
import { script, served, servedConfig } from './serve.ts';

const secret = 'hunter2-and-more';

describe('what is secret in a configuration', () => {
  it.each<[args: string[], found: string[]]>([
    [['--token', secret], [secret]],
    [[`--token=${secret}`], [secret]],
    [[`--api-key=${secret}`, '--sort-key', 'name_of_a_column'], [secret]],
    [['-e', `GITHUB_TOKEN=${secret}`], [secret]],
    [['--header', `Authorization: Bearer ${secret}`], [secret]],
    [[`--header=X-Api-Key:${secret}`], [secret]],
    [[`postgres://ada:${secret}@db.example/notes`], [secret, secret]],
    [[`--url=https://x.example/mcp?mode=all&access_token=${secret}`], [secret]],
    [
      ['--db-pass', secret, `MYSQL_PWD=${secret}`],
      [secret, secret],
    ],
    [['--pwd', '/home/ada/somewhere', '--compass', 'north-and-more'], []],
    [['--passphrase', 'several words of one'], ['several words of one']],
    [['--token', '--verbose', '-y', 'server-tokens', '/data/secret'], []],
    [['--password'], []],
  ])('in the arguments %j', (args, found) => {
    expect(secretsInArguments(args)).toEqual(found);
  });

  it.each<[name: string, value: string, found: string[]]>([
    ['API_KEY', secret, [secret]],
    ['SORT_KEY', secret, [secret]],
    ['PASSPHRASE', secret, [secret]],
    ['DB_PASS', secret, [secret]],
    ['MYSQL_PWD', secret, [secret]],
    ['PROXY_AUTHORIZATION', `Bearer ${secret}`, [secret]],
    ['DATABASE_URL', `postgres://ada:${secret}@db.example/notes`, [secret, secret]],
    ['WEBHOOK', `https://x.example/?sig=${secret}`, [secret]],
    ['DATABASE_URL', 'postgres://ada@db.example/notes', []],
    ['PWD', '/home/ada/somewhere', []],
    ['COMPASS', 'north-and-more', []],
    ['PATH', '/usr/bin:/bin', []],
    ['TOKEN', '', []],
  ])('in the variable %s with the value %j', (name, value, found) => {
    expect(secretsInVariable(name, value)).toEqual(found);
  });

  it('in an address', () => {
    expect(secretsInAddress(`https://x.example/a?b=1&apiKey=${secret}&sig=abc`)).toEqual([secret, 'abc']);
    expect(secretsInAddress(`https://ada:${encodeURIComponent('hünter/2 more')}@x.example/`)).toContain(
      'hünter/2 more',
    );
    expect(secretsInAddress('no address')).toEqual([]);
  });

  const parse = (server: object) =>
    parseGatewayConfig(JSON.stringify({ mcpServers: { s: server } }), {
      name: 'callgate.json',
      folder: folderWith({}),
      environment: { MY_TOKEN: secret, PLACE: 'somewhere-else', DATABASE_URL: `postgres://ada:${secret}@db.example/` },
    });

  it('is a password in an address that stands in a variable', () => {
    for (const value of [`postgres://ada:${secret}@db.example/`, `\${DATABASE_URL}`]) {
      expect(parse({ command: 'x', env: { OTHER: value } }).secrets).toEqual([secret]);
    }
    expect(parse({ command: 'x', args: [`--db=\${DATABASE_URL}`] }).secrets).toEqual([secret]);
  });

  it('is what stands in variables that are called so, wherever they are put', () => {
    const variable = `\${MY_TOKEN}`;
    for (const server of [
      { command: 'x', args: [variable] },
      { command: 'x', args: [`a/${variable}/b`] },
      { command: 'x', env: { OTHER: variable } },
      { url: `https://x.example/${variable}/mcp` },
      { url: `https://x.example/mcp?profile=${variable}` },
    ]) {
      expect(parse(server).secrets).toEqual([secret]);
    }
    expect(parse({ command: 'x', args: [`\${PLACE}`] }).secrets).toEqual([]);
  });

  it.each<[what: string, server: unknown]>([
    ['headers that are text', { url: 'https://x', headers: secret }],
    ['an address with a password', { url: `https://ada:${secret}@x.example/mcp` }],
    ['an address of another kind', { url: `ftp://ada:${secret}@x.example/mcp` }],
    ['variables that are text', { command: 'x', env: `TOKEN=${secret}` }],
    ['arguments that are text', { command: 'x', args: `--token ${secret}` }],
    ['a server that is text', secret],
  ])('is not shown by an error about %s', (_what, server) => {
    expect(() => parse(server as object)).toThrow(/^callgate\.json:1:\d+: (?!.*hunter2)/s);
  });

  it('is not shown by an error about its quotation marks either', () => {
    const origin = { name: 'callgate.json', folder: folderWith({}), environment: {} };
    const text = `{"mcpServers": {"s": {"command": "x", "env": {"TOKEN": ${secret}}}}}`;
    expect(() => parseGatewayConfig(text, origin)).toThrow(/^callgate\.json:1:\d+ is not JSON: (?!.*hunter2)/s);
  });
});

describe('what is secret in a configuration is not shown', () => {
  const says = `console.error('started with', ...process.argv.slice(1), process.env.API_KEY);`;
  const tells = [
    ['-e', `${says} process.exit(3)`, '--', `--token=${secret}`],
    ['-e', `${says} process.exit(3)`, '--', `https://ada:${secret}@db.example/`],
  ];

  it('by a server that says what it was given, before it dies or while it works', async () => {
    const chatty = {
      command: process.execPath,
      args: ['--import', `data:text/javascript,${says}`, script, '{}', secret],
    };
    const mcpServers = {
      s: { ...chatty, env: { API_KEY: secret } },
      a: { command: process.execPath, args: tells[0] },
      b: { command: process.execPath, args: tells[1] },
    };
    const { driver, log, end } = await servedConfig('2.x', { mcpServers, mode: 'trusted' });
    const result = { content: [{ type: 'text', text: `it is ${secret}, or ${btoa(secret)}` }] };
    expect(JSON.stringify(await driver.call('s.lie', { result: { ...result, isError: true } }))).not.toContain(secret);
    expect(await end()).toBe(0);
    expect(log()).toMatch(/\[s\] started with .*\[redacted:secret\]/);
    expect(log()).toMatch(/The server a could not be started: .*\[redacted:secret\]/s);
    expect(log()).toMatch(/The server b could not be started: .*\[redacted:/s);
    expect(log()).not.toContain(secret);
  });

  it('by the error about a server without which nothing starts', async () => {
    const mcpServers = { a: { command: process.execPath, args: tells[0], required: true } };
    await expect(servedConfig('2.x', { mcpServers })).rejects.toThrow(
      /ended with 2: (?!.*hunter2).*\[redacted:secret\]/s,
    );
  });

  it('by wrap, of whose command line it is a part', async () => {
    const argv = ['wrap', '--', process.execPath, ...(tells[0] as string[])];
    await expect(served('2.x', argv, { cwd: folderWith({}) })).rejects.toThrow(
      /ended with 2: (?!.*hunter2).*redacted/s,
    );
  });

  it('by inspect, whatever a server says of its tools', async () => {
    const tools = [{ name: 'x', description: `Works with ${secret}.`, inputSchema: { type: 'object' } }];
    const argv = [
      'mcp',
      'inspect',
      '--json',
      '--',
      process.execPath,
      script,
      JSON.stringify({ tools }),
      `--token=${secret}`,
    ];
    const [stdout, stderr] = [new PassThrough().setEncoding('utf8'), new PassThrough()];
    await commandLine(argv, { stdin: new PassThrough(), stdout, stderr, env: { PATH: process.env['PATH'] }, cwd: '/' });
    expect(JSON.parse(String(stdout.read())).tools.at(-1)).toMatchObject({
      description: 'Works with [redacted:secret].',
    });
  });
});
