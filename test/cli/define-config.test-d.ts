import { defineTool, step } from 'callgate';
import { describe, expectTypeOf, it } from 'vitest';
import { type Config, defineConfig } from '../../src/cli/define-config.ts';

const add = defineTool({
  name: 'add',
  description: 'Add.',
  parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  handler: ({ a }) => a,
});

describe('defineConfig', () => {
  it('takes typed tools, the options of the default pipeline and a change of it', () => {
    const config = defineConfig({
      tools: [add],
      roots: ['./workspace'],
      mode: 'ask',
      timeout: 1_000,
      approve: ({ tool }) => tool === 'add',
      pipeline: (standard) =>
        standard.after(
          'lookup',
          'look',
          step((ctx) => void ctx.tool.name),
        ),
      close: async () => {},
    });
    expectTypeOf(config).toEqualTypeOf<Config>();
  });

  it('refuses options that do not exist', () => {
    // @ts-expect-error the option is called tools
    defineConfig({ tool: [add] });
    // @ts-expect-error there is no stage of that name to change
    defineConfig({ pipeline: (standard) => standard.without('look') });
  });
});
