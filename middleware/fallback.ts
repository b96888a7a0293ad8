import { checkMilliseconds } from '../src/basics/milliseconds.ts';
import { checkOptions } from '../src/basics/options.ts';
import { atOnce } from '../src/basics/thenable.ts';
import { type Clock, checkClock, systemClock } from '../src/clock.ts';
import type { ErrorCode } from '../src/errors.ts';
import { checkCodes } from '../src/resilience/codes.ts';
import { checkFunction } from '../src/resilience/numbers.ts';
import { judged, noted } from '../src/resilience/outcome.ts';
import { isSafeToRepeat } from '../src/resilience/safety.ts';
import { within } from '../src/resilience/wait.ts';
import { causeOf, type Failure, isToolResult, type Meta, rememberCause, type ToolResult } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { isAnswer, makesStages, repeatable } from '../src/traits.ts';
import type { Maybe, Next, Ready, Run, Stage, ToolCall } from '../src/types.ts';

/** What a call of another tool is made through: a router. */
export interface CallsTools {
  call(
    call: ToolCall,
    options: { readonly signal: AbortSignal; readonly run: Partial<Run>; readonly state: never },
  ): Promise<ToolResult>;
}

export interface FallbackOptions {
  /** Which failures are answered otherwise. Default `unavailable`, `timeout`, `rate_limited`. */
  readonly codes?: readonly ErrorCode[];
  /** Gives data to answer with. Either this, or `tool` with `router`. */
  readonly data?: (failure: Failure, ctx: Ready) => unknown;
  /** The name of another tool to call. */
  readonly tool?: string;
  /**
   * The router that calls it, as a function, since the router is made after its pipeline. The call passes the whole chain,
   * guards and permission included, in the same run, with the same state.
   */
  readonly router?: () => CallsTools;
  /** The arguments of the other tool. Default: those of the call. */
  readonly arguments?: (ctx: Ready) => unknown;
  /** Tools that may be replaced although they may have taken effect; as in `retry`. Default: none. */
  readonly safe?: (tool: Tool) => boolean;
  /** How long `data` may take, in milliseconds. Default 30,000. */
  readonly timeout?: number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/**
 * Answers otherwise when a tool cannot: with data, or with what another tool gives. `meta.fallback` says so, with the `code` of the
 * failure and the `tool`. Where that fails as well, the first failure stands, and `meta.fallback` has `failed`, a code.
 *
 * It opens no way around a guard. Only failures of the service behind a tool are answered, never a denial or wrong arguments;
 * another tool is called through the router, as the model would have to; and as `retry`, it leaves alone what may have taken
 * effect, unless a second time does no harm.
 *
 * Its place is inside permission, outside the timeout, a retry and a circuit breaker, and outside a cache, which keeps no answers of
 * an emergency. A call that is a fallback itself falls back at most twice more.
 *
 * Fails with what the tool failed with.
 *
 * @example
 * const pipeline = defaultPipeline()
 *   .before('timeout', 'fallback', forTools('web_search', fallback({ tool: 'wiki_search', router: () => router })));
 * const router: Router = createRouter({ tools, pipeline });      // the type is written, as the pipeline speaks of the router
 */
export function fallback(options: FallbackOptions): Stage<Ready> {
  const set = checked(options);

  function fallback(ctx: Ready, next: Next): Maybe<ToolResult> {
    // Asked first, as an option that fails must not lose the failure that is there.
    const isSafe = isSafeToRepeat(ctx) || atOnce(set.safe(ctx.tool)) === true;
    return judged(ctx, next, (result) =>
      result.ok || !isMeant(ctx, result, isSafe, set) ? result : otherwise(ctx, result, set),
    );
  }

  // Also when it is entered once: an attempt that ran out of time takes its own signal with it, and not the call's.
  return repeatable(fallback as Stage<Ready>, { needs: ['tool', 'args'] });
}
makesStages(fallback);

const suffix = '+fallback';
const mostInARow = suffix.repeat(3);

function isMeant(ctx: Ready, failure: Failure, isSafe: boolean, { codes, tool }: Checked): boolean {
  if (!codes.has(failure.code) || ctx.aborted) return false;
  if (failure.effect !== 'none' && !isSafe) return false;
  return tool === undefined || !ctx.call.id.endsWith(mostInARow);
}

async function otherwise(ctx: Ready, failure: Failure, set: Checked): Promise<ToolResult> {
  const { code } = failure;
  const note: Meta = set.tool === undefined ? { code } : { code, tool: set.tool };
  ctx.tell?.('note', { name: 'fallback', data: { ...note, reason: failure.error } });
  const waited = await within(ctx, answerOf(ctx, failure, set), set.timeout, set.clock);
  if (isAnswer(waited)) return waited;
  const given = 'value' in waited ? waited.value : undefined;
  if (!('value' in waited)) {
    const failed = 'late' in waited ? 'timeout' : 'internal';
    return withNote(failure, { ...note, failed }, 'none', 'error' in waited ? waited.error : undefined);
  }
  if (!isToolResult(given)) return noted(ctx.ok(given), { fallback: note });
  if (given.ok) return noted(ctx.ok(given.data), { ...given.meta, fallback: note });
  return withNote(failure, { ...note, failed: given.code }, given.effect, causeOf(given));
}

/** The first failure; what the second try may have done counts as well. */
function withNote(failure: Failure, note: Meta, effect: Failure['effect'], cause: unknown): Failure {
  const both = effect === 'unknown' ? { ...failure, effect } : { ...failure };
  return noted(rememberCause(both, causeOf(failure) ?? cause), { fallback: note });
}

async function answerOf(ctx: Ready, failure: Failure, { data, tool, router, argumentsOf }: Checked): Promise<unknown> {
  if (data !== undefined) return data(failure, ctx);
  const { id } = ctx.call;
  const { signal, run, state } = ctx;
  const call = { id: `${id}${suffix}`, name: tool as string, arguments: atOnce(argumentsOf(ctx)) };
  return (router as () => CallsTools)().call(call, { signal, run, state: state as never });
}

interface Checked {
  readonly codes: ReadonlySet<ErrorCode>;
  readonly data: FallbackOptions['data'];
  readonly tool: string | undefined;
  readonly router: FallbackOptions['router'];
  readonly argumentsOf: (ctx: Ready) => unknown;
  readonly safe: (tool: Tool) => boolean;
  readonly timeout: number;
  readonly clock: Clock;
}

const optionNames = [
  'codes',
  'data',
  'tool',
  'router',
  'arguments',
  'safe',
  'timeout',
  'clock',
] satisfies (keyof FallbackOptions)[];

function checked(options: FallbackOptions): Checked {
  checkOptions('fallback', options, optionNames);
  const { data, tool, router, timeout = 30_000, clock = systemClock } = options;
  checkClock(clock, 'fallback({ clock })');
  if ((data === undefined) === (tool === undefined) || (tool === undefined) !== (router === undefined)) {
    throw new TypeError('fallback() needs either data, a function, or a tool, by its name, with a router.');
  }
  if (tool !== undefined && typeof tool !== 'string') throw new TypeError('fallback({ tool }) must be a name.');
  checkFunction(data, 'fallback({ data })');
  checkFunction(router, 'fallback({ router })');
  checkFunction(options.arguments, 'fallback({ arguments })');
  checkFunction(options.safe, 'fallback({ safe })');
  return {
    codes: checkCodes('fallback({ codes })', options.codes ?? ['unavailable', 'timeout', 'rate_limited']),
    data,
    tool,
    router,
    argumentsOf: options.arguments ?? (({ args }) => args),
    safe: options.safe ?? (() => false),
    // Another tool has a timeout of its own, and may have to wait for a person.
    timeout: data === undefined ? Number.POSITIVE_INFINITY : checkMilliseconds(timeout, 'fallback({ timeout })'),
    clock,
  };
}
