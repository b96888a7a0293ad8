import { describe, expectTypeOf, it } from 'vitest';
import { type ValidateOptions, validate } from '../../middleware/validate.ts';
import type { SchemaEngine, Validator, Violation } from '../../src/schema/engine.ts';
import type { Found, Next, Stage } from '../../src/types.ts';

describe('validate', () => {
  it('needs a tool and adds args', () => {
    expectTypeOf(validate()).toEqualTypeOf<Stage<Found, { readonly args: unknown }>>();
    expectTypeOf<Parameters<ReturnType<typeof validate>>[0]>().toEqualTypeOf<Found>();
    expectTypeOf<Next<{ readonly args: unknown }>>().parameter(0).toEqualTypeOf<{ readonly args: unknown }>();
  });

  it('takes only its options', () => {
    expectTypeOf<ValidateOptions>().toHaveProperty('limits');
    // @ts-expect-error there is no such limit
    validate({ limits: { maxByte: 5 } });
    // @ts-expect-error there is no such option
    validate({ coerce: true });
  });

  it('an engine is one function away', () => {
    const engine: SchemaEngine = { compile: () => () => undefined };
    expectTypeOf(engine.compile({})).toEqualTypeOf<Validator>();
    expectTypeOf<ReturnType<Validator>>().toEqualTypeOf<readonly Violation[] | undefined>();
  });
});
