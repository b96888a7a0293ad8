import { checkKinds, checkOptions } from '../src/basics/options.ts';
import { isThenable, toPromise } from '../src/basics/thenable.ts';
import { type Failure, vouchFor } from '../src/result.ts';
import type { ArgumentsCheck, Checked, createArgumentsCheck, Refusal } from '../src/schema/check-arguments.ts';
import type { SchemaEngine } from '../src/schema/engine.ts';
import { type ArgumentLimits, argumentLimits } from '../src/schema/limits.ts';
import { makesStages, step } from '../src/traits.ts';
import type { Found, Maybe, Stage } from '../src/types.ts';

export interface ValidateOptions {
  /** How much arguments may weigh: `maxBytes` (default 1 MiB), `maxDepth` (64), `maxNodes` (50,000 values). */
  readonly limits?: Partial<ArgumentLimits>;
  /** What compiles and applies JSON Schema. Default: Ajv, loaded when the first schema is compiled. */
  readonly engine?: SchemaEngine;
}

/** What the stage hands on: the arguments as a fresh object of plain data that fits the tool's schema. */
export interface Validated {
  readonly args: unknown;
}

/**
 * Parses the call's arguments and checks them against the tool's schema; hands on a copy of its own, defaults filled in.
 * A tool with a Standard Schema is checked by its own library, and gets what that makes of the arguments.
 *
 * Fails with: `invalid_json`, `invalid_arguments` (details: `{ reason, violations }`), `invalid_schema`.
 *
 * @example
 * defaultPipeline().replace('validate', validate({ limits: { maxBytes: 65_536 } }))
 */
export function validate(options: ValidateOptions = {}): Stage<Found, Validated> {
  checkOptions('validate', options, ['limits', 'engine']);
  checkKinds('validate', options, { limits: 'object', engine: 'engine' });
  const limits = argumentLimits(options.limits);
  let check: ArgumentsCheck | undefined;

  return step(
    function validate(ctx: Found): Maybe<Validated | Failure> {
      if (create === undefined) return load().then(() => validate(ctx));
      check ??= create(limits, options.engine);
      const checked = check(ctx.tool, ctx.call.arguments);
      if ('args' in checked) return checked;
      return isThenable(checked) ? toPromise(checked).then((late) => answer(ctx, late)) : answer(ctx, checked);
    },
    { needs: ['tool'], adds: ['args'] },
  );
}
makesStages(validate);

// Reading and checking are loaded with the first call of all, so that importing the package costs little.
let create: typeof createArgumentsCheck | undefined;

async function load(): Promise<void> {
  create = (await import('../src/schema/check-arguments.ts')).createArgumentsCheck;
}

function answer(ctx: Found, checked: Checked | Refusal): Validated | Failure {
  if ('args' in checked) return checked;
  const failure = ctx.fail(checked.code, checked.message, checked);
  return checked.isHarmless ? vouchFor(failure) : failure;
}
