import { availableParallelism } from 'node:os';
import { HandlerContext } from '../call/handler-context.ts';
import { ended, failed } from '../call/handler-run.ts';
import type { Clock } from '../clock.ts';
import { toFailure } from '../failure.ts';
import { withoutHostDetails } from '../output/host-paths.ts';
import type { Failure, ToolResult } from '../result.ts';
import type { SchemaEngine } from '../schema/engine.ts';
import type { Isolation as Kind } from '../tool.ts';
import type { Maybe, Ready } from '../types.ts';
import { type HandlerModule, handlerModuleOf } from './module-handler.ts';
import { Operations } from './operations.ts';
import { type PoolOutcome, WorkerPool } from './pool.ts';
import { processStarter } from './process.ts';
import type { IsolatedCall } from './session.ts';
import { threadStarter } from './thread.ts';
import type { Gone, TransportOptions } from './transport.ts';

/** Everything that is decided about isolated tools, with no default left open. */
export interface IsolationSettings {
  readonly engine: SchemaEngine | undefined;
  readonly threads: number | undefined;
  readonly processes: number | undefined;
  readonly queue: number;
  readonly memory: number;
  readonly grace: number;
  readonly idle: number;
  readonly reuse: boolean;
  readonly messageBytes: number;
  readonly env: Readonly<Record<string, string>>;
  readonly execArgv: readonly string[];
  readonly launcher: readonly string[];
  readonly output: 'ignore' | 'stderr';
  readonly state: ((state: unknown) => unknown) | undefined;
  readonly clock: Clock;
}

/** Runs handlers in threads and processes, which are started when the first tool needs one. */
export class Isolation {
  readonly #settings: IsolationSettings;
  readonly #pools = new Map<Kind, WorkerPool>();

  constructor(settings: IsolationSettings) {
    this.#settings = settings;
  }

  /** Neither throws nor rejects. */
  async run(ctx: Ready): Promise<ToolResult> {
    try {
      const kind = ctx.tool.isolate as Kind;
      const handler = handlerModuleOf(ctx.tool.handler);
      if (handler === undefined) {
        return ctx.fail('internal', `"${ctx.tool.name}" sets isolate, but its handler is not made by moduleHandler().`);
      }
      const outcome = await this.#pool(kind).run(callOf(ctx, handler, this.#settings));
      return await answered(ctx, kind, outcome, this.#settings.engine);
    } catch (error) {
      ctx.ended();
      return ctx.fail('internal', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  /** Ends all threads and processes. A later call starts new ones. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.close()));
  }

  #pool(kind: Kind): WorkerPool {
    const pool = this.#pools.get(kind) ?? this.#makePool(kind);
    this.#pools.set(kind, pool);
    return pool;
  }

  #makePool(kind: Kind): WorkerPool {
    const { memory, messageBytes, execArgv, launcher, output, env, threads, processes, ...rest } = this.#settings;
    const options: TransportOptions = { memory, messageBytes, execArgv, launcher, output, env: environment(env) };
    const start = kind === 'thread' ? threadStarter(options) : processStarter(options);
    const size = (kind === 'thread' ? threads : processes) ?? availableParallelism();
    return new WorkerPool(start, { ...rest, size });
  }
}

function callOf(ctx: Ready, handler: HandlerModule, { messageBytes, state }: IsolationSettings): IsolatedCall {
  // Made with the first that is asked for.
  let operations: Operations | undefined;
  return {
    handler,
    get aborted() {
      return ctx.aborted;
    },
    begin: () => ctx.began(),
    message: () => ({
      args: ctx.args,
      context: {
        call: ctx.call,
        idempotencyKey: new HandlerContext(ctx).idempotencyKey,
        state: state?.(ctx.state),
        fs: ctx.fs?.level,
        exec: ctx.exec?.tier,
        fetch: ctx.fetch !== undefined,
        messageBytes,
      },
    }),
    progress: (data) => ctx.progress(data),
    perform(operation, args, signal) {
      operations ??= new Operations(ctx, messageBytes);
      return operations.perform(operation, args, signal);
    },
    onAbort: (listener) => ctx.onAbort(listener),
  };
}

function answered(ctx: Ready, kind: Kind, outcome: PoolOutcome, engine: SchemaEngine | undefined): Maybe<ToolResult> {
  switch (outcome.kind) {
    case 'data':
      return ended(ctx, outcome.data, engine);
    case 'thrown':
      return failed(ctx, ctx.aborted ? reasonItself(outcome.error, ctx.signal.reason) : outcome.error);
    case 'gone':
      ctx.ended();
      return ctx.aborted ? toFailure(ctx, ctx.signal.reason) : cutShort(ctx, kind, outcome.gone, outcome.loaded);
    case 'unloadable':
      return unloadable(ctx, outcome.error);
    case 'withdrawn':
      if (ctx.aborted) return toFailure(ctx, ctx.signal.reason);
      return ctx.fail('unavailable', `"${ctx.tool.name}" waited for a ${kind} when the router was closed.`);
    case 'full':
      return ctx.fail('rate_limited', `Too many calls wait for a ${kind} already. Try again when some have ended.`, {
        details: { reason: 'queue' },
      });
    case 'resting': {
      const rest = Math.ceil(outcome.rest);
      return ctx.fail(
        'unavailable',
        `The handler of "${ctx.tool.name}" could not be loaded ${outcome.failures} times in a row. It is tried again in ${rest} ms.`,
        { details: { reason: 'resting', retry_after_ms: rest } },
      );
    }
  }
}

/** What a handler throws when it is aborted is mostly the reason, which has been copied to and fro. */
function reasonItself(error: unknown, reason: unknown): unknown {
  const isCopy =
    error instanceof Error && reason instanceof Error
      ? error.name === reason.name && error.message === reason.message
      : error === reason;
  return isCopy ? reason : error;
}

function cutShort(ctx: Ready, kind: Kind, { reason, how, cause }: Gone, loaded: boolean): Failure {
  const { name } = ctx.tool;
  const when = loaded ? 'while it was at work' : "while the handler's module was being loaded";
  const consequence = loaded ? 'It may have taken effect: check before you try again.' : 'It had not been started.';
  const text = `The ${kind} of "${name}" ended ${when}: ${how}. ${consequence}`;
  return ctx.fail('unavailable', text, { details: { reason }, ...(cause !== undefined && { cause }) });
}

function unloadable(ctx: Ready, error: unknown): Failure {
  const why = withoutHostDetails(error instanceof Error ? error.message : String(error)).slice(0, 2_000);
  return ctx.fail('internal', `The handler of "${ctx.tool.name}" cannot be loaded: ${why}`, {
    details: { reason: 'unloadable' },
    cause: error,
  });
}

/** Of this process's own variables only what says where and in which words it runs. */
function environment(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = process.platform === 'win32' ? ['SystemRoot', 'windir', 'TEMP', 'TMP', 'TZ'] : ['TZ', 'LANG', 'LC_ALL'];
  const own = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]]));
  return { ...Object.fromEntries(own), ...more };
}
