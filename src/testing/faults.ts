import { didYouMean } from '../basics/nearest.ts';
import { checkOptions } from '../basics/options.ts';
import { type Clock, checkClock, systemClock } from '../clock.ts';
import { ownMembers } from '../define-tool.ts';
import { ToolError } from '../errors.ts';
import { checkFinite } from '../resilience/numbers.ts';
import type { ToolResult } from '../result.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { makesStages, withTraits } from '../traits.ts';
import type { Call, Maybe, Next, Stage } from '../types.ts';
import { oddThrows } from './odd-throws.ts';
import { type Random, seededRandom } from './random.ts';
import { turns } from './turns.ts';

/**
 * What can be made to go wrong.
 *
 * | fault | as a stage | around a tool |
 * | --- | --- | --- |
 * | `latency` | waits before it hands on | waits before the handler runs |
 * | `broken_json` | hands on arguments whose JSON text is cut off; before `validate` | |
 * | `denial` | answers `denied` | throws a ToolError with `denied` |
 * | `crash` | throws anything: errors, texts, `undefined`, objects that cannot be read | the same |
 * | `hang` | never answers | never answers, and does not heed the signal |
 * | `wrong_output` | answers with something that is no result | gives data of another kind than asked for |
 * | `late` | | runs the handler, but answers only once the call has been aborted |
 */
export type Fault = 'latency' | 'broken_json' | 'denial' | 'crash' | 'hang' | 'wrong_output' | 'late';

export interface FaultOptions {
  /** How often each fault happens, from 0 to 1; together at most 1. Default: none happens. */
  readonly rates?: { readonly [F in Fault]?: number };
  /** The faults of one call after the other, `undefined` for none, in place of `rates`; afterwards none happens. */
  readonly plan?: readonly (Fault | undefined)[];
  /** Decides the random numbers, so that a run can be repeated. Default 1. */
  readonly seed?: number;
  /** How long `latency` waits at the most, in milliseconds; at least a tenth of it. Default 50. */
  readonly latency?: number;
  /** Where waiting takes its time from. Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * A stage at which things go wrong, as often as asked for.
 *
 * Fails with `denied`, and with whatever else was asked for.
 *
 * @example
 * const shaky = defaultPipeline({ roots }).before('validate', 'faults', faults({ rates: { broken_json: 0.1, crash: 0.05 } }));
 */
export function faults(options: FaultOptions): Stage {
  const { choose, wait, mayRewrite } = prepared('faults', options, [
    'latency',
    'broken_json',
    'denial',
    'crash',
    'hang',
    'wrong_output',
  ]);

  function faults(ctx: Call, next: Next<Partial<Call>>): Maybe<ToolResult> {
    const { fault, random } = choose();
    switch (fault) {
      case 'latency':
        return wait(random, (done) => {
          ctx.onAbort(done);
          ctx.onSettled(done);
        }).then(() => next({}));
      case 'broken_json':
        return next({ call: { ...ctx.call, arguments: brokenJson(ctx.call.arguments, random) } });
      case 'denial':
        return ctx.fail('denied', 'Denied: a fault that was asked for.', { details: { reason: 'fault' } });
      case 'crash':
        throw random.pick(oddThrows)();
      case 'hang':
        return new Promise(() => {});
      case 'wrong_output':
        return random.pick([null, 'no result', 7, { ok: true }, []]) as never;
      default:
        return next({});
    }
  }
  return mayRewrite ? withTraits(faults as Stage, { rewrites: true }) : (faults as Stage);
}
makesStages(faults);

/**
 * The same tool, whose handler goes wrong as often as asked for.
 *
 * @example
 * registry.add(withFaults(weather, { plan: [undefined, 'hang', 'crash'] }));
 */
export function withFaults<T extends Tool>(tool: T, options: FaultOptions): T {
  const { choose, wait } = prepared('withFaults', options, [
    'latency',
    'denial',
    'crash',
    'hang',
    'wrong_output',
    'late',
  ]);
  const { handler, ...rest } = ownMembers(tool as Tool);

  async function faulty(fault: Fault, random: Random, args: unknown, context: ToolContext): Promise<unknown> {
    const { signal } = context;
    switch (fault) {
      case 'latency':
        await wait(random, (done) => signal.addEventListener('abort', done, { once: true }));
        signal.throwIfAborted();
        return handler(args, context);
      case 'late': {
        const data = await handler(args, context);
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await turns(2);
        return data;
      }
      default:
        return new Promise(() => {});
    }
  }

  return Object.freeze({
    ...rest,
    handler(args: unknown, context: ToolContext): unknown {
      const { fault, random } = choose();
      switch (fault) {
        case undefined:
          return handler(args, context);
        case 'denial':
          throw new ToolError('Denied: a fault that was asked for.', { code: 'denied', details: { reason: 'fault' } });
        case 'crash':
          throw random.pick(oddThrows)();
        case 'wrong_output':
          return random.pick([null, 'other data', -1, { other: 'data' }, [[]], undefined]);
        default:
          return faulty(fault, random, args, context);
      }
    },
  }) as unknown as T;
}

interface Prepared {
  readonly mayRewrite: boolean;
  choose(): { readonly fault: Fault | undefined; readonly random: Random };
  /** Waits, or until the call is aborted; leaves no timer behind. */
  wait(random: Random, onAbort: (done: () => void) => void): Promise<void>;
}

function prepared(owner: string, options: FaultOptions, possible: readonly Fault[]): Prepared {
  checkOptions(owner, options, ['rates', 'plan', 'seed', 'latency', 'clock']);
  const { rates = {}, plan, seed = 1, latency = 50, clock = systemClock } = options;
  const wished = [...Object.keys(rates), ...(plan ?? [])].filter((fault) => fault !== undefined);
  const impossible = wished.find((fault) => !(possible as readonly string[]).includes(fault));
  if (impossible !== undefined) {
    throw new TypeError(
      `${owner}() cannot do "${impossible}". What it can do: ${possible.join(', ')}.${didYouMean(impossible, possible)}`,
    );
  }
  const all = Object.entries(rates) as [Fault, number][];
  const total = all.reduce((sum, [, rate]) => sum + rate, 0);
  if (!all.every(([, rate]) => rate >= 0) || !(total <= 1)) {
    throw new TypeError(`${owner}({ rates }) takes numbers from 0 that are together at most 1; they are ${total}.`);
  }
  checkFinite(latency, `${owner}({ latency })`);
  checkClock(clock, `${owner}({ clock })`);
  const random = seededRandom(seed);
  let count = 0;

  function chosen(): Fault | undefined {
    if (plan !== undefined) return plan[count++];
    let left = random.fraction();
    for (const [fault, rate] of all) {
      if (left < rate) return fault;
      left -= rate;
    }
    return undefined;
  }

  return {
    mayRewrite: wished.includes('broken_json'),
    choose: () => ({ fault: chosen(), random }),
    wait: (from, onAbort) =>
      new Promise((resolve) => {
        const timer = clock.setTimeout(resolve, latency * (0.1 + 0.9 * from.fraction()));
        onAbort(() => {
          clock.clearTimeout(timer);
          resolve();
        });
      }),
  };
}

/** JSON text as a model leaves it that was cut off, or an unfinished object where there is nothing to cut. */
function brokenJson(args: unknown, random: Random): string {
  let text: string | undefined;
  try {
    text = typeof args === 'string' ? args : JSON.stringify(args);
  } catch {
    // Below.
  }
  if (text === undefined || text.length < 2) return '{"';
  return text.slice(0, 1 + random.below(text.length - 1));
}
