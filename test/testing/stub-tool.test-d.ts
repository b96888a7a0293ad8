import { defineTool } from 'callgate';
import { stubTool } from 'callgate/testing';
import { expectTypeOf, test } from 'vitest';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', default: 1 } },
    required: ['city'],
  },
  output: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
  handler: () => ({ celsius: 3 }),
});

test('a stub has the arguments and the data of the tool it stands in for', () => {
  const stub = stubTool(weather, [{ celsius: 3 }, new Error('none')]);
  expectTypeOf(stub.calls[0]?.args).toEqualTypeOf<{ city: string; days: number } | undefined>();
  stubTool(weather, ({ city, days }) => ({ celsius: city.length + days }));
  stubTool(weather, async (_, { signal }) => ({ celsius: signal.aborted ? 1 : 0 }));
  // @ts-expect-error: the data is an object
  stubTool(weather, ['cold']);
  // @ts-expect-error: celsius is a number
  stubTool(weather, () => ({ celsius: 'cold' }));
  // @ts-expect-error: there is no such argument
  stubTool(weather, ({ town }) => ({ celsius: town }));
});

test('under a name alone it takes and gives anything', () => {
  const stub = stubTool('anything', [1, 'two', new Error('three')]);
  expectTypeOf(stub.calls[0]?.args).toBeUnknown();
});
