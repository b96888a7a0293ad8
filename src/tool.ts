import type { PathIntent, ScopedFs } from './capabilities/fs/types.ts';
import type { ScopedFetch } from './capabilities/net/types.ts';
import type { CommandLanguage, ScopedExec } from './capabilities/process/types.ts';
import type { JsonSchemaObject } from './schema/json-schema.ts';
import type { ToolCall } from './types.ts';

/**
 * How much a tool can do: the built-in levels, or a word of the user's own that their rules know. One that is almost a built-in
 * level (`reads`, `exec`) is refused where a tool, a rule or a mode names it.
 */
export type PermissionLevel = 'read' | 'write' | 'execute' | 'network' | 'dangerous' | (string & {});

/** Hints about a tool's behaviour, with the meanings and defaults of the Model Context Protocol. */
export interface ToolAnnotations {
  readonly title?: string;
  /** Changes nothing. Default false. */
  readonly readOnly?: boolean;
  /** May destroy or overwrite. Default true. */
  readonly destructive?: boolean;
  /** Twice is the same as once. Default false. */
  readonly idempotent?: boolean;
  /** Reaches outside the workspace or machine. Default true. */
  readonly openWorld?: boolean;
}

/** One thing that a call touches: any text that names it, such as a canonical path. */
export interface Lock {
  readonly key: string;
  readonly mode: 'read' | 'write';
}

/** Where a handler runs when it is not to run in the router's own thread. */
export type Isolation = 'thread' | 'process';

/**
 * A tool as the registry holds it. `defineTool` makes one with typed arguments.
 *
 * `handler` and `preview` are methods on purpose: a tool with precise argument types then fits a registry of any tools.
 * What that leaves open in the types, the validate stage closes at run time.
 */
export interface Tool<Args = unknown, Context extends ToolContext = ToolContext> {
  /** `[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}`; the unique key. */
  readonly name: string;
  /** Part of the prompt: it decides whether a model picks the tool. */
  readonly description: string;
  /** JSON Schema of the arguments, an object schema. */
  readonly parameters: JsonSchemaObject;
  /** Set when the arguments were declared with a Standard Schema library, which then validates them itself. */
  readonly standardSchema?: StandardSchemaLike;
  readonly permission?: PermissionLevel;
  /** How long the handler may run, in milliseconds; `Infinity` for no limit. Default: the timeout stage's. */
  readonly timeout?: number;
  readonly tags?: readonly string[];
  readonly annotations?: ToolAnnotations;
  /** JSON Schema of the data. */
  readonly output?: JsonSchemaObject;
  /** Which arguments are paths: a property name or a JSON pointer (`*` for every array item), and the intent. */
  readonly paths?: { readonly [argument: string]: PathIntent };
  /** Which arguments are URLs: property names or JSON pointers. */
  readonly urls?: readonly string[];
  /**
   * Which arguments are command lines or argument lists: property names or JSON pointers; or these with what their text
   * is written in, `{ code: 'python' }`.
   */
  readonly commands?: readonly string[] | { readonly [argument: string]: CommandLanguage };
  /**
   * Whether a call also touches what lies below the folders that its paths name. Rules that forbid or ask about something
   * inside of such a folder then ask. Default: it may.
   */
  walks?(args: Args): boolean;
  /**
   * What a call touches: those that only read a key run together, one that writes it runs alone, without those that touch
   * what lies below it, as `a/b` lies below `a`. A path argument stands for its file; other files are named by absolute
   * paths. Default: the paths among its arguments, by their intents.
   */
  locks?(args: Args): readonly Lock[];
  /**
   * Where the handler runs, so that it can be stopped whatever it does: in a thread, or in a process of its own. Such a
   * tool's handler is made by `moduleHandler`, since only a module can be loaded there. Default: in the router's own thread.
   */
  readonly isolate?: Isolation;
  /** Where a tool from elsewhere comes from, such as an MCP server's name. */
  readonly source?: string;
  handler(args: Args, context: Context): unknown;
  /** What an approver is shown beside the arguments, such as a diff. Must change nothing. */
  preview?(args: Args, context: Context): unknown;
}

/** The part of the Standard Schema specification (version 1) that validation needs. https://standardschema.dev */
export interface StandardSchemaLike {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
  };
}

/** What a handler gets beside its arguments. */
export interface ToolContext<State = unknown> {
  /** Aborted when the call is withdrawn or its deadline passes; pass it on to what can be cancelled. */
  readonly signal: AbortSignal;
  readonly state: State;
  readonly call: Required<ToolCall>;
  /** The same for the same tool, arguments, run and principal: for services that take an idempotency key. */
  readonly idempotencyKey: string;
  /** Tells observers and streams how far the tool has come. */
  progress(data: unknown): void;
  /** Present when the tool declares `paths`. */
  readonly fs?: ScopedFs;
  /** Present when the tool declares `urls`. */
  readonly fetch?: ScopedFetch;
  /** Present when the tool declares `commands`. */
  readonly exec?: ScopedExec;
}
