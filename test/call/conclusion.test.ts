import { createRouter, defaultPipeline, defineTool, isToolResult, type Stage, type ToolResult } from 'callgate';
import { expect, test } from 'vitest';

const add = defineTool({
  name: 'add',
  description: 'Adds one.',
  parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  permission: 'read',
  handler: ({ a }) => a + 1,
});

const failure = { ok: false, data: null, error: 'No.', code: 'unavailable', retryable: true, effect: 'none', meta: {} };

/** An object whose member says something else every time it is asked. */
function alternating(result: object, member: string, ...said: readonly unknown[]): object {
  let asked = 0;
  const get = (): unknown => said[asked++ % said.length];
  return Object.defineProperty({ ...result }, member, { get, enumerable: true });
}

class Answer {
  readonly #result: ToolResult;
  readonly data = 5;
  constructor(result: ToolResult) {
    this.#result = result;
  }
  get ok(): boolean {
    return this.#result.ok;
  }
  get tool_name(): string {
    return this.#result.tool_name;
  }
  get call_id(): string {
    return this.#result.call_id;
  }
  get error(): string | null {
    return this.#result.error;
  }
}

/** What stages may answer with that is not what it looks like. */
const answers: readonly (readonly [string, (result: ToolResult) => unknown])[] = [
  ['ok, and then not', (result) => alternating(result, 'ok', true, false)],
  ['ok, as often as it is looked at now', (result) => alternating(result, 'ok', true, true, false)],
  ['not ok, and then ok', (result) => alternating({ ...result, ...failure }, 'ok', false, true)],
  [
    'a result of its own making',
    ({ call_id }) => alternating({ tool_name: 'x', call_id, ...failure }, 'ok', true, false),
  ],
  ['an error that goes', (result) => alternating({ ...result, ...failure }, 'error', 'No.', undefined)],
  ['an id that changes', (result) => alternating(result, 'call_id', result.call_id, 'another')],
  ['a proxy', (result) => new Proxy(alternating(result, 'ok', true, false), {})],
  ['an instance of a class', (result) => new Answer(result)],
  ['an object that inherits from a result', (result) => Object.create(result)],
  ['what cannot be read', (result) => new Proxy(result, { get: () => expect.fail('unreadable') })],
];

const places: readonly (readonly [string, (answer: (result: ToolResult) => unknown) => Stage])[] = [
  ['stage', (answer) => async (_, next) => answer(await next()) as ToolResult],
  ['synchronous stage', (answer) => (_, next) => answer(next() as ToolResult) as ToolResult],
];

for (const [kind, stageOf] of places) {
  test.each(answers)(
    `a ${kind} outside of normalize gives a well-formed result where it answers with %s`,
    async (_, answer) => {
      const pipeline = defaultPipeline().before('normalize', 'odd', stageOf(answer));
      const result = await createRouter({ tools: [add], pipeline }).call({ id: 'c', name: 'add', arguments: { a: 1 } });
      expectPlain(result);
    },
  );
}

test('what a stage adds to a result stays, and so does the private cause of a failure', async () => {
  const causes: unknown[] = [];
  const throws = defineTool({ ...add, name: 'throws', handler: () => Promise.reject(new Error('out of paper')) });
  const pipeline = defaultPipeline()
    .before('normalize', 'noted', async (_, next) => ({ ...(await next()), noted: 1 }))
    .before('noted', 'passes', (_, next) => next());
  const router = createRouter({ tools: [add, throws], pipeline });
  router.on('end', ({ cause }) => causes.push(cause));
  expect(await router.call({ name: 'add', arguments: { a: 1 } })).toMatchObject({ ok: true, data: 2, noted: 1 });
  const passing = createRouter({
    registry: router.registry,
    pipeline: defaultPipeline().before('normalize', 'passes', (_, next) => next()),
  });
  passing.on('end', ({ cause }) => causes.push(cause));
  await passing.call({ name: 'throws', arguments: { a: 1 } });
  expect(causes).toEqual([undefined, new Error('out of paper')]);
});

/** A result whose members are data of its own, and that means one thing only. */
function expectPlain(result: ToolResult): void {
  expect(isToolResult(result)).toBe(true);
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(result))) {
    expect([name, 'value' in member]).toEqual([name, true]);
  }
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  expect(result).toMatchObject({ call_id: 'c', tool_name: 'add', meta: {} });
  if (!result.ok) expect([typeof result.error, typeof result.code]).toEqual(['string', 'string']);
}
