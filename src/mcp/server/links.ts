import type { LoggingLevel } from '@modelcontextprotocol/server';

/** A request to the client that a call can make. */
export interface ClientRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage';
  readonly params: { readonly [name: string]: unknown };
}

/** What a call that came over MCP can do with its client for as long as it runs. */
export interface ClientLink {
  /** Of the run that the call belongs to. */
  readonly runId: string;
  /** What the client calls itself. It says whatever it likes. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Whether somebody there may be asked whether calls may run. */
  readonly mayApprove: boolean;
  /** Whether the client declares that it can answer this. */
  can(method: ClientRequest['method']): boolean;
  /** Gives what the client answers, unchecked. Rejects when there is no answer, or none in time. */
  ask(request: ClientRequest, options: { readonly signal: AbortSignal; readonly timeout: number }): Promise<unknown>;
  log(level: LoggingLevel, data: unknown, logger?: string): void;
}

// By call id: the serving side makes these ids itself, and nobody can guess them.
const links = new Map<string, ClientLink>();

/** Makes a call's client known under the call's id until the function returned is called. */
export function linkCall(callId: string, link: ClientLink): () => void {
  links.set(callId, link);
  return () => {
    links.delete(callId);
  };
}

/** The client of a call under way; `undefined` for a call that did not come over MCP. */
export function linkOf(callId: string): ClientLink | undefined {
  return links.get(callId);
}
