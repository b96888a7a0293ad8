import { type ErrorCode, ToolError } from '../errors.ts';
import { isThenable, toPromise } from '../thenable.ts';
import type { StandardSchemaLike, Tool } from '../tool.ts';
import type { Maybe } from '../types.ts';
import { createSchemaEngine, type SchemaEngine, type Validator, type Violation } from './engine.ts';
import { ArgumentsFault } from './fault.ts';
import type { ArgumentLimits } from './limits.ts';
import { parseArguments } from './parse.ts';
import { readStandardResult } from './standard.ts';

/** Arguments that fit: a fresh object of plain data, or what a Standard Schema made of it. */
export interface Checked {
  readonly args: unknown;
}

/** Why arguments cannot be used, with a message for whoever sent them. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: unknown;
  readonly cause?: unknown;
}

/** Reads a call's raw arguments and checks them against its tool's schema. Never throws. */
export type ArgumentsCheck = (tool: Tool, raw: unknown) => Maybe<Checked | Refusal>;

/** Makes a check that remembers each tool's validator. Without an `engine` it is the shared one, on Ajv. */
export function createArgumentsCheck(
  limits: ArgumentLimits,
  engine: SchemaEngine = createSchemaEngine(),
): ArgumentsCheck {
  const validators = new WeakMap<Tool, Validator>();
  return (tool, raw) => {
    if (tool.standardSchema !== undefined) return checkStandard(tool, tool.standardSchema, raw, limits);
    let validator = validators.get(tool);
    if (validator === undefined) {
      try {
        validator = engine.compile(tool.parameters);
      } catch (error) {
        return badSchema(tool, error);
      }
      validators.set(tool, validator);
    }
    const args = parseArguments(raw, limits, validator.fills);
    if (args instanceof ArgumentsFault) return unusable(tool, args);
    let violations: readonly Violation[] | undefined;
    try {
      violations = validator(args);
    } catch (error) {
      return badSchema(tool, error);
    }
    return violations === undefined ? { args } : unfit(tool, violations);
  };
}

function checkStandard(
  tool: Tool,
  schema: StandardSchemaLike,
  raw: unknown,
  limits: ArgumentLimits,
): Maybe<Checked | Refusal> {
  const args = parseArguments(raw, limits);
  if (args instanceof ArgumentsFault) return unusable(tool, args);
  try {
    const result = schema['~standard'].validate(args);
    if (!isThenable(result)) return standardOutcome(tool, result, args);
    return toPromise(result).then(
      (settled) => standardOutcome(tool, settled, args),
      (error: unknown) => badSchema(tool, error),
    );
  } catch (error) {
    return badSchema(tool, error);
  }
}

function standardOutcome(tool: Tool, result: unknown, args: unknown): Checked | Refusal {
  try {
    const outcome = readStandardResult(result, args);
    return outcome.violations === undefined ? { args: outcome.value } : unfit(tool, outcome.violations);
  } catch (error) {
    return badSchema(tool, error);
  }
}

function unusable(tool: Tool, { code, reason, message, place }: ArgumentsFault): Refusal {
  return { code, message: `Invalid arguments for "${tool.name}". ${message}`, details: { reason, ...place } };
}

function unfit(tool: Tool, violations: readonly Violation[]): Refusal {
  let what = '';
  for (const { message } of violations) what += what === '' ? message : `; ${message}`;
  return {
    code: 'invalid_arguments',
    message: `Invalid arguments for "${tool.name}": ${what}.`,
    details: { reason: 'schema', violations: violations.map(placeOf) },
  };
}

/** For the program: what stands in the text is not said twice. */
function placeOf({ pointer, keyword, expected }: Violation): Pick<Violation, 'pointer' | 'keyword' | 'expected'> {
  return { pointer, keyword, expected };
}

function badSchema(tool: Tool, error: unknown): Refusal {
  const because = error instanceof ToolError ? `: ${error.message}` : '.';
  return {
    code: 'invalid_schema',
    message: `"${tool.name}" cannot be called, because its own schema cannot be used${because} This is a fault of the tool; sending other arguments will not help.`,
    details: error instanceof ToolError ? error.options.details : { reason: 'schema' },
    cause: error,
  };
}
