import { canonicalJson } from '../src/basics/canonical-json.ts';
import { checkOptions } from '../src/basics/options.ts';
import { atOnce, ignore } from '../src/basics/thenable.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import type { ErrorCode } from '../src/errors.ts';
import { Breaker, type BreakerLimits, type BreakerOutcome, type BreakerState } from '../src/resilience/breaker.ts';
import { checkCodes } from '../src/resilience/codes.ts';
import { checkFinite, checkFunction, checkWhole, spoken } from '../src/resilience/numbers.ts';
import { judged } from '../src/resilience/outcome.ts';
import type { Failure, ToolResult } from '../src/result.ts';
import { makesStages, withTraits } from '../src/traits.ts';
import type { Found, Maybe, Next, Ready, Stage } from '../src/types.ts';

/** That a circuit breaker has opened, closed, or lets probes pass. */
export interface BreakerChange {
  readonly tool: string;
  /** By which calls are counted together; see the option `key`. */
  readonly key: string;
  readonly from: BreakerState;
  readonly to: BreakerState;
}

export interface CircuitBreakerOptions {
  /** How many failures in a row open it. Default 5. */
  readonly failures?: number;
  /** Failures further apart than this are not in a row, in milliseconds. Default 60,000. */
  readonly within?: number;
  /** How long it stays open before calls are let through to probe, in milliseconds. Default 30,000. */
  readonly openFor?: number;
  /** How many probes may be under way at a time, and have to succeed to close it. Default 1. */
  readonly probes?: number;
  /**
   * Which failures count. Default `unavailable` and `timeout`: `tool_error` is often what the arguments deserved, and a model
   * could open the breaker at will. Denials, wrong arguments and calls that were withdrawn never count.
   */
  readonly codes?: readonly ErrorCode[];
  /**
   * What is counted together: calls with the same text. Default: tool and principal, so that nobody can take a tool away from
   * others by making it fail, and the hosts that a URL guard before it found; `({ tool }) => tool.name` finds out sooner
   * that a service is down.
   */
  readonly key?: (ctx: Found) => string;
  /** Is told of every change; what it throws is dropped. Default: nobody. */
  readonly onChange?: (change: BreakerChange) => void;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Stops calling a tool that has failed again and again, so that nobody waits for what is down and it can recover. After a while
 * single calls are let through: when they succeed, all are. A probe that hangs or is withdrawn makes room for the next.
 *
 * Its place is outside the timeout, so that it sees what takes too long, and inside a retry, which then hears how long to
 * wait. A deadline of the caller's own does not count: somebody in a hurry says nothing of the service. Keeps 10,000 keys.
 *
 * Fails with `unavailable`; `details` has `reason: 'circuit_open'` and `retry_after_ms`.
 *
 * @example
 * defaultPipeline().before('timeout', 'circuitBreaker', circuitBreaker({ failures: 5, openFor: 30_000 }))
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): Stage<Found> {
  const { limits, codes, keyOf, onChange, clock } = checked(options);
  const watched = new Map<string, Watched>();

  function circuitBreaker(ctx: Found, next: Next): Maybe<ToolResult> {
    const key = keyOf(ctx);
    const entry = watched.get(key) ?? begin(ctx.tool.name, key);
    const { breaker } = entry;
    const report = breaker.enter(clock.now());
    if (typeof report !== 'function') return refused(ctx, Math.ceil(report.retryAfterMs));
    // Whatever becomes of a probe, it no longer stands for one once its call has ended.
    if (breaker.state === 'half-open') ctx.onSettled(() => report('none', clock.now()));
    entry.underWay++;
    return judged(ctx, next, (result) => {
      report(meaningOf(ctx, result, codes), clock.now());
      entry.underWay--;
      return result;
    });
  }

  function begin(tool: string, key: string): Watched {
    const breaker = new Breaker(limits, (from, to) => tell(onChange, { tool, key, from, to }));
    const entry = { breaker, underWay: 0 };
    if (watched.size >= mostWatched) makeRoom();
    watched.set(key, entry);
    return entry;
  }

  /** Drops a sixteenth of them: the oldest with which nothing is lost, and if there are none, the oldest. */
  function makeRoom(): void {
    const now = clock.now();
    const enough = mostWatched - (mostWatched >> 4);
    for (const [key, { breaker, underWay }] of watched) {
      if (underWay === 0 && breaker.isIdle(now)) watched.delete(key);
      if (watched.size <= enough) return;
    }
    for (const key of watched.keys()) {
      if (watched.size <= enough) return;
      watched.delete(key);
    }
  }

  function refused(ctx: Found, retryAfterMs: number): Failure {
    const { name } = ctx.tool;
    const text =
      `${name} has failed several times in a row and is not called for the next ${spoken(retryAfterMs)}. ` +
      'Take another way, or try again then.';
    return ctx.fail('unavailable', text, { details: { reason: 'circuit_open', retry_after_ms: retryAfterMs } });
  }

  return withTraits(circuitBreaker as Stage<Found>, { needs: ['tool'] });
}
makesStages(circuitBreaker);

const mostWatched = 10_000;

interface Watched {
  readonly breaker: Breaker;
  /** Calls that it let through and that have not come back. */
  underWay: number;
}

function meaningOf(ctx: Found, result: ToolResult, codes: ReadonlySet<ErrorCode>): BreakerOutcome {
  if (result.ok) return 'success';
  if (!codes.has(result.code)) return 'none';
  return result.code === 'timeout' && ctx.aborted && !isTheToolsOwn(result) ? 'none' : 'failure';
}

/** Whether it was the tool's own time that was up: then the failure says what that was. */
function isTheToolsOwn({ details }: Failure): boolean {
  return typeof details === 'object' && details !== null && 'limit_ms' in details;
}

function tell(listener: ((change: BreakerChange) => void) | undefined, change: BreakerChange): void {
  try {
    ignore(listener?.(Object.freeze(change)));
  } catch {
    // Whoever is told must not be able to change what becomes of a call.
  }
}

interface Checked {
  readonly limits: BreakerLimits;
  readonly codes: ReadonlySet<ErrorCode>;
  readonly keyOf: (ctx: Found) => string;
  readonly onChange: ((change: BreakerChange) => void) | undefined;
  readonly clock: Clock;
}

const optionNames = [
  'failures',
  'within',
  'openFor',
  'probes',
  'codes',
  'key',
  'onChange',
  'clock',
] satisfies (keyof CircuitBreakerOptions)[];

function checked(options: CircuitBreakerOptions): Checked {
  checkOptions('circuitBreaker', options, optionNames);
  const { key, onChange, clock = systemClock } = options;
  checkClock(clock, 'circuitBreaker({ clock })');
  checkFunction(key, 'circuitBreaker({ key })');
  checkFunction(onChange, 'circuitBreaker({ onChange })');
  return {
    limits: {
      failures: checkWhole(options.failures ?? 5, 'circuitBreaker({ failures })', 1),
      withinMs: checkFinite(options.within ?? 60_000, 'circuitBreaker({ within })'),
      openMs: checkFinite(options.openFor ?? 30_000, 'circuitBreaker({ openFor })'),
      probes: checkWhole(options.probes ?? 1, 'circuitBreaker({ probes })', 1),
    },
    codes: checkCodes('circuitBreaker({ codes })', options.codes ?? ['unavailable', 'timeout']),
    keyOf: key === undefined ? keyByDefault : (ctx) => checkedKey(key(ctx)),
    onChange,
    clock,
  };
}

function checkedKey(key: unknown): string {
  // A promise would be another key for every call, and no breaker would ever open.
  if (typeof atOnce(key) === 'string') return key as string;
  throw new TypeError(`circuitBreaker({ key }) must give a text; it gave ${typeof key}.`);
}

/** One host that is down must not take away a tool that reaches all of them. */
function keyByDefault(ctx: Found): string {
  const { tool, run } = ctx;
  const { effects } = ctx as Partial<Ready>;
  const parts = [tool.name, run.principal ?? null];
  if (effects === undefined) return canonicalJson(parts);
  const hosts = effects.flatMap((effect) => (effect.kind === 'net' ? [`${effect.host}:${effect.port}`] : []));
  return canonicalJson([...parts, ...hosts.sort()]);
}
