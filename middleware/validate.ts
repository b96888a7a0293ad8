import { ToolError } from '../src/errors.ts';
import { checkOptions } from '../src/options.ts';
import type { Failure } from '../src/result.ts';
import { createSchemaEngine, type SchemaEngine, type Validator, type Violation } from '../src/schema/engine.ts';
import { ArgumentsFault } from '../src/schema/fault.ts';
import { type ArgumentLimits, argumentLimits } from '../src/schema/limits.ts';
import { parseArguments } from '../src/schema/parse.ts';
import { readStandardResult } from '../src/schema/standard.ts';
import { isThenable, toPromise } from '../src/thenable.ts';
import type { StandardSchemaLike, Tool } from '../src/tool.ts';
import { step } from '../src/traits.ts';
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
 * @example
 * pipeline.use('validate', validate({ limits: { maxBytes: 65_536 } }))
 *
 * Fails with: `invalid_json`, `invalid_arguments` (details: `{ reason, violations }`), `invalid_schema`.
 */
export function validate(options: ValidateOptions = {}): Stage<Found, Validated> {
  checkOptions('validate', options, ['limits', 'engine']);
  const limits = argumentLimits(options.limits);
  const engine = options.engine ?? createSchemaEngine();
  const validators = new WeakMap<Tool, Validator>();

  return step(
    function validate(ctx: Found): Maybe<Validated | Failure> {
      const { tool } = ctx;
      if (tool.standardSchema !== undefined) return validateStandard(ctx, tool.standardSchema, limits);
      let validator = validators.get(tool);
      if (validator === undefined) {
        try {
          validator = engine.compile(tool.parameters);
        } catch (error) {
          return badSchema(ctx, error);
        }
        validators.set(tool, validator);
      }
      const args = parseArguments(ctx.call.arguments, limits, validator.fills);
      if (args instanceof ArgumentsFault) return unusable(ctx, args);
      let violations: readonly Violation[] | undefined;
      try {
        violations = validator(args);
      } catch (error) {
        return badSchema(ctx, error);
      }
      return violations === undefined ? { args } : unfit(ctx, violations);
    },
    { needs: ['tool'], adds: ['args'], rewrites: true },
  );
}

function validateStandard(ctx: Found, schema: StandardSchemaLike, limits: ArgumentLimits): Maybe<Validated | Failure> {
  const args = parseArguments(ctx.call.arguments, limits);
  if (args instanceof ArgumentsFault) return unusable(ctx, args);
  try {
    const result = schema['~standard'].validate(args);
    if (!isThenable(result)) return standardAnswer(ctx, result, args);
    return toPromise(result).then(
      (settled) => standardAnswer(ctx, settled, args),
      (error: unknown) => badSchema(ctx, error),
    );
  } catch (error) {
    return badSchema(ctx, error);
  }
}

function standardAnswer(ctx: Found, result: unknown, args: unknown): Validated | Failure {
  try {
    const outcome = readStandardResult(result, args);
    return outcome.violations === undefined ? { args: outcome.value } : unfit(ctx, outcome.violations);
  } catch (error) {
    return badSchema(ctx, error);
  }
}

function unusable(ctx: Found, fault: ArgumentsFault): Failure {
  const { code, reason, message, place } = fault;
  return ctx.fail(code, `Invalid arguments for "${ctx.tool.name}". ${message}`, { details: { reason, ...place } });
}

function unfit(ctx: Found, violations: readonly Violation[]): Failure {
  const what = violations.map(({ message }) => message).join('; ');
  return ctx.fail(
    'invalid_arguments',
    `Invalid arguments for "${ctx.tool.name}": ${what}${what.endsWith('?') ? '' : '.'}`,
    {
      details: { reason: 'schema', violations },
    },
  );
}

function badSchema(ctx: Found, error: unknown): Failure {
  const because = error instanceof ToolError ? `: ${error.message}` : '.';
  return ctx.fail(
    'invalid_schema',
    `"${ctx.tool.name}" cannot be called, because its own schema cannot be used${because} This is a fault of the tool; sending other arguments will not help.`,
    { details: error instanceof ToolError ? error.options.details : { reason: 'schema' }, cause: error },
  );
}
