import { describe, expectTypeOf, it } from 'vitest';
import { forTools } from '../../middleware/for-tools.ts';
import { lookup } from '../../middleware/lookup.ts';
import { when } from '../../middleware/when.ts';
import type { ToolResult } from '../../src/result.ts';
import { step } from '../../src/traits.ts';
import type { Call, Found, Maybe, Next, Stage } from '../../src/types.ts';

const bare = (_ctx: Found, next: Next): Maybe<ToolResult> => next();
const plain: Stage = (_ctx, next) => next();

describe('the types of when and forTools', () => {
  it('give the condition the context, and need what the stage needs', () => {
    when((ctx) => {
      expectTypeOf(ctx).toEqualTypeOf<Call>();
      return true;
    }, plain);
    expectTypeOf(when((ctx: Found) => ctx.tool.name === 'a', plain)).toExtend<Stage<Found>>();
    expectTypeOf(when(() => true, bare)).toExtend<Stage<Found>>();
    expectTypeOf(forTools('*', bare)).toExtend<Stage<Found>>();
  });

  it('refuse a stage that adds something', () => {
    // @ts-expect-error lookup adds the tool, which later stages need for every call
    when(() => true, lookup());
    const tenant = step(() => ({ tenant: 'a' }));
    // @ts-expect-error as above
    forTools('*', tenant);
  });
});
