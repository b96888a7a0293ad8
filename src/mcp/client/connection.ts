import { longestTimer } from '../../basics/milliseconds.ts';
import { HandlerContext } from '../../call/handler-context.ts';
import { type Clock, checkClock, systemClock } from '../../clock.ts';
import { ToolError } from '../../errors.ts';
import type { ToolContext } from '../../tool.ts';
import { fromMcpResult } from '../results.ts';
import { callFailure } from './errors.ts';
import { GuardRules, type Guards } from './guards.ts';
import { type ListedTool, listTools } from './list-tools.ts';
import { statusOf } from './open.ts';
import { Refresher } from './refresher.ts';
import { Restarts } from './restarts.ts';
import { argumentsToSend } from './send-arguments.ts';
import type { SendOptions } from './sender.ts';
import type { Session, SessionEvents } from './session.ts';
import { unrefTimer } from './timers.ts';
import { ToolSet } from './tool-set.ts';
import type { McpServerConnection, McpStatus, McpToolsOptions, SkippedTool } from './types.ts';
import { type NamingOptions, type UnfitNames, UnfitNamesError } from './unfit-names.ts';

/** Makes a session with the server, again and again. `signal` withdraws the attempt. */
export type Connect = (events: SessionEvents, signal: AbortSignal) => Promise<Session>;

/** One server: its tools in the registry, its connection kept up, its calls passed on. */
export class ServerConnection implements McpServerConnection {
  readonly name: string;
  readonly #options: McpToolsOptions;
  readonly #connectTimeout: number;
  readonly #connect: Connect;
  readonly #clock: Clock;
  readonly #set: ToolSet;
  readonly #restarts: Restarts;
  readonly #refresher: Refresher;
  readonly #ending = new AbortController();
  #session: Session | undefined;
  #status: McpStatus = 'reconnecting';
  #begunAt = 0;
  #serverInfo: McpServerConnection['serverInfo'];
  #stderr = '';
  #timer: unknown;
  #closing: Promise<void> | undefined;
  #attempt: Promise<void> | undefined;

  constructor(options: McpToolsOptions, connectTimeout: number, connect: Connect, shown: NamingOptions['shown']) {
    const { name, clock = systemClock, guards = {}, restart } = options;
    checkClock(clock, 'mcpTools({ clock })');
    this.name = name;
    this.#options = options;
    this.#connectTimeout = connectTimeout;
    this.#connect = connect;
    this.#clock = clock;
    this.#restarts = new Restarts(restart);
    this.#set = new ToolSet({
      ...options,
      rules: new GuardRules(guards, name),
      shown,
      call: (listed, guards, args, ctx) => this.#call(listed, guards, args, ctx),
      warn: (text) => this.#log('warning', text),
    });
    this.#refresher = new Refresher(clock, () => this.#refresh());
  }

  get tools(): readonly string[] {
    return this.#set.names;
  }

  get skipped(): readonly SkippedTool[] {
    return this.#set.skipped;
  }

  get status(): McpStatus {
    return this.#status;
  }

  get serverInfo(): McpServerConnection['serverInfo'] {
    return this.#serverInfo;
  }

  get stderr(): string {
    return this.#session?.stderr() ?? this.#stderr;
  }

  /**
   * Connects for the first time. Rejects, with nothing left behind, when that fails, and with an {@link UnfitNamesError} for
   * what options say and does not fit the tools, unless somebody is there to hear of it.
   */
  async start(onFault?: (fault: string) => void): Promise<void> {
    const judge = ({ faults, warnings }: UnfitNames): void => {
      if (faults.length > 0 && onFault === undefined) throw new UnfitNamesError(faults.join(' '));
      for (const fault of faults) onFault?.(fault);
      for (const warning of warnings) this.#log('warning', warning);
    };
    try {
      await this.#begin(judge);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#status = 'closed';
    this.#ending.abort(new Error('The connection was closed.'));
    this.#clock.clearTimeout(this.#timer);
    this.#refresher.stop();
    this.#set.clear();
    const session = this.#session;
    this.#stderr = session?.stderr() ?? this.#stderr;
    this.#session = undefined;
    await session?.close();
    await this.#attempt;
    // What was under way meanwhile may have put some in again.
    this.#set.clear();
  }

  async #begin(judge?: (unfit: UnfitNames) => void): Promise<void> {
    let begun: Session | undefined;
    const session = await this.#connect(
      {
        onToolsChanged: () => this.#refresher.request(),
        onClosed: () => this.#lost(begun),
        onLog: (level, data, logger) => this.#log(level, data, logger),
      },
      this.#ending.signal,
    );
    begun = session;
    try {
      await this.#take(session, judge);
      if (this.#closing !== undefined) throw this.#ending.signal.reason;
    } catch (error) {
      this.#stderr = session.stderr();
      await session.close();
      throw error;
    }
    this.#session = session;
    this.#serverInfo = session.serverInfo;
    this.#status = 'connected';
    this.#begunAt = this.#clock.now();
    if (session.ended) this.#lost(session);
  }

  async #take({ client }: Session, judge?: (unfit: UnfitNames) => void): Promise<void> {
    const listing = await listTools(client, this.#connectTimeout, this.#ending.signal);
    const change = await this.#set.apply(listing, judge);
    if (change.added.length + change.removed.length + change.changed.length === 0) return;
    if (this.#status === 'closed') return;
    quietly(() => this.#options.onChange?.(change));
  }

  async #refresh(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    try {
      await this.#take(session);
    } catch (error) {
      this.#log('warning', `Its changed tools could not be listed: ${String(error)}`);
    }
  }

  #lost(session: Session | undefined): void {
    if (session === undefined || this.#session !== session || this.#closing !== undefined) return;
    this.#stderr = session.stderr();
    this.#session = undefined;
    void session.close();
    this.#again(this.#clock.now() - this.#begunAt);
  }

  #again(lived: number): void {
    const wait = this.#restarts.next(lived);
    this.#status = wait === undefined ? 'failed' : 'reconnecting';
    if (wait === undefined) {
      this.#log('error', 'It has ended and is not started again.');
      return;
    }
    this.#log('warning', `It has ended; it is started again in ${wait} ms.`);
    this.#timer = unrefTimer(
      this.#clock.setTimeout(() => {
        this.#attempt = this.#begin().catch((error: unknown) => {
          if (this.#closing !== undefined) return;
          this.#stderr = (error as { stderr?: string }).stderr ?? this.#stderr;
          this.#log('warning', `It could not be started again: ${String(error)}`);
          this.#again(0);
        });
      }, wait),
    );
  }

  async #call(listed: ListedTool, guards: Guards, args: unknown, ctx: ToolContext): Promise<unknown> {
    const tool = `${this.name}.${listed.name}`;
    const session = this.#session;
    if (session === undefined) throw this.#absent(tool);
    // What somebody has agreed to, maybe a while ago, must be what is called.
    if (!this.#set.isCurrent(tool, listed)) throw outdated(tool);
    const signal = HandlerContext.listener(ctx) as AbortSignal;
    const options: SendOptions = {
      signal,
      // Without one of its own the pipeline's deadline counts, and aborts the signal.
      timeout: this.#options.requestTimeout ?? longestTimer,
      ...((this.#options.wantsProgress?.(ctx.call.id) ?? true) && {
        onprogress: (progress: { progress: number }) => ctx.progress(progress),
      }),
    };
    let result: unknown;
    try {
      result = await session.call(listed, argumentsToSend(args, guards, ctx), options);
    } catch (error) {
      // A session that the server does not know any more: it may have been started anew.
      if ([400, 404].includes(statusOf(error))) this.#lost(session);
      throw callFailure(error, tool, this.name, signal);
    }
    return fromMcpResult(result, tool);
  }

  #absent(tool: string): ToolError {
    const why = {
      connected: 'is not there',
      reconnecting: 'has ended and is being started again; try again later',
      failed: 'has ended and is not started again',
      closed: 'was closed',
    }[this.#status];
    return new ToolError(`${tool} is not available now: its server "${this.name}" ${why}.`, {
      code: 'unavailable',
      retryable: this.#status === 'reconnecting',
      effect: 'none',
    });
  }

  #log(level: string, data: unknown, logger?: string): void {
    const { onLog } = this.#options;
    if (onLog === undefined) return;
    quietly(() => onLog({ server: this.name, level, data, ...(logger !== undefined && { logger }) }));
  }
}

function outdated(tool: string): ToolError {
  return new ToolError(`${tool} has changed, or has gone, since this call began. Look at the tools again.`, {
    code: 'conflict',
    effect: 'none',
  });
}

/** Whoever listens must not be able to break the connection. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // It is the listener's own fault.
  }
}
