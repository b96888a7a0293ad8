import type { ToolResult } from '../result.ts';
import type { JsonSchemaObject } from '../schema/json-schema.ts';
import type { Tool } from '../tool.ts';
import type { ToolCall } from '../types.ts';
import type { Aliases } from './aliases.ts';

/** The formats that {@link providers} holds. `openai` is Chat Completions, which many servers imitate. */
export type ProviderName =
  | 'openai'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'mistral'
  | 'ollama'
  | 'ai-sdk'
  | 'mcp';

/** One thing that a provider's dialect of JSON Schema cannot say. The tool's own schema still holds at validation. */
export interface Loss {
  /** JSON pointer to the place in the tool's schema, references followed; the empty text is its root. */
  readonly pointer: string;
  /** The keyword concerned. */
  readonly keyword: string;
  /**
   * - `described`: the keyword was taken out and its meaning written into the description;
   * - `changed`: the model sees another, usually wider form;
   * - `dropped`: the model does not see it at all.
   */
  readonly kind: 'described' | 'changed' | 'dropped';
  readonly reason: string;
}

/** A schema as a provider takes it, and what it no longer says. */
export interface Converted {
  readonly schema: JsonSchemaObject;
  readonly losses: readonly Loss[];
}

/** How one tool was offered to a provider. */
export interface ToolReport {
  /** The canonical name. */
  readonly tool: string;
  /** The name that the provider sees. */
  readonly alias: string;
  /** Whether the provider is asked to keep strictly to the schema. */
  readonly strict: boolean;
  /** Empty when the dialect says all that the tool's schema says. */
  readonly losses: readonly Loss[];
}

export interface DefinitionOptions {
  /**
   * Which tools to offer in the provider's strict mode: all of them, none, or those named (canonical names). A tool
   * whose schema strict mode cannot express without shutting out valid calls is offered without it, and the report
   * says why. Only OpenAI, Anthropic, Mistral and the AI SDK have such a mode here. Default false.
   */
  readonly strict?: boolean | readonly string[];
}

/** Tools in a provider's format, with what is needed to read the calls that come back. */
export interface Offer<Definitions = unknown> {
  /** What goes into the request: the value of its `tools`. */
  readonly tools: Definitions;
  readonly aliases: Aliases;
  /** Tool by tool, in the order given, what the dialect lost. */
  readonly report: readonly ToolReport[];
  /** Tools, by canonical name, in whose calls a null stands for an argument left out. */
  readonly nullsMeanAbsent: ReadonlyMap<string, Tool>;
}

/** A call as a provider sent it: canonical name, an id that no other call of the response has, and where it came from. */
export interface ProviderCall extends ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text or an object, as sent. Cut off by the provider, it is always text that does not parse. */
  readonly arguments: unknown;
  /** What the provider wrote; `writeResults` answers with it. Plain JSON, so that a call can be stored. */
  readonly origin: { readonly id?: string; readonly name: string };
  /** The response ended (token limit, filter, broken stream) before this call did, so it must not run. */
  readonly truncated?: true;
}

/** Puts a streamed response together. */
export interface CallReader {
  /** Takes one event of the stream. Returns the calls that are complete with it, each once: they may run at once. */
  push(event: unknown): readonly ProviderCall[];
  /** To be called when the stream has ended. Returns all calls of the response, in order. */
  end(): readonly ProviderCall[];
}

/** What `writeResults` needs of a call: a {@link ProviderCall}, or a plain one. */
export type AnsweredCall = ToolCall & { readonly origin?: ProviderCall['origin'] };

/**
 * How one provider writes tools, calls and results. Nothing here talks to the provider, and no SDK is needed: the types
 * are structural and fit the SDKs' own.
 *
 * @example
 * const offer = anthropic.definitions(registry.list());
 * const response = await client.messages.create({ model, max_tokens, messages, tools: offer.tools });
 * const calls = anthropic.readCalls(response, offer);
 * messages.push({ role: 'assistant', content: response.content });
 * messages.push(...anthropic.writeResults(calls, await router.callAll(calls)));
 */
export interface ProviderFormat<Definitions = unknown, Written = unknown> {
  readonly name: ProviderName;
  /** The tools in the provider's format. Pure: the same tools and options give the same bytes. */
  definitions(tools: readonly Tool[], options?: DefinitionOptions): Offer<Definitions>;
  /**
   * The calls in a response, or in the message of one; none if there are none. Aliases become canonical names, unknown
   * names pass untouched, missing and repeated ids are replaced by unique ones. Never throws on a malformed response.
   */
  readCalls(response: unknown, offer?: ReadOffer): readonly ProviderCall[];
  /** Reads a streamed response. */
  createCallReader(offer?: ReadOffer): CallReader;
  /**
   * The results in the provider's format, one for each call and in the order of the calls, under the ids and names that
   * the provider used. Results are found by `call_id`. A call without a result is answered with an error, since
   * providers refuse a history that leaves a call open; a result that belongs to no call is a TypeError.
   */
  writeResults(calls: readonly AnsweredCall[], results: readonly ToolResult[]): Written;
}

/** The part of an offer that reading needs. */
export type ReadOffer = Pick<Offer, 'aliases' | 'nullsMeanAbsent'>;
