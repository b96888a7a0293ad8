import { spawn } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createRouter, defineTool, type Router } from 'callgate';
import { elicitApproval, type McpStdioOptions, serveMcpStdio } from 'callgate/mcp';
import { describe, expect, test } from 'vitest';
import { guardOutput } from '../../../src/mcp/server/stdout-guard.ts';
import { nextTurn } from '../../support.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  permission: 'read',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => text,
});

const write = defineTool({
  name: 'write',
  description: 'Writes.',
  permission: 'write',
  parameters: { type: 'object', properties: {} },
  handler: () => 'wrote',
});

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

const initialize = (capabilities: object = {}): object => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } },
});

function call(id: number | string, name: string, args: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** A client that does not read until it is told to. */
function deaf(): { input: PassThrough; output: Writable; taken: string[]; hear: () => void } {
  const taken: string[] = [];
  let waiting: (() => void) | undefined;
  let hears = false;
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      taken.push(chunk);
      if (hears) done();
      else waiting = done;
    },
  });
  const hear = (): void => {
    hears = true;
    waiting?.();
  };
  return { input: new PassThrough(), output, taken, hear };
}

test('a client that does not read is not listened to until it does, and then loses nothing', async () => {
  const { input, output, taken, hear } = deaf();
  const serving = await serveMcpStdio(createRouter({ tools: [echo] }), { input, output, maxQueuedBytes: 20_000 });
  input.write(`${JSON.stringify(initialize())}\n`);
  let said = 0;
  // As a client does that heeds what the system says: it writes as long as there is room.
  while (said < 5_000) {
    const hasRoom = input.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++said, method: 'ping' })}\n`);
    await nextTurn();
    if (!hasRoom && input.isPaused()) break;
  }
  expect(said).toBeGreaterThan(10);
  expect(said).toBeLessThan(5_000);
  expect(output.writableLength).toBeLessThan(200_000);
  hear();
  input.end();
  await serving.closed;
  expect(taken.join('').match(/"result"/g)).toHaveLength(said + 1);
});

/** A client that says and hears single messages, whatever they are. */
async function open(router: Router, options: McpStdioOptions = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const errors: string[] = [];
  const onError = ({ message }: Error): void => {
    errors.push(message);
  };
  const serving = await serveMcpStdio(router, { onError, ...options, input, output });
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const heard = (wanted: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = messages.find(wanted);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const say = (message: object | string): void => {
    input.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`);
  };
  return { input, output, serving, messages, errors, heard, say };
}

const answerTo = (id: number | string) => (message: Message) => message.id === id && message.method === undefined;

test.each([true, false])('whether handlers may log is what the client is told (%s)', async (logging) => {
  const { say, heard, serving } = await open(createRouter({ tools: [echo] }), { logging });
  say(initialize());
  const { result } = (await heard(answerTo('init'))) as { result?: { capabilities?: object } };
  expect(Object.keys(result?.capabilities ?? {}).sort()).toEqual(logging ? ['logging', 'tools'] : ['tools']);
  say({ jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'info' } });
  expect((await heard(answerTo(2))).error?.code).toBe(logging ? undefined : -32_601);
  await serving.close();
});

describe('what comes in', () => {
  test('that is no message is passed over, and the connection goes on', async () => {
    const { say, heard, serving, errors } = await open(createRouter({ tools: [echo] }));
    say(initialize());
    await heard(answerTo('init'));
    say('no JSON\n\n[]\n"text"\n{"jsonrpc":"1.0","id":1,"method":"x"}\n{"jsonrpc":"2.0"}\n');
    say(call(2, 'echo', { text: 'still here' }));
    expect((await heard(answerTo(2))).result?.content?.[0]?.text).toBe('still here');
    expect(errors.length).toBeGreaterThan(0);
    await serving.close();
  });

  const list = '['.repeat(100_000) + ']'.repeat(100_000);
  const object = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const modern =
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}';
  test.each([
    ['parameters that are a list', '"method":"tools/list","params":[]', -32_600],
    ['a _meta that is a list', '"method":"tools/list","params":{"_meta":[]}', -32_600],
    ['a very deep _meta', `"method":"tools/call","params":{"name":"echo","_meta":${list}}`, -32_600],
    [
      'a very deep token',
      `"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":${object}}}`,
      -32_600,
    ],
    ['other members', `"method":"ping","x":${object}`, -32_600],
    ['another version', '"jsonrpc":"1.0","method":"ping"', -32_600],
    ['very deep arguments', `"method":"tools/call","params":{"name":"echo","arguments":${object}}`, undefined],
    ['something very deep in _meta', `"method":"tools/list","params":{"_meta":{"x":${object},"y":${list}}}`, undefined],
    [
      'very deep capabilities',
      `"method":"tools/list","params":{"_meta":{${modern},"io.modelcontextprotocol/clientCapabilities":{"experimental":{"a":${object}}}}}`,
      -32_603,
    ],
  ])('that is a request with %s is answered at once', async (_what, members, code) => {
    const { say, heard, serving } = await open(createRouter({ tools: [echo] }));
    if (code !== -32_603) {
      say(initialize());
      await heard(answerTo('init'));
    }
    say(`{"jsonrpc":"2.0","id":7,${members}}\n`);
    expect((await heard(answerTo(7))).error?.code).toBe(code);
    say(call(8, 'echo', { text: 'still here' }));
    if (code !== -32_603) expect((await heard(answerTo(8))).result?.content?.[0]?.text).toBe('still here');
    await serving.close();
  });

  test.each([
    '"result":[]',
    '"result":{"_meta":[]}',
    '"result":{},"x":1',
    '"error":null',
    '"error":{"code":"x"}',
    '"x":1',
  ])('that is an answer to a question, in the form %s, is a denial at once', async (members) => {
    const { say, heard, serving } = await open(createRouter({ tools: [write], approve: elicitApproval() }));
    say(initialize({ elicitation: { form: {} } }));
    say(call(1, 'write'));
    const question = await heard(({ method }) => method === 'elicitation/create');
    say(`{"jsonrpc":"2.0","id":${JSON.stringify(question.id)},${members}}\n`);
    expect((await heard(answerTo(1))).result?.isError).toBe(true);
    await serving.close();
  });

  test('in pieces, or several lines at once, is read by lines', async () => {
    const { input, say, heard, serving } = await open(createRouter({ tools: [echo] }));
    say(initialize());
    await heard(answerTo('init'));
    const text = `${JSON.stringify(call(1, 'echo', { text: 'grüße 🌍' }))}\r\n${JSON.stringify(call(2, 'echo', { text: 'b' }))}\n`;
    for (const byte of Buffer.from(text)) input.write(Buffer.of(byte));
    expect((await heard(answerTo(1))).result?.content?.[0]?.text).toBe('grüße 🌍');
    expect((await heard(answerTo(2))).result?.content?.[0]?.text).toBe('b');
    await serving.close();
  });

  test('without end is too long: the connection ends', async () => {
    const { input, serving, errors } = await open(createRouter({ tools: [echo] }), { maxMessageBytes: 1_000 });
    input.write('{'.repeat(2_000));
    await serving.closed;
    expect(errors.join()).toMatch(/size|exceed/i);
  });

  test('that nobody will answer does not hold up the end', async () => {
    const { input, say, heard, serving, errors } = await open(createRouter({ tools: [echo] }), { drain: 60_000 });
    say(initialize());
    await heard(answerTo('init'));
    const before = errors.length;
    const odd = [
      { jsonrpc: '2.0', id: 1.5, method: 'tools/call', params: {} },
      { jsonrpc: '2.0', id: null, method: 'tools/call', params: {} },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: [] },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { _meta: { progressToken: {} } } },
      { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { _meta: 'x' } },
      { jsonrpc: '2.0', id: 5, method: 'tools/call', params: {}, more: true },
      { jsonrpc: '2.0', id: 6, method: 7 },
      { id: 8, method: 'tools/call', params: {} },
      { jsonrpc: '2.0', id: 9, method: 'tools/list', result: {} },
    ];
    for (const message of odd) say(message);
    say('{"jsonrpc":"2.0","id":10,"method":"tools/list","__proto__":{}}\n');
    say(call(11, 'echo', { text: 'a' }));
    await heard(answerTo(11));
    expect(errors.length - before).toBe(odd.length + 1);
    input.end();
    await serving.closed;
  });

  test('under an id that is in use is refused', async () => {
    let release: (value: unknown) => void = () => {};
    const waits = defineTool({
      name: 'waits',
      description: 'Waits.',
      permission: 'read',
      parameters: { type: 'object', properties: {} },
      handler: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    const router = createRouter({ tools: [waits, echo] });
    const started = new Promise<void>((resolve) => router.on('start', () => resolve()));
    const { say, heard, messages, serving } = await open(router);
    say(initialize());
    say(call(5, 'waits'));
    await started;
    say(call(5, 'echo', { text: 'x' }));
    expect((await heard(answerTo(5))).error).toMatchObject({ code: -32600 });
    release('done');
    await heard((message) => message.id === 5 && message.result?.content?.[0]?.text === 'done');
    expect(messages.filter(answerTo(5))).toHaveLength(2);
    await serving.close();
  });
});

describe('the end of the input', () => {
  test('lets calls under way be answered', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Takes a moment.',
      permission: 'read',
      parameters: { type: 'object', properties: {} },
      handler: () => new Promise((resolve) => setTimeout(() => resolve('late'), 30)),
    });
    const { input, say, heard, serving } = await open(createRouter({ tools: [slow] }));
    say(initialize());
    say(call(1, 'slow'));
    input.end();
    expect((await heard(answerTo(1))).result?.content?.[0]?.text).toBe('late');
    await serving.closed;
  });

  test('aborts those that take longer than they may', async () => {
    const aborted: string[] = [];
    const hangs = defineTool({
      name: 'hangs',
      description: 'Hangs.',
      permission: 'read',
      parameters: { type: 'object', properties: {} },
      handler: (_args, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            aborted.push('hangs');
            resolve('');
          }),
        ),
    });
    const { input, say, serving } = await open(createRouter({ tools: [hangs] }), { drain: 20 });
    say(initialize());
    say(call(1, 'hangs'));
    input.end();
    await serving.closed;
    expect(aborted).toEqual(['hangs']);
  });

  test('is no approval, and does not wait for one', async () => {
    const router = createRouter({ tools: [write], approve: elicitApproval() });
    const { input, say, heard, serving } = await open(router);
    say(initialize({ elicitation: { form: {} } }));
    say(call(1, 'write'));
    await heard(({ method }) => method === 'elicitation/create');
    input.end();
    const { result } = await heard(answerTo(1));
    expect(result?.isError).toBe(true);
    expect(result?.content?.[0]?.text).toContain('could not be approved');
    await serving.closed;
  });
});

test('a call that waits for approval can be withdrawn, and so is its question', async () => {
  const router = createRouter({ tools: [write], approve: elicitApproval() });
  const ended = new Promise<string>((resolve) =>
    router.on('end', ({ result }) => resolve(result.ok ? '' : result.code)),
  );
  const { say, heard, messages, serving } = await open(router);
  say(initialize({ elicitation: { form: {} } }));
  say(call(1, 'write'));
  const question = await heard(({ method }) => method === 'elicitation/create');
  say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(await ended).toBe('aborted');
  await heard(({ method, params }) => method === 'notifications/cancelled' && params?.['requestId'] === question.id);
  // A yes that comes too late does nothing.
  say({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { decision: 'allow once' } } });
  say(call(2, 'nothing'));
  await heard(answerTo(2));
  expect(messages.filter(answerTo(1))).toEqual([]);
  await serving.close();
});

test('a question that nobody waits for any more is withdrawn', async () => {
  const router = createRouter({ tools: [write], approve: elicitApproval(), approveTimeout: 20 });
  const { say, heard, serving } = await open(router);
  say(initialize({ elicitation: { form: {} } }));
  say(call(1, 'write'));
  const question = await heard(({ method }) => method === 'elicitation/create');
  expect((await heard(answerTo(1))).result?.content?.[0]?.text).toContain('Nobody approved');
  await heard(({ method, params }) => method === 'notifications/cancelled' && params?.['requestId'] === question.id);
  await serving.close();
});

test('a subscription does not keep a connection from ending', async () => {
  const { input, say, heard, serving } = await open(createRouter({ tools: [echo] }));
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const params = { notifications: { toolsListChanged: true }, _meta };
  say({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
  await heard(({ method }) => method === 'notifications/subscriptions/acknowledged');
  const begun = performance.now();
  input.end();
  await serving.closed;
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('progress that is told after the end stays unsaid', async () => {
  let tell: (data: unknown) => void = () => {};
  const leaves = defineTool({
    name: 'leaves',
    description: 'Keeps its context.',
    permission: 'read',
    parameters: { type: 'object', properties: {} },
    handler: (_args, { progress }) => {
      tell = progress;
      progress(1);
      return 'done';
    },
  });
  const { say, heard, messages, serving } = await open(createRouter({ tools: [leaves, echo] }));
  say(initialize());
  say({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'leaves', arguments: {}, _meta: { progressToken: 'p' } },
  });
  await heard(answerTo(1));
  tell(2);
  say(call(2, 'echo', { text: 'x' }));
  await heard(answerTo(2));
  expect(messages.filter(({ method }) => method === 'notifications/progress')).toHaveLength(1);
  await serving.close();
});

test('a reader that goes away ends the connection and not the program', async () => {
  const input = new PassThrough();
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const errors: string[] = [];
  const onError = ({ message }: Error): void => {
    errors.push(message);
  };
  const serving = await serveMcpStdio(createRouter({ tools: [echo] }), { input, output, onError });
  input.write(`${JSON.stringify(initialize())}\n`);
  await serving.closed;
  expect(errors).toContain('write EPIPE');
  await serving.close();
});

test.each([
  [{ drain: 0 }],
  [{ maxMessageBytes: -1 }],
  [{ maxInFlight: 0 }],
  [{ pageSize: 1.5 }],
  [{ approvals: 'always' }],
  [{ nmae: 'x' }],
])('refuses %j', async (options) => {
  await expect(serveMcpStdio(createRouter({ tools: [echo] }), options as McpStdioOptions)).rejects.toThrow(TypeError);
});

test('standard output is given back as it was', () => {
  const written: string[] = [];
  const sink = (name: string): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        written.push(`${name}: ${chunk}`);
        done();
      },
    });
  const stdout = sink('out');
  const { output, release } = guardOutput(stdout, sink('err'));
  output.write('protocol');
  stdout.write('a handler');
  release();
  stdout.write('the program');
  expect(written).toEqual(['out: protocol', 'err: a handler', 'out: the program']);
  expect(Object.hasOwn(stdout, 'write')).toBe(false);
});

test('a program that prints serves clean messages, answers all of its input, and ends by itself', async () => {
  const program = fileURLToPath(new URL('./stdio-program.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.end(`${JSON.stringify(initialize())}\n${JSON.stringify(call(1, 'noisy'))}\n`);
  const code = await new Promise((resolve) => child.on('close', resolve));
  const lines = out.trimEnd().split('\n');
  expect(lines.pop()).toBe('printed after the end');
  expect(lines.map((line) => (JSON.parse(line) as Message).id)).toEqual(['init', 1]);
  expect(out).toContain('quiet');
  for (const printed of ['console.log', 'console.table', 'process.stdout']) expect(err).toContain(`by ${printed}`);
  expect(code).toBe(0);
});
