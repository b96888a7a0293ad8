import type { PathIntent, ScopedFs } from './capabilities/fs/types.ts';
import type { ScopedFetch } from './capabilities/net/types.ts';
import type { CommandLanguage, ScopedExec } from './capabilities/process/types.ts';
import { checkDefinition, checkTool } from './definition/check-tool.ts';
import { checkPlaces } from './definition/declarations.ts';
import type { Infer } from './schema/infer.ts';
import type { JsonSchemaObject } from './schema/json-schema.ts';
import {
  isStandardSchema,
  jsonSchemaOf,
  type StandardInput,
  type StandardOutput,
  type StandardSchema,
} from './schema/standard-schema.ts';
import type { Lock, Tool, ToolContext } from './tool.ts';
import type { Maybe } from './types.ts';

/** A schema of TypeBox, which is JSON Schema whose types are literal. https://github.com/sinclairzx81/typebox */
interface TypeBoxSchema {
  readonly '~kind': string;
}

type AnySchema = JsonSchemaObject | StandardSchema | TypeBoxSchema;

/** The type of a tool's arguments, from a literal JSON Schema or from a schema library. */
export type ArgumentsOf<S> = S extends { readonly '~standard': unknown } ? StandardOutput<S> : Infer<S>;

/** The type of what may be sent as arguments: as {@link ArgumentsOf}, but what has a default may be left out. */
type InputOf<S> = S extends { readonly '~standard': unknown } ? StandardInput<S> : Infer<S, false>;

type OutputOf<O> = [O] extends [{ readonly '~standard': unknown }]
  ? StandardOutput<O>
  : [O] extends [AnySchema]
    ? Infer<O, false>
    : unknown;

type Declared = { readonly [argument: string]: PathIntent };
type Given<O> = Maybe<OutputOf<O>> | AsyncGenerator<unknown, OutputOf<O>> | Generator<unknown, OutputOf<O>>;
type Commands = readonly string[] | { readonly [argument: string]: CommandLanguage };
type ContextOf<P, U, C> = ToolContext &
  ([P] extends [Declared] ? { readonly fs: ScopedFs } : unknown) &
  ([U] extends [readonly string[]] ? { readonly fetch: ScopedFetch } : unknown) &
  ([C] extends [Commands] ? { readonly exec: ScopedExec } : unknown);

declare const types: unique symbol;

/** A {@link Tool} that remembers, in its type only, what may be sent to it and what data it gives. */
export interface DefinedTool<Args, Context extends ToolContext, Input, Data> extends Tool<Args, Context> {
  readonly [types]?: { readonly input: Input; readonly data: Data };
}

/** The type of a tool's data: what its `output` schema says, or `unknown` for a tool without one. */
export type DataOf<T> = T extends { readonly [types]?: { readonly data: infer Data } } ? Data : unknown;

/** The type of what a program may send to a tool as arguments. */
export type ArgumentsFor<T> = T extends { readonly [types]?: { readonly input: infer Input } } ? Input : unknown;

/** What `defineTool` takes: a {@link Tool} whose arguments, data and capabilities are typed by what it declares. */
export interface ToolDefinition<S, O, P, U = undefined, C = undefined>
  extends Omit<
    Tool,
    | 'parameters'
    | 'output'
    | 'paths'
    | 'urls'
    | 'commands'
    | 'walks'
    | 'locks'
    | 'handler'
    | 'preview'
    | 'standardSchema'
  > {
  /** The arguments: a JSON Schema object, or a Standard Schema (zod, valibot, arktype ...). */
  readonly parameters: S;
  /** The JSON Schema shown to the model, for a Standard Schema that does not yield one itself. */
  readonly jsonSchema?: JsonSchemaObject;
  /**
   * Schema of the data; the execute stage checks it. Of a Standard Schema it is the JSON Schema of its output that
   * counts: the handler returns finished data, so neither transforms nor refinements are run on it.
   */
  readonly output?: O;
  /** Which arguments are paths (a property name, or a JSON pointer with `*` for every array item), and for what. */
  readonly paths?: P;
  /** Which arguments are URLs: property names, or JSON pointers with `*` for every array item. */
  readonly urls?: U;
  /** Which arguments are command lines or argument lists, as `urls`; or these with the language of their text. */
  readonly commands?: C;
  /**
   * Whether a call also touches what lies below the folders that its paths name. Rules that forbid or ask about something
   * inside of such a folder then ask. Default: it may.
   */
  walks?(args: ArgumentsOf<S>): boolean;
  /**
   * What a call touches: those that only read a key run together, one that writes it runs alone, without those that touch
   * what lies below it, as `a/b` lies below `a`. A path argument stands for its file; other files are named by absolute
   * paths. Default: the paths among its arguments, by their intents.
   */
  locks?(args: ArgumentsOf<S>): readonly Lock[];
  handler(args: ArgumentsOf<S>, context: ContextOf<P, U, C>): Given<O>;
  preview?(args: ArgumentsOf<S>, context: ContextOf<P, U, C>): unknown;
}

/**
 * Defines a tool: its arguments are typed from the schema, and what is wrong with the definition throws here.
 * The definition itself is not changed or kept.
 *
 * Arguments of a Standard Schema are validated, transformed and filled with defaults by that library; the model is shown
 * the JSON Schema it derives for its input, as far as it does (arktype leaves defaults out of it).
 *
 * @example
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Add two numbers.',
 *   parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
 *   permission: 'read',
 *   handler: ({ a, b }) => a + b,
 * });
 */
export function defineTool<
  const S extends AnySchema,
  const O extends AnySchema | undefined = undefined,
  const P extends Declared | undefined = undefined,
  const U extends readonly string[] | undefined = undefined,
  const C extends Commands | undefined = undefined,
>(definition: ToolDefinition<S, O, P, U, C>): DefinedTool<ArgumentsOf<S>, ContextOf<P, U, C>, InputOf<S>, OutputOf<O>> {
  const { parameters, jsonSchema, output, ...rest } = ownMembers(definition);
  const name = String(definition.name);
  const standard = isStandardSchema(parameters);
  const tool = {
    ...rest,
    parameters: standard ? (jsonSchema ?? jsonSchemaOf(parameters, name)) : parameters,
    ...(standard && { standardSchema: parameters }),
    ...(output !== undefined && { output: isStandardSchema(output) ? jsonSchemaOf(output, name, 'output') : output }),
  } as unknown as Tool<ArgumentsOf<S>, ContextOf<P, U, C>>;
  checkTool(tool as unknown as Tool);
  checkDefinition(definition, tool as unknown as Tool);
  checkPlaces(tool as unknown as Tool);
  return Object.freeze(tool);
}

/**
 * The members of an object as members of its own, those of its class included: a tool may be an instance, and a copy made
 * by spreading would leave its methods behind.
 */
export function ownMembers<T extends object>(value: T): T {
  const members: Record<string, unknown> = {};
  for (let holder: object | null = value; holder !== null && holder !== Object.prototype; ) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (name === 'constructor' || name === '__proto__' || Object.hasOwn(members, name)) continue;
      const member = (value as Record<string, unknown>)[name];
      members[name] = holder !== value && typeof member === 'function' ? member.bind(value) : member;
    }
    holder = Object.getPrototypeOf(holder) as object | null;
  }
  return members as T;
}
