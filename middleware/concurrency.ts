import { checkOptions } from '../src/basics/options.ts';
import { isPlainRecord } from '../src/basics/plain-object.ts';
import { atOnce } from '../src/basics/thenable.ts';
import { ancestorsOf, rootOf } from '../src/call/nesting.ts';
import { namedTools } from '../src/chain/named-tools.ts';
import type { Clock } from '../src/clock.ts';
import { Limiter, type Place } from '../src/concurrency/limiter.ts';
import { type Turn, WaitingRoom } from '../src/concurrency/waiting-room.ts';
import type { Failure } from '../src/result.ts';
import { makesStages, step } from '../src/traits.ts';
import type { Maybe, Ready, Stage } from '../src/types.ts';

export interface ConcurrencyOptions {
  /** How many calls may be at work at the same time. Default: no limit. */
  readonly total?: number;
  /** How many calls of each tool; or of single tools, by their names. Default: no limit. */
  readonly perTool?: number | { readonly [tool: string]: number };
  /**
   * How many calls with the same key, such as the host they reach or the principal they are made for. A call for which `key`
   * gives `undefined` does not count. Default: no limit.
   */
  readonly perKey?: { readonly key: (ctx: Ready) => string | undefined; readonly limit: number };
  /** How many calls may wait for a place, in all. Default 10,000. */
  readonly queue?: number;
  /** How long a call may wait for a place, in milliseconds. Default: no limit but the deadlines of the calls themselves. */
  readonly wait?: number;
  /**
   * How long a handler that goes on after its call was answered still counts, in milliseconds; `Infinity` for as long as it
   * goes on. Default 30,000.
   */
  readonly afterAnswer?: number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Lets so many calls be at work at the same time, and no more: in all, for each tool, for each key. The others wait. Tools
 * take turns, so that none starves another; calls of one tool with one key go in the order in which they came.
 *
 * Put it after the locks, so that who waits for a file takes no place from others, and before the timeout, which then does
 * not count the wait. A call that a handler makes with its own signal runs on that handler's place, which waits meanwhile.
 *
 * Fails with: `rate_limited` when too many wait, `timeout` after `wait`, `internal` when `key` throws or gives no text,
 * `aborted`.
 *
 * @example
 * createRouter({ tools, limits: { total: 50, perTool: { run_tests: 1 } } })
 * defaultPipeline().replace('concurrency', concurrency({ perKey: { key: (ctx) => ctx.run.principal, limit: 4 } }))
 */
export function concurrency(options: ConcurrencyOptions): Stage<Ready> {
  const { total, perTool, perKey } = checked(options);
  const hasLimits = total !== Number.POSITIVE_INFINITY || options.perTool !== undefined || perKey !== undefined;
  const room = new WaitingRoom('concurrency', options);
  const limiter = new Limiter({ total, perTool, perKey: perKey?.limit ?? Number.POSITIVE_INFINITY });
  // No WeakSet: thousands of entries in one make every collection of garbage slow.
  const atWork = new Set<object>();

  function concurrency(ctx: Ready): Maybe<Failure | undefined> {
    if (!hasLimits) return undefined;
    let key: string | undefined;
    if (perKey !== undefined) {
      try {
        key = atOnce(perKey.key(ctx));
      } catch (error) {
        return keyless(ctx, error);
      }
      if (key !== undefined && typeof key !== 'string') return keyless(ctx);
    }
    const isLimited = total < Number.POSITIVE_INFINITY || key !== undefined;
    if (!isLimited && perTool(ctx.tool.name) === Number.POSITIVE_INFINITY) return undefined;
    return ancestorsOf(ctx).some((ancestor) => atWork.has(ancestor)) ? undefined : enter(ctx, key);
  }

  function enter(ctx: Ready, key: string | undefined): Maybe<Failure | undefined> {
    const root = rootOf(ctx);
    let turn: Turn | undefined;
    const place: Place = limiter.enter(ctx.tool.name, key, () => {
      atWork.add(root);
      turn?.come();
    });
    if (!place.isAtWork) {
      const refused = room.crowded(ctx);
      if (refused !== undefined) {
        place.leave();
        return refused;
      }
    }
    const leave = (): void => {
      atWork.delete(root);
      place.leave();
      turn?.come();
    };
    room.lease(ctx, leave);
    if (place.isAtWork) {
      atWork.add(root);
      return undefined;
    }
    turn = room.enter(ctx, leave);
    return turn.answer;
  }

  const stage = step(concurrency, { needs: ['tool', 'args'], concerns: () => hasLimits }) as Stage<Ready>;
  const named = typeof options.perTool === 'object' ? Object.keys(options.perTool) : [];
  return Object.assign(stage, { namesTools: namedTools('concurrency({ perTool })', named) });
}
makesStages(concurrency);

function keyless(ctx: Ready, cause?: unknown): Failure {
  const text = `"${ctx.tool.name}" was not started: the key of a limit could not be found out. This is a fault of the pipeline.`;
  return ctx.fail('internal', text, { cause });
}

const optionNames = [
  'total',
  'perTool',
  'perKey',
  'queue',
  'wait',
  'afterAnswer',
  'clock',
] satisfies (keyof ConcurrencyOptions)[];

interface Checked {
  readonly total: number;
  readonly perTool: (tool: string) => number;
  readonly perKey: ConcurrencyOptions['perKey'];
}

function checked(options: ConcurrencyOptions): Checked {
  checkOptions('concurrency', options, optionNames);
  const { total = Number.POSITIVE_INFINITY, perTool, perKey } = options;
  checkLimit('total', total);
  if (perKey !== undefined) {
    checkOptions('concurrency({ perKey })', perKey, ['key', 'limit']);
    if (typeof perKey.key !== 'function') throw new TypeError('concurrency({ perKey: { key } }) must be a function.');
    checkLimit('perKey.limit', perKey.limit);
  }
  return { total, perTool: limitsOf(perTool), perKey };
}

function limitsOf(perTool: ConcurrencyOptions['perTool']): (tool: string) => number {
  if (perTool === undefined || typeof perTool === 'number') {
    if (perTool !== undefined) checkLimit('perTool', perTool);
    return () => perTool ?? Number.POSITIVE_INFINITY;
  }
  if (!isPlainRecord(perTool)) {
    throw new TypeError('concurrency({ perTool }) must be a number, or an object of numbers by the name of the tool.');
  }
  const limits = new Map(Object.entries(perTool));
  for (const [tool, limit] of limits) checkLimit(`perTool.${tool}`, limit);
  return (tool) => limits.get(tool) ?? Number.POSITIVE_INFINITY;
}

function checkLimit(name: string, limit: unknown): void {
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && (limit as number) >= 1)) return;
  throw new TypeError(`concurrency(): "${name}" must be a whole number from 1, or Infinity; it is ${String(limit)}.`);
}
