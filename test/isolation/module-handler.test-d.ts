import { createRouter, defaultPipeline, defineTool, moduleHandler } from 'callgate';
import { isolate } from 'callgate/middleware';
import { expectTypeOf, test } from 'vitest';

test('a module’s handler fits every tool, and the data is what the output schema says', async () => {
  const add = defineTool({
    name: 'add',
    description: '',
    parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    paths: {},
    isolate: 'process',
    handler: moduleHandler(new URL('./add.js', import.meta.url), 'add'),
  });
  const router = createRouter({ tools: [add], isolation: { processes: 2 } });
  const result = await router.invoke(add, { a: 1 });
  if (result.ok) expectTypeOf(result.data.sum).toEqualTypeOf<number>();
  // @ts-expect-error an argument that the schema does not allow
  void router.invoke(add, { a: 'one' });
});

test('the stage takes the place of execute', () => {
  const mine = defaultPipeline().replace('execute', isolate({ memory: 64 * 1_048_576 }));
  expectTypeOf(mine.names).toExtend<readonly string[]>();
  // @ts-expect-error there is no such kind of isolation
  void defineTool({ name: 'x', description: '', parameters: {}, isolate: 'box', handler: moduleHandler('x', 'y') });
  // @ts-expect-error the engine is the validate stage's
  void createRouter({ tools: [], isolation: { engine: undefined } });
});
