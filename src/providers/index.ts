import { didYouMean } from '../basics/nearest.ts';
import type { Tool } from '../tool.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { gemini } from './gemini.ts';
import { mcp } from './mcp.ts';
import { mistral } from './mistral.ts';
import { ollama } from './ollama.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { DefinitionOptions, Offer, ProviderFormat, ProviderName, ToolReport } from './types.ts';

export type * from './ai-sdk.ts';
export type { Aliases, NameRule } from './aliases.ts';
export { makeAliases, portableNames } from './aliases.ts';
export type * from './anthropic.ts';
export type { Repair, RepairStep } from './arguments/ladder.ts';
export { repairSteps } from './arguments/ladder.ts';
export { undoStrictNulls } from './arguments/nulls.ts';
export type * from './bedrock.ts';
export type * from './gemini.ts';
export type * from './mcp.ts';
export type * from './mistral.ts';
export type * from './ollama.ts';
export type * from './openai-chat.ts';
export type * from './openai-responses.ts';
export type * from './types.ts';
export { aiSdk, anthropic, bedrock, gemini, mcp, mistral, ollama, openaiChat, openaiResponses };

/** Every format by its name. */
export interface Providers {
  readonly openai: typeof openaiChat;
  readonly 'openai-responses': typeof openaiResponses;
  readonly anthropic: typeof anthropic;
  readonly gemini: typeof gemini;
  readonly bedrock: typeof bedrock;
  readonly mistral: typeof mistral;
  readonly ollama: typeof ollama;
  readonly 'ai-sdk': typeof aiSdk;
  readonly mcp: typeof mcp;
}

/**
 * Every format by its name.
 *
 * @example
 * const offer = providers.anthropic.definitions(registry.list());
 */
export const providers: Providers = {
  openai: openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  bedrock,
  mistral,
  ollama,
  'ai-sdk': aiSdk,
  mcp,
};

/** What goes into a request as `tools`, by provider. */
export type ToolSchemas<Name extends ProviderName> =
  Providers[Name] extends ProviderFormat<infer Definitions, unknown> ? Definitions : never;

/**
 * The format of that name.
 *
 * @throws TypeError for a name that is none, which lists the names there are.
 */
export function providerOf<Name extends ProviderName>(name: Name): Providers[Name] {
  if (!Object.hasOwn(providers, name)) {
    const names = Object.keys(providers);
    throw new TypeError(
      `Unknown provider ${JSON.stringify(name)}; there are ${names.join(', ')}.${didYouMean(String(name), names)}`,
    );
  }
  return providers[name];
}

/** Tools in a provider's format, with what reading and reporting need. Pure, so that it can be cached. */
export function offerTools<Name extends ProviderName>(
  provider: Name,
  tools: readonly Tool[],
  options: DefinitionOptions = {},
): Offer<ToolSchemas<Name>> {
  return (providerOf(provider) as ProviderFormat<ToolSchemas<Name>>).definitions(tools, options);
}

/** The value of a request's `tools`. */
export function toolSchemas<Name extends ProviderName>(
  provider: Name,
  tools: readonly Tool[],
  options: DefinitionOptions = {},
): ToolSchemas<Name> {
  return offerTools(provider, tools, options).tools;
}

/** Tool by tool, in the order given: under which name it is offered, whether strictly, and what the dialect lost. */
export function report(
  provider: ProviderName,
  tools: readonly Tool[],
  options: DefinitionOptions = {},
): readonly ToolReport[] {
  return offerTools(provider, tools, options).report;
}
