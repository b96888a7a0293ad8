import { isThenable, toPromise } from '../src/basics/thenable.ts';
import { forLog } from '../src/output/control-characters.ts';
import { isToolResult, type ToolResult } from '../src/result.ts';
import { makesStages } from '../src/traits.ts';
import type { Call, Maybe, Next, Stage } from '../src/types.ts';

/** Any logger with the usual levels: the console, pino, winston ... */
export interface Log {
  debug(message: string): unknown;
  info(message: string): unknown;
  warn(message: string): unknown;
  error(message: string): unknown;
}

type Level = keyof Log;

/** Faults of tools and stages, for whoever maintains them; other failures are part of the day. */
const faults: ReadonlySet<string> = new Set(['internal', 'invalid_schema', 'invalid_output']);

/**
 * Logs each call in one line when it begins (debug) and when it ends: info for a success, warn for a failure, error for a
 * fault of a tool or stage. Arguments and data are not logged; `audit` records them. A failing log never fails a call.
 *
 * Fails with nothing of its own.
 *
 * @example
 * defaultPipeline().before('normalize', 'logger', logger(console))
 */
export function logger(log: Log): Stage {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    if (typeof log?.[level] !== 'function') throw new TypeError(`logger() takes a log with a method "${level}".`);
  }

  return function logger(ctx: Call, next: Next): Maybe<ToolResult> {
    const begun = performance.now();
    const name = forLog(`${ctx.call.name} (call ${ctx.call.id}, run ${ctx.run.id})`);
    say('debug', `${name} begins`);
    const took = (): string => `after ${(performance.now() - begun).toFixed(1)} ms`;

    function ended(result: unknown): void {
      if (!isToolResult(result)) say('error', `${name} answered with something that is not a result, ${took()}`);
      else if (result.ok) say('info', `${name} succeeded ${took()}`);
      else {
        const level = faults.has(result.code) ? 'error' : 'warn';
        say(level, `${name} failed with ${result.code} ${took()}: ${forLog(result.error.slice(0, 500))}`);
      }
    }
    function threw(): void {
      say('error', `${name} threw ${took()}`);
    }

    let pending: Maybe<ToolResult>;
    try {
      pending = next();
    } catch (error) {
      threw();
      throw error;
    }
    if (!isThenable(pending)) {
      ended(pending);
      return pending;
    }
    return toPromise(pending).then(
      (result) => {
        ended(result);
        return result;
      },
      (error: unknown) => {
        threw();
        throw error;
      },
    );
  };

  function say(level: Level, message: string): void {
    try {
      const said: unknown = log[level](message);
      if (isThenable(said)) toPromise(said).catch(() => {});
    } catch {
      // A log that fails has nowhere to say so.
    }
  }
}
makesStages(logger);
