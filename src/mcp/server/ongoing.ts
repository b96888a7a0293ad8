import type { LoggingLevel, ServerContext } from '@modelcontextprotocol/server';
import { canonicalJson } from '../../basics/canonical-json.ts';
import type { ToolResult } from '../../result.ts';
import type { AskOptions, ClientLink, ClientRequest } from './links.ts';
import { Progress } from './progress.ts';

/** What the SDK's server knows of the client. */
export interface ClientFacts {
  readonly client: { readonly name: string; readonly version: string } | undefined;
  readonly capabilities: { readonly [name: string]: unknown } | undefined;
}

interface Question {
  readonly request: ClientRequest;
  readonly answer: (answer: unknown) => void;
  readonly fail: (reason: Error) => void;
}

interface OngoingOptions {
  readonly runId: string;
  readonly call: { readonly name: string; readonly arguments: unknown };
  readonly mayApprove: boolean;
  /** The protocol has no requests to the client: a question ends the exchange, and the client comes back with the answer. */
  readonly rounds: boolean;
  readonly facts: ClientFacts;
}

const comesBack = 'asked';

/**
 * A call under way, over one exchange with the client or several: where the protocol lets a server ask only by its answer
 * (from 2026-07-28 on), the call itself goes on waiting between them, and is therefore still the one that was asked about.
 */
export class Ongoing implements ClientLink {
  readonly runId: string;
  readonly client: ClientFacts['client'];
  readonly mayApprove: boolean;
  /** The secret under which its client may come back. */
  ticket: string | undefined;
  readonly #capabilities: ClientFacts['capabilities'];
  readonly #rounds: boolean;
  readonly #call: OngoingOptions['call'];
  /** Where a call lasts over several exchanges; otherwise the one exchange's signal is the call's own. */
  readonly #controller: AbortController | undefined;
  readonly #questions = new Map<string, Question>();
  #exchange: ServerContext;
  #progress: Progress | undefined;
  #settled: Promise<ToolResult> | undefined;
  #wake: (() => void) | undefined;
  #asked = 0;
  #lacking: ClientRequest['method'] | undefined;
  #suspended = false;

  constructor(exchange: ServerContext, { runId, call, mayApprove, rounds, facts }: OngoingOptions) {
    this.runId = runId;
    this.client = facts.client;
    this.#capabilities = facts.capabilities;
    this.mayApprove = mayApprove;
    this.#rounds = rounds;
    this.#call = call;
    this.#exchange = exchange;
    this.#controller = rounds ? new AbortController() : undefined;
    this.#follow(exchange);
  }

  get signal(): AbortSignal {
    return (this.#controller ?? this.#exchange.mcpReq).signal;
  }

  get wantsProgress(): boolean {
    // It may still say so when it comes back.
    return this.#rounds || this.#exchange.mcpReq._meta?.progressToken !== undefined;
  }

  /** Whether a client that comes back does so with the very call that it was asked about. */
  is(call: { readonly name: string; readonly arguments: unknown }): boolean {
    const identity = identityOf(this.#call);
    return identity !== undefined && identity === identityOf(call);
  }

  abort(reason: unknown): void {
    // The SDK aborts an exchange itself, when its connection ends.
    this.#controller?.abort(reason);
  }

  /** To be called once, with the call's result to come. */
  settles(result: Promise<ToolResult>): void {
    this.#settled = result;
  }

  /** Waits for the result, or for a question to the client that has to be asked before. */
  async outcome(): Promise<ToolResult | typeof comesBack> {
    const ended = await (this.#rounds ? this.#settledOrAsked() : this.#settled);
    await this.#progress?.flushed();
    return ended as ToolResult | typeof comesBack;
  }

  /** The open questions, by the key under which each is answered. The exchange ends with them, and the call waits. */
  suspend(): { [key: string]: ClientRequest } {
    this.#suspended = true;
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]));
  }

  /** Goes on in another exchange, with the client's answers to what was asked. */
  resume(exchange: ServerContext, answers: { readonly [key: string]: unknown }): void {
    this.#suspended = false;
    this.#exchange = exchange;
    this.#follow(exchange);
    for (const [key, { answer, fail }] of [...this.#questions]) {
      if (Object.hasOwn(answers, key)) answer(answers[key]);
      else fail(new Error('The client came back without an answer.'));
    }
  }

  /** No answer will come. */
  unanswered(): void {
    for (const { fail } of [...this.#questions.values()]) fail(new Error('Nobody waits for the answer any more.'));
  }

  can(method: ClientRequest['method']): boolean {
    if (method !== 'elicitation/create') return this.#capabilities?.[capabilityFor(method)] !== undefined;
    const elicitation = this.#capabilities?.['elicitation'] as { form?: unknown; url?: unknown } | undefined;
    // Before there were two modes, an empty object meant forms.
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }

  lacks(method: ClientRequest['method']): void {
    this.#lacking ??= method;
  }

  /** What its client could not do and the call failed for; only where the protocol has an error for that. */
  get lacking(): ClientRequest['method'] | undefined {
    return this.#rounds ? this.#lacking : undefined;
  }

  ask(request: ClientRequest, { signal, timeout, key: name }: AskOptions): Promise<unknown> {
    const said = this.#exchange.mcpReq.inputResponses;
    if (this.#rounds && name !== undefined && said !== undefined && Object.hasOwn(said, name)) {
      return Promise.resolve(said[name]);
    }
    return new Promise((resolve, reject) => {
      const key = name !== undefined && !this.#questions.has(name) ? name : `question_${++this.#asked}`;
      const gone = new AbortController();
      const end = (settle: () => void): void => {
        if (!this.#questions.delete(key)) return;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        gone.abort();
        settle();
      };
      const fail = (reason: Error): void => end(() => reject(reason));
      const onAbort = (): void => fail(new Error('The call was withdrawn.'));
      const timer = setTimeout(() => fail(new Error(`The client did not answer within ${timeout} ms.`)), timeout);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#questions.set(key, { request, answer: (answer) => end(() => resolve(answer)), fail });
      if (signal.aborted) onAbort();
      else if (this.#rounds) this.#wake?.();
      else this.#push(request, gone.signal, timeout).then(this.#questions.get(key)?.answer, fail);
    });
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (!this.#suspended) this.#exchange.mcpReq.log(level, data, logger).catch(() => {});
  }

  /** Progress that the tool tells goes to the exchange under way, where the client has asked for it. */
  readonly tell = (data: unknown): void => {
    const token = this.#exchange.mcpReq._meta?.progressToken;
    if (token === undefined || this.#suspended) return;
    this.#progress ??= new Progress((note) => {
      const progressToken = this.#exchange.mcpReq._meta?.progressToken ?? token;
      return this.#exchange.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...note } });
    });
    this.#progress.tell(data);
  };

  async #settledOrAsked(): Promise<ToolResult | typeof comesBack> {
    if (this.#questions.size > 0) return comesBack;
    const asked = new Promise<typeof comesBack>((resolve) => {
      this.#wake = () => resolve(comesBack);
    });
    const ended = await Promise.race([this.#settled as Promise<ToolResult>, asked]);
    this.#wake = undefined;
    return ended;
  }

  /** A request within the exchange, for protocols in which servers may ask. */
  #push({ method, params }: ClientRequest, signal: AbortSignal, timeout: number): Promise<unknown> {
    // Related to the exchange, unlike the SDK's own `elicitInput`: over HTTP it comes along the stream of the call.
    const options = { signal, timeout: timeout + 1_000 };
    const { send } = this.#exchange.mcpReq;
    switch (method) {
      case 'elicitation/create':
        return send({ method, params }, options);
      case 'sampling/createMessage':
        return send({ method, params }, options);
      case 'roots/list':
        return send({ method, params }, options);
    }
  }

  #follow({ mcpReq: { signal } }: ServerContext): void {
    if (!this.#rounds) return;
    const onAbort = (): void => {
      // The end of an exchange that has asked something is no withdrawal.
      if (this.#exchange.mcpReq.signal === signal && !this.#suspended) this.abort(signal.reason);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }
}

/** The capability that a client declares which answers such requests: `elicitation` for `elicitation/create`. */
export function capabilityFor(method: ClientRequest['method']): string {
  return method.slice(0, method.indexOf('/'));
}

/** A text of its own for each call; `undefined` for arguments that no call can have that was asked about. */
function identityOf({
  name,
  arguments: args,
}: {
  readonly name: string;
  readonly arguments: unknown;
}): string | undefined {
  try {
    return canonicalJson([name, args ?? {}]);
  } catch {
    return undefined;
  }
}
