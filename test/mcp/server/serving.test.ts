import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createRegistry, createRouter, type Tool } from 'callgate';
import { elicitApproval, mcpClient, mcpServer, serveMcpHttp } from 'callgate/mcp';
import type { ApprovalRequest } from 'callgate/policy';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Progress, type ProgressNote } from '../../../src/mcp/server/progress.ts';
import { connected, lines } from './support.ts';

function tool(name: string, handler: Tool['handler'] = () => 'done', permission = 'read'): Tool {
  return { name, description: `The tool ${name}.`, permission, parameters: { type: 'object' }, handler };
}

describe('pages of tools', () => {
  test.each(lines)('%s: hold every tool once', async (line) => {
    const names = Array.from({ length: 7 }, (_, at) => `tool_${at}`);
    const router = createRouter({ tools: names.map((name) => tool(name)) });
    await using client = await connected(router, line, 'memory', { serve: { pageSize: 3 } });
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await client.list(cursor);
      seen.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
      pages++;
      // The official client of 2.x reads on by itself when it is given no cursor.
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
    expect(pages).toBe(line === 'sdk 1.x' ? 3 : 1);
  });

  test('go on where they were when tools come and go, and say when they cannot', async () => {
    const registry = createRegistry(['a', 'b', 'c', 'd'].map((name) => tool(name)));
    const router = createRouter({ registry });
    await using client = await connected(router, 'sdk 1.x', 'memory', { serve: { pageSize: 2 } });
    const { nextCursor } = await client.list();
    registry.remove('a');
    expect((await client.list(nextCursor)).tools.map(({ name }) => name)).toEqual(['c', 'd']);
    registry.remove('b');
    await expect(client.list(nextCursor)).rejects.toMatchObject({ code: -32602 });
    await expect(client.list('nonsense')).rejects.toMatchObject({ code: -32602 });
  });
});

test('structured content that is no object reaches clients of every line in the form that they know', async () => {
  const list = tool('list', () => ({
    type: 'content',
    content: [{ type: 'text', text: '[1,2]' }],
    structuredContent: [1, 2],
  }));
  const router = createRouter({ tools: [list] });
  for (const line of lines) {
    await using client = await connected(router, line, 'memory');
    const { structuredContent } = await client.call('list');
    expect(structuredContent).toEqual(line === 'client 2.x, 2026-07-28' ? [1, 2] : { result: [1, 2] });
  }
});

describe('runs', () => {
  test('each session has its own, and keeps it', async () => {
    const router = createRouter({ tools: [tool('work')], principal: 'the house' });
    const runs: { id: string; principal?: string }[] = [];
    router.on('start', ({ run }) => runs.push(run));
    await using first = await connected(router, 'sdk 1.x', 'memory');
    await using second = await connected(router, 'sdk 1.x', 'memory');
    await first.call('work');
    await first.call('work');
    await second.call('work');
    expect(runs[0]!.id).toMatch(/^mcp_[0-9a-f-]{36}$/);
    expect(runs[1]!.id).toBe(runs[0]!.id);
    expect(runs[2]!.id).not.toBe(runs[0]!.id);
    expect(runs.map(({ principal }) => principal)).toEqual(['the house', 'the house', 'the house']);
  });

  test('where the protocol has no sessions, all calls of a principal are of one', async () => {
    const router = createRouter({ tools: [tool('work')] });
    const runs: string[] = [];
    router.on('start', ({ run }) => runs.push(run.id));
    await using client = await connected(router, 'client 2.x, 2026-07-28', 'http');
    await client.call('work');
    await client.call('work');
    expect(new Set(runs).size).toBe(1);
  });
});

describe('who is asked', () => {
  const write = tool('write', () => 'wrote', 'write');

  test('nobody where the server is told so', async () => {
    const elicit = vi.fn(() => ({ action: 'accept', content: { decision: 'allow once' } }));
    const router = createRouter({ tools: [write], approve: elicitApproval() });
    await using client = await connected(router, 'sdk 1.x', 'memory', { elicit, serve: { approvals: 'deny' } });
    const denied = await client.call('write');
    expect(denied.isError).toBe(true);
    expect(denied.content.at(-1)?.text).toContain('asks nobody');
    expect(elicit).not.toHaveBeenCalled();
  });

  test('nobody where the router has no such approver, and the answer says so', async () => {
    await using client = await connected(createRouter({ tools: [write] }), 'sdk 1.x', 'memory', {
      elicit: () => ({ action: 'accept', content: { decision: 'allow once' } }),
    });
    expect((await client.call('write')).content.at(-1)?.text).toContain('has not been set up to ask');
  });

  test('somebody else for calls that did not come over MCP, and for clients that cannot ask', async () => {
    const asked: ApprovalRequest[] = [];
    const otherwise = (request: ApprovalRequest): 'allow' => {
      asked.push(request);
      return 'allow';
    };
    const router = createRouter({ tools: [write], approve: elicitApproval({ otherwise }) });
    expect((await router.call({ name: 'write' })).ok).toBe(true);
    await using client = await connected(router, 'sdk 1.x', 'memory');
    expect((await client.call('write')).content[0]?.text).toBe('wrote');
    expect(asked.map((request) => request.tool)).toEqual(['write', 'write']);
  });

  test('nobody about more than can be judged', async () => {
    const elicit = vi.fn(() => ({ action: 'accept', content: { decision: 'allow once' } }));
    const router = createRouter({ tools: [write], approve: elicitApproval() });
    await using client = await connected(router, 'sdk 1.x', 'memory', { elicit });
    const denied = await client.call('write', { text: 'x'.repeat(30_000) });
    expect(denied.content[0]?.text).toContain('could not be approved');
    expect(elicit).not.toHaveBeenCalled();
  });

  test('with nothing in the question that hides or acts', async () => {
    const asked: string[] = [];
    const router = createRouter({ tools: [write], approve: elicitApproval() });
    await using client = await connected(router, 'sdk 1.x', 'memory', {
      elicit: ({ message }) => {
        asked.push(message);
        return { action: 'decline' };
      },
    });
    await client.call('write', { text: 'a\u001b[2Jb\u202ec\u200bd' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
    expect(asked[0]).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202e]/);
    expect(asked[0]).toContain('\\u202e');
  });

  test('only so long', async () => {
    const router = createRouter({ tools: [write], approve: elicitApproval({ timeout: 20 }) });
    await using client = await connected(router, 'sdk 1.x', 'memory', { elicit: () => new Promise(() => {}) });
    expect((await client.call('write')).content[0]?.text).toContain('could not be approved');
  });

  test.each([[{ timeout: 0 }], [{ otherwise: 'nobody' }], [{ timout: 1 }]])('not with %j', (options) => {
    expect(() => elicitApproval(options as never)).toThrow(TypeError);
  });
});

describe('the client of a call', () => {
  test('answers its handler, in both eras', async () => {
    const asks = tool('asks', async (_args, context) => {
      const client = mcpClient(context);
      client?.log('info', 'asking');
      const answer = await client?.elicit({
        message: 'Which colour?',
        requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
      });
      return { answer, name: client?.info?.name, can: [client?.can('elicit'), client?.can('sample')] };
    });
    for (const line of lines) {
      await using client = await connected(createRouter({ tools: [asks] }), line, 'memory', {
        elicit: () => ({ action: 'accept', content: { colour: 'red' } }),
      });
      expect((await client.call('asks')).structuredContent).toMatchObject({
        answer: { action: 'accept', content: { colour: 'red' } },
        name: 'test',
        can: [true, false],
      });
    }
  });

  test('is asked for nothing that it does not offer, and nothing after the call', async () => {
    let kept: ReturnType<typeof mcpClient>;
    const asks = tool('asks', async (_args, context) => {
      kept = mcpClient(context);
      return kept?.sample({ messages: [], maxTokens: 1 });
    });
    await using client = await connected(createRouter({ tools: [asks] }), 'sdk 1.x', 'memory');
    expect((await client.call('asks')).content[0]?.text).toContain('does not offer sampling/createMessage');
    await expect(kept?.elicit({ message: 'Still there?' })).rejects.toThrow('has ended');
  });

  test('is nobody where the call did not come over MCP', async () => {
    const asks = tool('asks', (_args, context) => mcpClient(context) === undefined);
    expect(await createRouter({ tools: [asks] }).call({ name: 'asks' })).toMatchObject({ data: true });
  });
});

test('progress only ever grows, whatever a tool says', () => {
  const said = fc.oneof(
    fc.double(),
    fc.string(),
    fc.record({ progress: fc.double(), total: fc.double(), message: fc.string() }, { requiredKeys: [] }),
    fc.anything(),
  );
  fc.assert(
    fc.property(fc.array(said, { maxLength: 30 }), (all) => {
      const notes: ProgressNote[] = [];
      const progress = new Progress(async (note) => {
        notes.push(note);
      });
      for (const data of all) progress.tell(data);
      for (const [at, note] of notes.entries()) {
        expect(Number.isFinite(note.progress)).toBe(true);
        if (at > 0) expect(note.progress).toBeGreaterThan(notes[at - 1]!.progress);
        expect(['undefined', 'string']).toContain(typeof note.message);
      }
    }),
  );
});

test('a client that takes no progress holds back no more than a few', async () => {
  const taken: ProgressNote[] = [];
  let take: () => void = () => {};
  const taking = new Promise<void>((resolve) => {
    take = resolve;
  });
  const progress = new Progress((note) => {
    taken.push(note);
    return taking;
  });
  for (let at = 0; at < 1_000; at++) progress.tell(at);
  expect(taken).toHaveLength(32);
  take();
  await progress.flushed();
  progress.tell(1_000);
  expect(taken).toHaveLength(33);
});

test('a connection that closes aborts its calls', async () => {
  const aborted = new Promise<void>((resolve) => {
    const router = createRouter({
      tools: [
        tool('hangs', (_args, { signal }) => new Promise(() => signal.addEventListener('abort', () => resolve()))),
      ],
    });
    router.on('start', () => setImmediate(() => far.close()));
    const [near, far] = InMemoryTransport.createLinkedPair();
    void (async () => {
      const server = await mcpServer(router)();
      await server.connect(near);
      await far.start();
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      await far.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      await far.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hangs', arguments: {} } });
    })();
  });
  await aborted;
});

test('closing twice, or both ways, closes once', async () => {
  const serving = await serveMcpHttp(createRouter({ tools: [tool('work')] }));
  await Promise.all([serving.close(), serving.close({ drain: 0 }), serving[Symbol.asyncDispose](), serving.closed]);
});
