import { createRegistry, createRouter, defineTool, ToolError } from 'callgate';
import { elicitApproval } from 'callgate/mcp';
import { describe, expect, test } from 'vitest';
import { nextTurn } from '../../support.ts';
import { connected, lines, transports } from './support.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  permission: 'read',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  annotations: { readOnly: true, openWorld: false },
  handler: ({ a, b }) => ({ sum: a + b }),
});

const slash = defineTool({
  name: 'notes/list',
  description: 'Lists notes.',
  permission: 'read',
  parameters: { type: 'object', properties: {} },
  handler: () => 'none',
});

const broken = defineTool({
  name: 'broken',
  description: 'Fails.',
  permission: 'read',
  parameters: { type: 'object', properties: {} },
  handler: () => {
    throw new ToolError('The disk is full. Delete something first.');
  },
});

const steps = defineTool({
  name: 'steps',
  description: 'Tells how far it is.',
  permission: 'read',
  parameters: { type: 'object', properties: {} },
  handler: async (_args, { progress }) => {
    progress({ progress: 1, total: 3, message: 'one' });
    progress({ progress: 1, total: 3, message: 'again' });
    await null;
    progress('between');
    progress(2);
    return 'done';
  },
});

const forbidden = defineTool({
  name: 'forbidden',
  description: 'Is denied in this mode.',
  permission: 'dangerous',
  parameters: { type: 'object', properties: {} },
  handler: () => 'ran',
});

const write = defineTool({
  name: 'write',
  description: 'Writes.',
  permission: 'write',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => `wrote ${text}`,
});

const matrix = lines.flatMap((line) => transports.map((over) => [line, over] as const));

describe.each(matrix)('%s over %s', (line, over) => {
  test('lists what is offered, with schemas and annotations as they are', async () => {
    const router = createRouter({ tools: [add, slash, forbidden], mode: 'plan' });
    await using client = await connected(router, line, over);
    const { tools } = await client.list();
    expect(tools.map(({ name }) => name)).toEqual(['add', 'notes__list']);
    expect(tools[0]).toMatchObject({
      description: 'Adds two numbers.',
      inputSchema: add.parameters,
      outputSchema: add.output,
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
  });

  test('calls give text and structured content, under the name that was listed', async () => {
    await using client = await connected(createRouter({ tools: [add, slash] }), line, over);
    const sum = await client.call('add', { a: 1, b: 2 });
    expect(sum.structuredContent).toEqual({ sum: 3 });
    expect(sum.content).toEqual([{ type: 'text', text: '{"sum":3}' }]);
    expect((await client.call('notes__list')).content).toEqual([{ type: 'text', text: 'none' }]);
  });

  test('failures are results with the text for the model', async () => {
    await using client = await connected(createRouter({ tools: [add, broken] }), line, over);
    const failed = await client.call('broken');
    expect(failed).toMatchObject({ isError: true });
    expect(failed.content[0]?.text).toBe('The disk is full. Delete something first.');
    const invalid = await client.call('add', { a: 'one', b: 2 });
    expect(invalid.isError).toBe(true);
    expect(invalid.content[0]?.text).toContain('/a must be number');
  });

  test('a tool that does not exist is a protocol error, with the names that are like it', async () => {
    await using client = await connected(createRouter({ tools: [add] }), line, over);
    const error = await client.call('ad', {}).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: -32602 });
    expect((error as Error).message).toContain('add');
  });

  test('progress comes in order, only grows, and before the result', async () => {
    await using client = await connected(createRouter({ tools: [steps] }), line, over);
    const told: { progress: number; total?: number; message?: string }[] = [];
    const result = await client.call('steps', {}, { onprogress: (progress) => told.push(progress as never) });
    expect(result.content[0]?.text).toBe('done');
    expect(told.map(({ message }) => message)).toEqual(['one', 'between', undefined]);
    expect(told.map(({ progress }) => progress)).toEqual([1, expect.closeTo(1, 6), 2]);
    expect(told[1]!.progress).toBeGreaterThan(1);
  });

  test('a call that the client cancels is aborted', async () => {
    const aborted = withResolvers();
    const begun = withResolvers();
    const hangs = defineTool({
      name: 'hangs',
      description: 'Hangs.',
      permission: 'read',
      parameters: { type: 'object', properties: {} },
      handler: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(signal.reason);
          });
          begun.resolve();
        }),
    });
    await using client = await connected(createRouter({ tools: [hangs] }), line, over);
    const controller = new AbortController();
    const call = client.call('hangs', {}, { signal: controller.signal }).catch((error: unknown) => error);
    await begun.promise;
    controller.abort();
    await aborted.promise;
    expect(await call).toBeInstanceOf(Error);
  });

  test('tools that come are told of, once for a burst', async () => {
    const registry = createRegistry([add]);
    const changed = withResolvers();
    let times = 0;
    const onToolsChanged = (): void => {
      times++;
      changed.resolve();
    };
    await using client = await connected(createRouter({ registry }), line, over, { onToolsChanged });
    if (over === 'http') await streamIsOpen(client);
    registry.add(slash);
    registry.add(broken);
    await changed.promise;
    expect(times).toBe(1);
    expect((await client.list()).tools).toHaveLength(3);
  });

  test('of a mode in which other tools are offered they are told too, and of no other', async () => {
    const router = createRouter({ tools: [add, write], mode: 'auto' });
    const told: number[] = [];
    let changed = withResolvers();
    const onToolsChanged = async (): Promise<void> => {
      told.push((await client.list()).tools.length);
      changed.resolve();
    };
    await using client = await connected(router, line, over, { onToolsChanged });
    if (over === 'http') await streamIsOpen(client);
    router.mode = 'trusted';
    router.mode = 'plan';
    router.mode = 'ask';
    await nextTurn();
    router.mode = 'plan';
    await changed.promise;
    changed = withResolvers();
    router.mode = 'ask';
    await changed.promise;
    expect(told).toEqual([1, 2]);
  });

  test('what needs approval is asked of the person at the client, and denied by anything but a yes', async () => {
    const asked: string[] = [];
    let answer: unknown;
    const elicit = (params: { message: string }): unknown => {
      asked.push(params.message);
      return answer;
    };
    const router = createRouter({ tools: [write], approve: elicitApproval() });
    await using client = await connected(router, line, over, { elicit });
    answer = { action: 'accept', content: { decision: 'allow once' } };
    expect((await client.call('write', { text: 'this' })).content[0]?.text).toBe('wrote this');
    expect(asked[0]).toContain('write');
    expect(asked[0]).toContain('"text": "this"');
    // It was for the one call.
    for (const no of [
      { action: 'accept', content: { decision: 'deny' } },
      { action: 'accept', content: {} },
      { action: 'decline' },
      { action: 'cancel' },
    ]) {
      answer = no;
      const denied = await client.call('write', { text: 'this' });
      expect(denied).toMatchObject({ isError: true });
      expect(denied.content[0]?.text).toContain('declined');
    }
    expect(asked).toHaveLength(5);
  });

  test('where the client can ask nobody, the answer says so', async () => {
    const router = createRouter({ tools: [write], approve: elicitApproval() });
    await using client = await connected(router, line, over);
    const denied = await client.call('write', { text: 'this' });
    expect(denied.isError).toBe(true);
    expect(denied.content.map(({ text }) => text).join('\n')).toMatch(
      /needs approval.*Nothing was done[\s\S]*elicitation/,
    );
  });

  test('no more calls run at a time than one session may have', async () => {
    const release = withResolvers();
    const waits = defineTool({
      name: 'waits',
      description: 'Waits.',
      permission: 'read',
      parameters: { type: 'object', properties: {} },
      handler: async () => {
        await release.promise;
        return 'done';
      },
    });
    await using client = await connected(createRouter({ tools: [waits] }), line, over, { serve: { maxInFlight: 2 } });
    const refused: (string | undefined)[] = [];
    const all = Array.from({ length: 5 }, async () => {
      const result = await client.call('waits');
      if (result.isError === true && refused.push(result.content[0]?.text) === 3) release.resolve();
      return result;
    });
    const results = await Promise.all(all);
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(2);
    expect(refused[0]).toContain('2 calls are under way');
    expect((await client.call('waits')).content[0]?.text).toBe('done');
  });
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Over HTTP a client opens its stream for notifications without waiting for it. */
async function streamIsOpen(client: { list(): Promise<unknown> }): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await client.list();
}
