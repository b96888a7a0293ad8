import { describe, expectTypeOf, test } from 'vitest';
import { pipeline, type RouterPipeline } from '../src/pipeline.ts';
import type { ToolResult } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { guard, step } from '../src/traits.ts';
import type { Call, Found, Maybe, Ready, Stage } from '../src/types.ts';

declare const normalize: Stage;
declare const lookup: Stage<Call, { tool: Tool }>;
declare const validate: Stage<Found, { args: unknown }>;
declare const timeout: Stage<Found>;
declare const execute: Stage<Ready>;
const permission = guard(step((ctx: Ready) => (ctx.args === null ? ctx.fail('denied', 'no') : undefined)));

const mine = pipeline<{ user: string }>()
  .use('normalize', normalize)
  .use('lookup', lookup)
  .use('validate', validate)
  .use('permission', permission)
  .use('timeout', timeout)
  .use('execute', execute);

describe('what was added is typed for the stages after it', () => {
  test('by use', () => {
    pipeline<{ user: string }>()
      .use('lookup', lookup)
      .use(
        'tenant',
        step((ctx) => ({ tenant: ctx.tool.name })),
      )
      .use('uses', (ctx, next) => {
        expectTypeOf(ctx.tenant).toEqualTypeOf<string>();
        expectTypeOf(ctx.state).toEqualTypeOf<{ user: string }>();
        expectTypeOf(ctx.tool).toEqualTypeOf<Tool>();
        return next();
      });
  });

  test('and by anchor', () => {
    const edited = mine.after(
      'lookup',
      'tenant',
      step((ctx) => ({ tenant: ctx.tool.name })),
    );
    edited.after('tenant', 'uses', (ctx, next) => {
      expectTypeOf(ctx.tenant).toEqualTypeOf<string>();
      return next();
    });
    edited.before('validate', 'early', (ctx, next) => {
      expectTypeOf(ctx.tool).toEqualTypeOf<Tool>();
      return next();
    });
  });

  test('next takes what the stage says it adds', () => {
    const adds: Stage<Call, { tenant: string }> = (_, next) => {
      expectTypeOf(next).toEqualTypeOf<(adds: { tenant: string }) => Maybe<ToolResult>>();
      return next({ tenant: 'acme' });
    };
    pipeline()
      .use('tenant', adds)
      .use('uses', (ctx, next) => {
        expectTypeOf(ctx.tenant).toEqualTypeOf<string>();
        return next();
      });
  });
});

describe('mistakes do not compile', () => {
  test('forgetting to return', () => {
    // @ts-expect-error Type 'void' is not assignable to type 'Maybe<ToolResult>'
    pipeline().use('a', (_, next) => {
      next();
    });
    // @ts-expect-error the same, asynchronously
    pipeline().use('a', async (_, next) => {
      await next();
    });
  });

  test('a stage before what it needs', () => {
    // @ts-expect-error Property 'tool' is missing in type 'Call<unknown>' but required in type 'Found<unknown>'
    pipeline().use('validate', validate);
    // @ts-expect-error Property 'args' is missing
    mine.before('validate', 'early', execute);
    // @ts-expect-error what is added further in is not there further out
    mine.before('lookup', 'early', (ctx, next) => (ctx.tool ? next() : next()));
  });

  test('an unknown anchor, a missing target, a name used twice', () => {
    // @ts-expect-error '"gaurd"' is not one of the names
    mine.before('gaurd', 'x', normalize);
    // @ts-expect-error '"gaurd"' is not one of the names
    mine.after('gaurd', 'x', normalize);
    // @ts-expect-error '"gaurd"' is not one of the names
    mine.replace('gaurd', normalize);
    // @ts-expect-error '"gaurd"' is not one of the names
    mine.without('gaurd');
    // @ts-expect-error "lookup" is taken: names are used once in a pipeline
    mine.use('lookup', normalize);
    // @ts-expect-error "lookup" is taken: names are used once in a pipeline
    mine.before('normalize', 'lookup', normalize);
  });

  test('taking out a guard, or a stage that others build on', () => {
    mine.without('timeout');
    // @ts-expect-error a guard can only be replaced, however it came in
    mine.before('permission', 'second', permission).without('second');
    // @ts-expect-error as above
    mine.after('permission', 'second', permission).without('second');
    // @ts-expect-error a guard can only be replaced
    mine.without('permission');
    // @ts-expect-error "validate" needs its tool
    mine.without('lookup');
    // @ts-expect-error one of the two is a guard
    mine.without('timeout' as 'timeout' | 'permission');
  });

  test('and the message says why', () => {
    type Asked<N extends string> = Parameters<typeof mine.without<N>>[0];
    expectTypeOf<Asked<'timeout'>>().toEqualTypeOf<'timeout'>();
    expectTypeOf<
      Asked<'permission'>
    >().toEqualTypeOf<`"permission" is a guard and cannot be left out. To switch it off: replace('permission', allowAll())`>();
    expectTypeOf<
      Asked<'lookup'>
    >().toEqualTypeOf<'"lookup" cannot be left out: it adds what other stages build on. Replace it by one that adds the same'>();
    expectTypeOf<Asked<'gaurd'>>().toEqualTypeOf<'normalize' | 'timeout' | 'execute'>();
  });

  test('a replacement that adds less, or needs more, than the old one did', () => {
    mine.replace(
      'validate',
      step((ctx) => ({ args: { name: ctx.tool.name } })),
    );
    mine.replace(
      'permission',
      guard((_: Ready, next: () => Maybe<ToolResult>) => next()),
    );
    // @ts-expect-error a guard is replaced by a guard
    mine.replace('permission', (_, next) => next());
    // @ts-expect-error nothing would add the tool
    mine.replace('lookup', normalize);
    // @ts-expect-error arguments are not there yet
    mine.replace('lookup', execute);
  });

  test('calling next without what is to be added, or with something else', () => {
    // @ts-expect-error Expected 1 arguments
    const forgets: Stage<Call, { tenant: string }> = (_, next) => next();
    // @ts-expect-error Type 'number' is not assignable to type 'string'
    const wrong: Stage<Call, { tenant: string }> = (_, next) => next({ tenant: 1 });
    return [forgets, wrong];
  });

  test('a step that says yes or no instead of answering', () => {
    const yes = (): boolean => true;
    // @ts-expect-error 'boolean' is neither additions nor an answer
    pipeline().use('a', step(yes));
  });

  test('a stage made for another state', () => {
    const needsNumber: Stage<Call<{ user: number }>> = (_, next) => next();
    // @ts-expect-error 'string' is not assignable to 'number'
    mine.before('normalize', 'a', needsNumber);
  });
});

test('a pipeline with a name that is known only when it runs is one that a router takes', () => {
  const named = mine.before('timeout', String(Math.random()), (_, next) => next());
  expectTypeOf(named.names).toEqualTypeOf<readonly string[]>();
  expectTypeOf(named).toExtend<RouterPipeline<{ user: string }>>();
});
