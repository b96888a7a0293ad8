import type { LoggingLevel } from '@modelcontextprotocol/server';
import { checkMilliseconds, longestTimer } from '../../basics/milliseconds.ts';
import { ToolError } from '../../errors.ts';
import { type ClientLink, type ClientRequest, linkOf } from './links.ts';

/** How a question to the client waits. */
export interface McpQuestionOptions {
  /** How long the client may take, in milliseconds. Default 300,000 (5 minutes). */
  readonly timeout?: number;
  /**
   * The question's name, for clients of the 2026-07-28 protocol, which answer by name and may do so beforehand. Default:
   * one that is made up.
   */
  readonly name?: string;
}

/** The client that made a call over MCP, as its handler may talk to it. What it answers is as foreign as any input. */
export interface McpClientOfCall {
  /** What the client calls itself; nobody checks it. */
  readonly info: { readonly name: string; readonly version: string } | undefined;
  /** Whether the client declares that it can ask its user, ask its model, name its roots. */
  can(what: 'elicit' | 'sample' | 'roots'): boolean;
  /** Sends a message for the client's log. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /** Asks the client's user; the parameters are those of `elicitation/create`. Gives its result, unchecked. */
  elicit(params: { readonly [name: string]: unknown }, options?: McpQuestionOptions): Promise<unknown>;
  /** Asks the client's model; the parameters are those of `sampling/createMessage`. Gives its result, unchecked. */
  sample(params: { readonly [name: string]: unknown }, options?: McpQuestionOptions): Promise<unknown>;
  /** Asks which folders the client works in: the result of `roots/list`, unchecked. No guard heeds them. */
  roots(options?: McpQuestionOptions): Promise<unknown>;
}

/**
 * The MCP client that made this call; `undefined` for a call that did not come over MCP. Works until the call has ended.
 *
 * Questions fail with `unavailable` where the client does not declare that it answers them, or gives no answer.
 *
 * @example
 * async function handler(args: object, context: ToolContext) {
 *   mcpClient(context)?.log('info', 'The index is being built.');
 * }
 */
export function mcpClient(context: {
  readonly call: { readonly id: string };
  readonly signal: AbortSignal;
}): McpClientOfCall | undefined {
  const { id } = context.call;
  const link = linkOf(id);
  if (link === undefined) return undefined;
  const ask = async (
    request: ClientRequest,
    { timeout = 300_000, name }: McpQuestionOptions = {},
  ): Promise<unknown> => {
    checkMilliseconds(timeout, 'The timeout of a question');
    if (linkOf(id) !== link) throw unavailable('The call has ended: its client cannot be asked any more.');
    if (!link.can(request.method)) {
      link.lacks(request.method);
      throw unavailable(`The MCP client does not offer ${request.method}.`);
    }
    try {
      const limit = Math.min(timeout, longestTimer - 1_000);
      const named = name === undefined ? {} : { key: name };
      return await link.ask(request, { signal: context.signal, timeout: limit, ...named });
    } catch (cause) {
      throw unavailable('The MCP client gave no answer.', cause);
    }
  };
  return {
    info: link.client,
    can: (what) => link.can(methods[what]),
    log: (...message: Parameters<ClientLink['log']>) => {
      if (linkOf(id) === link) link.log(...message);
    },
    elicit: (params, options) => ask({ method: 'elicitation/create', params }, options),
    sample: (params, options) => ask({ method: 'sampling/createMessage', params }, options),
    roots: (options) => ask({ method: 'roots/list', params: {} }, options),
  };
}

const methods = { elicit: 'elicitation/create', sample: 'sampling/createMessage', roots: 'roots/list' } as const;

function unavailable(message: string, cause?: unknown): ToolError {
  return new ToolError(message, { code: 'unavailable', cause });
}
