import type { LoggingLevel } from '@modelcontextprotocol/server';

/** A request to the client that a call can make. */
export interface ClientRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: { readonly [name: string]: unknown };
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** How long the client may take, in milliseconds. */
  readonly timeout: number;
  /**
   * The name of the question, where the protocol has names for them. What the client has said under it beforehand is taken
   * as the answer; a question without a name can only be answered after it was asked.
   */
  readonly key?: string;
}

/** What a call that came over MCP can do with its client for as long as it runs. */
export interface ClientLink {
  /** Of the run that the call belongs to. */
  readonly runId: string;
  /** What the client calls itself. It says whatever it likes. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Whether somebody there may be asked whether calls may run. */
  readonly mayApprove: boolean;
  /** Whether the client wants to hear how far the call has come. */
  readonly wantsProgress: boolean;
  /** Whether the client declares that it can answer this. */
  can(method: ClientRequest['method']): boolean;
  /** Gives what the client answers, unchecked. Rejects when there is no answer, or none in time. */
  ask(request: ClientRequest, options: AskOptions): Promise<unknown>;
  /** Notes that the call fails for want of a client that can answer this. */
  lacks(method: ClientRequest['method']): void;
  log(level: LoggingLevel, data: unknown, logger?: string): void;
}

// By call id: the serving side makes these ids itself, and nobody can guess them.
const links = new Map<string, ClientLink>();

/** Makes a call's client known under the call's id until {@link unlinkCall}. */
export function linkCall(callId: string, link: ClientLink): void {
  links.set(callId, link);
}

/** The call has ended: its client is nobody's any more. */
export function unlinkCall(callId: string): void {
  links.delete(callId);
}

/** The client of a call under way; `undefined` for a call that did not come over MCP. */
export function linkOf(callId: string): ClientLink | undefined {
  return links.get(callId);
}
