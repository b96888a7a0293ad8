import { isRecord } from '../basics/plain-object.ts';
import { isThenable, toPromise } from '../basics/thenable.ts';
import { type Contents, contentsAt, hasLost } from '../definition/argument-places.ts';
import { placesOf } from '../definition/declarations.ts';
import { type ErrorCode, ToolError } from '../errors.ts';
import { constantData } from '../output/constant-data.ts';
import { isHarmless } from '../output/harmless.ts';
import type { StandardSchemaLike, Tool } from '../tool.ts';
import type { Maybe } from '../types.ts';
import { createSchemaEngine, type SchemaEngine, type Validator, type Violation } from './engine.ts';
import { namesToExpect } from './expected-text.ts';
import { ArgumentsFault } from './fault.ts';
import type { ArgumentLimits } from './limits.ts';
import { parseArguments } from './parse.ts';
import { readStandardResult } from './standard.ts';
import { Finding } from './violation.ts';

/** Arguments that fit: a fresh object of plain data, or what a Standard Schema made of it. */
export interface Checked {
  readonly args: unknown;
}

/** Why arguments cannot be used, with a message for whoever sent them. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Whether the message is known to be a harmless text. Default: no. */
  readonly isHarmless?: boolean;
  readonly details: unknown;
  readonly cause?: unknown;
}

/** Reads a call's raw arguments and checks them against its tool's schema. Never throws. */
export type ArgumentsCheck = (tool: Tool, raw: unknown) => Maybe<Checked | Refusal>;

/** What is kept of a tool between its calls. */
interface Known {
  readonly validator: Validator;
  /** How every refusal of its arguments begins. */
  readonly opening: string;
  /** Whether that is a harmless text. */
  readonly opensHarmless: boolean;
  /** Of the properties to expect. */
  readonly names: readonly string[];
  /** By the pointers to what was wrong. */
  readonly details: Map<string, KnownDetails>;
}

type Place = Pick<Violation, 'pointer' | 'keyword' | 'expected'>;

/** The details of a refusal, kept because a model may get the same things wrong again. */
interface KnownDetails {
  readonly places: readonly Place[];
  readonly details: object;
}

/** Of so many refusals of a tool's arguments, and none with longer pointers: their names may be the model's own. */
const mostDetails = 16;
const longestPointers = 500;

/** Makes a check that remembers each tool's validator. Without an `engine` it is the shared one, on Ajv. */
export function createArgumentsCheck(
  limits: ArgumentLimits,
  engine: SchemaEngine = createSchemaEngine(),
): ArgumentsCheck {
  const known = new WeakMap<Tool, Known>();
  return (tool, raw) => {
    if (tool.standardSchema !== undefined) return checkStandard(tool, tool.standardSchema, raw, limits);
    let found = known.get(tool);
    if (found === undefined) {
      try {
        const validator = engine.compile(tool.parameters, { plain: true });
        const opening = openingOf(tool);
        found = {
          validator,
          opening,
          opensHarmless: isHarmless(opening),
          details: new Map(),
          names: namesToExpect(tool.parameters),
        };
      } catch (error) {
        return badSchema(tool, error);
      }
      known.set(tool, found);
    }
    const { validator, names } = found;
    const args = parseArguments(raw, limits, validator.fills, names);
    if (args instanceof ArgumentsFault) return unusable(tool, args);
    let violations: readonly Violation[] | undefined;
    try {
      violations = validator(args);
    } catch (error) {
      return badSchema(tool, error);
    }
    return violations === undefined ? { args } : unfit(violations, found.opening, found.opensHarmless, found.details);
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
  // Before a library looks at them, as it may change them where they are.
  const before = placesOf(tool).map(([place]) => contentsAt(args, place));
  try {
    const result = schema['~standard'].validate(args);
    if (!isThenable(result)) return standardOutcome(tool, result, args, before);
    return toPromise(result).then(
      (settled) => standardOutcome(tool, settled, args, before),
      (error: unknown) => badSchema(tool, error),
    );
  } catch (error) {
    return badSchema(tool, error);
  }
}

function standardOutcome(tool: Tool, result: unknown, args: unknown, before: readonly Contents[]): Checked | Refusal {
  try {
    const outcome = readStandardResult(result, args);
    if (outcome.violations !== undefined) return unfit(outcome.violations, openingOf(tool));
    const { value } = outcome;
    const lost = isRecord(value) ? before.find((contents) => hasLost(contents, value)) : undefined;
    return lost === undefined ? { args: value } : badSchema(tool, lostPlace(lost.place));
  } catch (error) {
    return badSchema(tool, error);
  }
}

/** What a library moves to another place, no guard would look at. */
function lostPlace(place: string): ToolError {
  const text = `it takes away "${place}", which the tool declares to be guarded.`;
  return new ToolError(text, { code: 'invalid_schema', details: { reason: 'unchecked', pointer: place } });
}

function unusable(tool: Tool, { code, reason, message, place }: ArgumentsFault): Refusal {
  return { code, message: `Invalid arguments for "${tool.name}". ${message}`, details: { reason, ...place } };
}

function openingOf(tool: Tool): string {
  return `Invalid arguments for "${tool.name}": `;
}

function unfit(
  violations: readonly Violation[],
  opening: string,
  opensHarmless = false,
  known?: Map<string, KnownDetails>,
): Refusal {
  let message = opening;
  // A space stands at each seam.
  let isHarmless = opensHarmless;
  for (let at = 0; at < violations.length; at++) {
    const violation = violations[at] as Violation;
    message += at === 0 ? violation.message : `; ${violation.message}`;
    isHarmless &&= Finding.isHarmless(violation);
  }
  message += '.';
  const details = known === undefined ? detailsOf(violations) : knownDetails(violations, known);
  return { code: 'invalid_arguments', message, isHarmless, details };
}

/** For the program: what stands in the text is not said twice. */
function placeOf({ pointer, keyword, expected }: Place): Place {
  return { pointer, keyword, expected };
}

/** What another engine says may be anything. */
function isPlace(place: Place | undefined): place is Place {
  return typeof place?.pointer === 'string' && typeof place.keyword === 'string' && typeof place.expected === 'string';
}

function detailsOf(places: readonly Place[]): object {
  const [first] = places;
  // Mostly there is one, and then it is written out faster than gone through.
  if (places.length === 1 && first !== undefined) return { reason: 'schema', violations: [placeOf(first)] };
  return { reason: 'schema', violations: places.map(placeOf) };
}

function knownDetails(violations: readonly Violation[], known: Map<string, KnownDetails>): object {
  let pointers = '';
  for (let at = 0; at < violations.length; at++) {
    const violation = violations[at];
    if (!isPlace(violation)) return detailsOf(violations);
    pointers += violation.pointer;
  }
  if (pointers.length > longestPointers) return detailsOf(violations);
  const before = known.get(pointers);
  if (before !== undefined && areEqual(before.places, violations)) return before.details;
  const places = violations.map(placeOf);
  const details = constantData(() => detailsOf(places));
  if (known.size >= mostDetails) known.clear();
  known.set(pointers, { places, details });
  return details;
}

function areEqual(places: readonly Place[], others: readonly Place[]): boolean {
  if (places.length !== others.length) return false;
  for (let at = 0; at < places.length; at++) {
    const { pointer, keyword, expected } = places[at] as Place;
    const other = others[at] as Place;
    if (other.pointer !== pointer || other.keyword !== keyword || other.expected !== expected) return false;
  }
  return true;
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
