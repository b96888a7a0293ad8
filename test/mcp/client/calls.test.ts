import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistry, createRouter, type ToolResult, toModelText } from '../../../src/index.ts';
import { type McpServerConnection, mcpTools } from '../../../src/mcp/index.ts';
import { fromMcpResult, toMcpResult } from '../../../src/mcp/results.ts';
import type { Router } from '../../../src/router.ts';
import { listed, never, type PlayedServer, play, RpcError, type Script } from './played-server.ts';

async function serving(
  call: Script['call'],
  tool: object = {},
  options: { timeout?: number } = {},
): Promise<{ router: Router; server: PlayedServer; connection: McpServerConnection }> {
  const registry = createRegistry();
  const server = await play({
    tools: [listed('t', { inputSchema: { type: 'object' }, ...tool })],
    ...(call && { call }),
  });
  const connection = await mcpTools(server.client, { name: 's', registry, ...options });
  return { router: createRouter({ registry, mode: 'trusted' }), server, connection };
}

async function answerTo(result: unknown, tool: object = {}): Promise<ToolResult> {
  const { router } = await serving(() => result, tool);
  return router.call({ id: 'c1', name: 's.t' });
}

const png = 'iVBORw0KGgo=';
const text = { type: 'text', text: 'hello' };
const blocks = [
  text,
  { type: 'text', text: 'for people', annotations: { audience: ['user'], priority: 0.5 }, _meta: { a: 1 } },
  { type: 'image', data: png, mimeType: 'image/png' },
  { type: 'audio', data: png, mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'demo://1', mimeType: 'text/plain', text: 'inside', _meta: { b: 2 } } },
  { type: 'resource', resource: { uri: 'demo://2', blob: png } },
  { type: 'resource_link', uri: 'demo://3', name: 'three', title: 'Three', size: 3, icons: [{ src: 'demo://i' }] },
];

describe('a result of a server', () => {
  const exact: [string, object][] = [
    ['one text', { content: [text] }],
    ['every kind of block', { content: blocks }],
    ['nothing', { content: [] }],
    ['text and structured content', { content: [text], structuredContent: { content: 'hello', n: 1 } }],
    ['blocks and structured content that is no object', { content: [text], structuredContent: [1, 2] }],
    ['meta', { content: [text], _meta: { 'example.com/trace': 'x' } }],
    ['a failure', { content: [{ type: 'text', text: 'No such note.' }], isError: true }],
    ['a failure with more', { content: blocks, structuredContent: { a: 1 }, isError: true, _meta: { c: 3 } }],
    ['a failure of blanks', { content: [{ type: 'text', text: ' \n' }], isError: true }],
    ['a failure with meta only', { content: [text], isError: true, _meta: { a: 1 } }],
    ['a failure without a word', { content: [], isError: true }],
  ];
  test.each(exact)('comes out as it came in: %s', async (_, sent) => {
    expect(toMcpResult(await answerTo(sent))).toEqual(sent);
  });

  test('comes out as it came in, whatever blocks it has', () => {
    const block = fc.constantFrom(...blocks);
    const result = fc.record(
      {
        content: fc.array(block),
        structuredContent: fc.dictionary(fc.string(), fc.jsonValue()),
        _meta: fc.dictionary(fc.constantFrom('a', 'b/c'), fc.jsonValue(), { minKeys: 1 }),
      },
      { requiredKeys: ['content'] },
    );
    fc.assert(
      fc.property(result, (sent) => {
        const data = fromMcpResult(structuredClone(sent), 't');
        const out = toMcpResult({ ok: true, tool_name: 't', data, error: null, call_id: 'c', meta: {} });
        // What has no blocks gets its data as one, for whoever reads only those.
        const added = sent.content.length === 0 && sent.structuredContent !== undefined;
        if (added)
          expect(out).toEqual({ ...sent, content: [{ type: 'text', text: JSON.stringify(sent.structuredContent) }] });
        else expect(out).toEqual(sent);
      }),
    );
  });

  test('that is one plain text is that text; one that is an object is that object', async () => {
    expect(await answerTo({ content: [text] })).toMatchObject({ ok: true, data: 'hello' });
    const result = await answerTo({ content: [], structuredContent: { total: 3 } });
    expect(result).toMatchObject({ ok: true, data: { total: 3 } });
    expect(toModelText(result)).toContain('3');
    // Also where the server has nothing in blocks for a value that is no object.
    expect(toModelText(await answerTo({ content: [], structuredContent: [3] }))).toBe('[3]');
  });

  test('has the words of its failure, and can be told from others', async () => {
    expect(await answerTo({ content: [text, { type: 'text', text: 'again' }], isError: true })).toMatchObject({
      ok: false,
      code: 'tool_error',
      error: 'hello\nagain',
      effect: 'unknown',
      details: { reason: 'is_error' },
    });
    expect(await answerTo({ content: [], isError: true })).toMatchObject({
      error: 's.t failed, and its server does not say why.',
    });
    expect(await answerTo({ isError: true, structuredContent: { why: 'full' } })).toMatchObject({
      error: '{"why":"full"}',
    });
  });

  test.each([
    [{ type: 'video', uri: 'x' }, '{"type":"video","uri":"x"}'],
    [{ type: 'text' }, '{"type":"text"}'],
    [
      { type: 'image', data: 'not base64!', mimeType: 'image/png' },
      '{"type":"image","data":"not base64!","mimeType":"image/png"}',
    ],
    [{ type: 'resource', resource: {} }, '{"type":"resource","resource":{}}'],
    [{ type: 'video', data: 'x'.repeat(20_000) }, '[video: a block of a form that is not known, left out]'],
    [null, 'null'],
    ['bare', '"bare"'],
    [['list'], '["list"]'],
  ])('with a block that is none has it as text: %j', async (block, shown) => {
    expect(await answerTo({ content: [block] })).toMatchObject({ ok: true, data: shown });
  });

  test('has images mended that are broken into lines or say nothing of their kind', async () => {
    const sent = {
      content: [
        { type: 'image', data: 'iVBO\r\nRw0K\nGgo=' },
        { type: 'audio', data: png, mimeType: 'a/b' },
      ],
    };
    expect(await answerTo(sent)).toMatchObject({
      data: {
        content: [
          { type: 'image', data: png, mimeType: 'application/octet-stream' },
          { data: png, mimeType: 'a/b' },
        ],
      },
    });
  });

  test('of a million blocks is not looked at whole', async () => {
    const block = { type: 'image', data: png, mimeType: 'image/png' };
    const data = fromMcpResult({ content: new Array(1_000_000).fill(block) }, 't') as { content: unknown[] };
    expect(data.content.at(-1)).toEqual({ type: 'text', text: '[990000 more blocks left out.]' });
  });

  test('of the first revision is still understood', async () => {
    expect(await answerTo({ toolResult: { a: 1 } })).toMatchObject({ ok: true, data: { a: 1 } });
  });

  test.each([[{}], [{ content: 'text' }], [{ content: { type: 'text' } }]])(
    'that is none is refused: %j',
    async (sent) => {
      expect(await answerTo(sent)).toMatchObject({ ok: false, code: 'invalid_output' });
    },
  );

  test('is cleaned like that of any other tool', async () => {
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ';
    const result = await answerTo({
      content: [{ type: 'text', text: `a\u001b[2Jb ${secret}` }, text],
      structuredContent: { key: secret },
      _meta: { key: secret },
    });
    expect(JSON.stringify(result)).not.toContain(secret.slice(10));
    expect(JSON.stringify(result)).not.toContain('[2J');
    expect(result.meta).toMatchObject({ cleaned: true, redacted: expect.anything() });
  });

  test('of a huge size is cut, structured content within its schema', async () => {
    const huge = 'x'.repeat(3_000_000);
    const result = await answerTo(
      { content: [{ type: 'text', text: huge }, text], structuredContent: { text: huge } },
      { outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
    );
    expect(result.ok).toBe(true);
    expect(JSON.stringify(result).length).toBeLessThan(600_000);
    expect((result.data as { structuredContent: { text: string } }).structuredContent.text).toContain('cut here');
  });

  test('is held to the output schema, structured content and all', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const tool = { outputSchema };
    expect(await answerTo({ content: [text], structuredContent: { n: 1 } }, tool)).toMatchObject({ ok: true });
    expect(await answerTo({ content: [], structuredContent: { n: 1 } }, tool)).toMatchObject({
      ok: true,
      data: { n: 1 },
    });
    expect(await answerTo({ content: [text], structuredContent: { n: 'x' } }, tool)).toMatchObject({
      code: 'invalid_output',
    });
    expect(await answerTo({ content: [text] }, tool)).toMatchObject({ code: 'invalid_output' });
    expect(await answerTo({ content: [text], isError: true }, tool)).toMatchObject({ code: 'tool_error' });
  });
});

describe('an error of the protocol', () => {
  test.each([
    [-32602, 'Invalid params: n must be a number', 'invalid_arguments', 'unknown'],
    [-32602, 'Unknown tool: t', 'unavailable', 'none'],
    [-32602, 'Tool t not found', 'unavailable', 'none'],
    [-32602, 'Tool "t" does not exist', 'unavailable', 'none'],
    [-32602, 'File not found: notes/a.md', 'invalid_arguments', 'unknown'],
    [-32601, 'Method not found', 'unavailable', 'none'],
    [-32603, 'It broke', 'tool_error', 'unknown'],
    [-32000, 'Custom', 'tool_error', 'unknown'],
    [42, '', 'tool_error', 'unknown'],
  ])('%i "%s" is %s', async (code, message, expected, effect) => {
    const { router } = await serving(() => new RpcError(code, message));
    const result = await router.call({ name: 's.t' });
    expect(result).toMatchObject({ ok: false, code: expected, effect, details: { reason: 'protocol_error', code } });
    if (message !== '') expect(result.error).toContain(message);
  });
});

describe('a call', () => {
  test('carries its arguments and what the server tells of its progress', async () => {
    const { router, server } = await serving((params, { notify }) => {
      const { progressToken } = params['_meta'] as { progressToken: number };
      notify('notifications/progress', { progressToken, progress: 1, total: 2, message: 'half\u0007' });
      notify('notifications/progress', { progressToken: 99, progress: 9 });
      return { content: [text] };
    });
    const told: unknown[] = [];
    router.on('progress', ({ data }) => told.push(data));
    await router.call({ name: 's.t', arguments: { a: { b: [1] } } });
    expect(server.received.at(-1)?.params).toMatchObject({ name: 't', arguments: { a: { b: [1] } } });
    expect(told).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  test('that is withdrawn is withdrawn at the server', async () => {
    const { router, server } = await serving(() => never);
    const controller = new AbortController();
    const pending = router.call({ name: 's.t' }, { signal: controller.signal });
    await sent(server, 'tools/call');
    controller.abort(new Error('no longer needed'));
    expect(await pending).toMatchObject({ ok: false, code: 'aborted', effect: 'unknown' });
    await sent(server, 'notifications/cancelled');
    const { id } = server.received.find(({ method }) => method === 'tools/call') as { id: unknown };
    expect(server.received.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  });

  test('that takes too long ends at its own deadline, and an answer after that is dropped', async () => {
    const { router, server } = await serving(() => never, {}, { timeout: 30 });
    expect(await router.call({ name: 's.t' })).toMatchObject({ ok: false, code: 'timeout', details: { limit_ms: 30 } });
    await sent(server, 'notifications/cancelled');
    const { id } = server.received.find(({ method }) => method === 'tools/call') as { id: unknown };
    server.answer(id, { content: [text] });
    server.script.call = () => ({ content: [text] });
    expect(await router.call({ name: 's.t' })).toMatchObject({ ok: true });
  });

  test('gets its own answer among many, in whatever order they come', async () => {
    const waiting: [unknown, unknown][] = [];
    const { router } = await serving((params, server, id) => {
      waiting.push([id, (params['arguments'] as { n: number }).n]);
      if (waiting.length === 50) {
        for (const [id, n] of waiting.reverse()) server.answer(id, { content: [{ type: 'text', text: `${n}` }] });
      }
      return never;
    });
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) => router.call({ name: 's.t', arguments: { n } })),
    );
    expect(results.map(({ data }) => data)).toEqual(results.map((_, n) => `${n}`));
  });

  test('of a server that goes away meanwhile may have taken effect; later ones are not even tried', async () => {
    const { router, server, connection } = await serving(() => never);
    const pending = router.call({ name: 's.t' });
    await sent(server, 'tools/call');
    await server.die();
    expect(await pending).toMatchObject({ ok: false, code: 'unavailable', effect: 'unknown', retryable: true });
    expect(await router.call({ name: 's.t' })).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      retryable: false,
      error: 's.t is not available now: its server "s" has ended and is not started again.',
    });
    expect(connection.status).toBe('failed');
  });

  test('of a closed connection says so', async () => {
    const { router, connection, server } = await serving(() => never);
    const tool = router.registry.get('s.t') as NonNullable<ReturnType<typeof router.registry.get>>;
    await connection.close();
    // The program's own client stays connected.
    await expect(server.client.ping()).rejects.toThrow('Method not found');
    router.registry.add(tool);
    expect(await router.call({ name: 's.t' })).toMatchObject({ code: 'unavailable', effect: 'none' });
  });
});

/** Waits until the server has got a message of this kind. */
async function sent({ received }: PlayedServer, method: string): Promise<void> {
  while (!received.some((message) => message.method === method)) await new Promise((resolve) => setImmediate(resolve));
}
