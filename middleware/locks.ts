import { checkOptions } from '../src/basics/options.ts';
import { ancestorsOf, rootOf } from '../src/call/nesting.ts';
import type { Clock } from '../src/clock.ts';
import { type Turn, WaitingRoom } from '../src/concurrency/waiting-room.ts';
import { toFailure } from '../src/failure.ts';
import { type LockRequest, LockTable } from '../src/locking/lock-table.ts';
import { wantedLocks } from '../src/locking/wanted.ts';
import type { Failure } from '../src/result.ts';
import { makesStages, step } from '../src/traits.ts';
import type { Maybe, Ready, Stage } from '../src/types.ts';

export interface LocksOptions {
  /** How long a call may wait for its turn, in milliseconds. Default: no limit but the deadlines of the calls themselves. */
  readonly wait?: number;
  /** How many calls may wait for their turn, in all. Default 10,000. */
  readonly queue?: number;
  /**
   * How long what a call holds stays held for a handler that goes on after the call was answered, in milliseconds; `Infinity`
   * for as long as it goes on. Default 30,000.
   */
  readonly afterAnswer?: number;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

const optionNames = ['wait', 'queue', 'afterAnswer', 'clock'] satisfies (keyof LocksOptions)[];

/**
 * Lets calls that touch the same thing take turns: those that read it run together, one that writes it runs alone, in the
 * order in which they came; all others go on. What a call touches is said by its tool's `locks(args)`, by default the files
 * among its arguments. Holds for all calls that pass the stage, of a batch or not.
 *
 * Put it after permission, so that nobody waits for a call that a person is asked about, and before the timeout, which then
 * does not count the wait. A call that is withdrawn while it waits is answered at once.
 *
 * A handler that calls the router again, with its own signal, is refused what it already keeps from others; it may read what
 * it reads. Without the signal nobody knows that the two belong together, and the outer call's deadline ends the wait.
 *
 * Fails with: `rate_limited` when too many wait, `timeout` after `wait`, `conflict` when the wait could never end,
 * `internal` when a tool's `locks` gives nonsense, `aborted`.
 *
 * @example
 * defaultPipeline().replace('locks', locks({ wait: 5_000 }))
 */
export function locks(options: LocksOptions = {}): Stage<Ready> {
  checkOptions('locks', options, optionNames);
  const room = new WaitingRoom('locks', options);
  const table = new LockTable();
  // No WeakMap: thousands of entries in one make every collection of garbage slow.
  const held = new Map<Ready, LockRequest>();

  function locks(ctx: Ready): Maybe<Failure | undefined> {
    if (ctx.tool.locks === undefined && ctx.effects === undefined) return undefined;
    let wanted: Wanted | undefined;
    try {
      wanted = wantedLocks(ctx);
    } catch (error) {
      return toFailure(ctx, error);
    }
    return wanted === undefined ? undefined : take(ctx, wanted);
  }

  function take(ctx: Ready, wanted: Wanted): Maybe<Failure | undefined> {
    // A call that passes here again, with other arguments, must not wait for itself.
    held.get(ctx)?.release();
    let turn: Turn | undefined;
    const request = table.request(wanted, rootOf(ctx), () => turn?.come(), ancestorsOf(ctx));
    if (!request.isHeld) {
      const refused = room.crowded(ctx) ?? (request.isHopeless() ? hopeless(ctx) : undefined);
      if (refused !== undefined) {
        request.release();
        return refused;
      }
    }
    const leave = (): void => {
      request.release();
      if (held.get(ctx) === request) held.delete(ctx);
      turn?.come();
    };
    held.set(ctx, request);
    room.lease(ctx, leave);
    if (request.isHeld) return undefined;
    turn = room.enter(ctx, leave);
    return turn.answer;
  }

  return step(locks, { needs: ['tool', 'args'] }) as Stage<Ready>;
}
makesStages(locks);

type Wanted = NonNullable<ReturnType<typeof wantedLocks>>;

function hopeless(ctx: Ready): Failure {
  return ctx.fail(
    'conflict',
    `"${ctx.tool.name}" was not started: the tool that called it keeps what it needs until it has ended itself, so both ` +
      'would wait for ever. Call it by itself, after the other one.',
    { retryable: false, details: { reason: 'nested' } },
  );
}
