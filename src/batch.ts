import { adoptSignal } from './call/nesting.ts';
import { unwatchSignal, type Withdrawable, watchSignal } from './call/withdrawal.ts';
import type { Clock } from './clock.ts';
import { ToolError } from './errors.ts';
import type { ToolResult } from './result.ts';
import type { ToolCall } from './types.ts';

/** What happens while a batch runs: a call was answered, or its tool said how far it has come. */
export type StreamEvent =
  | { readonly type: 'result'; readonly index: number; readonly result: ToolResult }
  | { readonly type: 'progress'; readonly index: number; readonly call_id: string | undefined; readonly data: unknown };

interface OneCall {
  readonly signal?: AbortSignal | undefined;
  readonly deadline?: number;
  readonly onProgress?: (data: unknown) => void;
}

/** How a batch is to be run. */
export interface Batch {
  readonly concurrency: number;
  readonly clock: Clock;
  /** Milliseconds for all of them together, or `Infinity`. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  call(call: ToolCall, more: OneCall): Promise<ToolResult>;
}

/** Runs the calls side by side; one result each, in the order of the calls. */
export async function runAll(calls: readonly ToolCall[], batch: Batch): Promise<ToolResult[]> {
  const results = new Array<ToolResult>(calls.length);
  await each(calls, batch, (index, result) => {
    results[index] = result;
  });
  return results;
}

/** Runs the calls side by side; yields results in the order in which they come. */
export function streamAll(calls: readonly ToolCall[], batch: Batch): AsyncIterableIterator<StreamEvent> {
  const left = new AbortController();
  adoptSignal(left.signal, batch.signal);
  const leave = (): void => left.abort(new ToolError('Nobody waits for this call any more.', { code: 'aborted' }));
  const events = eventsOf(calls, batch, left, leave);
  // A generator looks at `return` only once what it awaits has come, and from a tool that hangs nothing comes.
  return {
    next: () => events.next(),
    return: () => {
      leave();
      return events.return();
    },
    throw: (error: unknown) => {
      leave();
      return events.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* eventsOf(
  calls: readonly ToolCall[],
  batch: Batch,
  left: AbortController,
  leave: () => void,
): AsyncGenerator<StreamEvent, void> {
  let events: StreamEvent[] = [];
  let wake = (): void => {};
  const push = (event: StreamEvent): void => {
    events.push(event);
    wake();
  };
  const { signal } = batch;
  const withdrawn: Withdrawable = { place: -1, withdraw: (reason) => left.abort(reason) };
  if (signal?.aborted) withdrawn.withdraw(signal.reason);
  else if (signal !== undefined) watchSignal(signal, withdrawn);
  let running = true;
  const done = each(
    calls,
    { ...batch, signal: left.signal },
    (index, result) => push({ type: 'result', index, result }),
    (index, data) => push({ type: 'progress', index, call_id: calls[index]?.id, data }),
  ).then(() => {
    running = false;
    // Here and not at the end of the loop, which whoever forgets the stream half-way never reaches.
    if (signal !== undefined) unwatchSignal(signal, withdrawn);
    wake();
  });
  try {
    while (running || events.length > 0) {
      const come = events;
      events = [];
      for (const event of come) yield event;
      if (running && events.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    leave();
    await done;
  }
}

async function each(
  calls: readonly ToolCall[],
  batch: Batch,
  answered: (index: number, result: ToolResult) => void,
  progressed?: (index: number, data: unknown) => void,
): Promise<void> {
  const dueAt = batch.clock.now() + batch.deadline;
  let tooLate: AbortSignal | undefined;
  let nextIndex = 0;
  const worker = async (): Promise<void> => {
    for (let index = nextIndex++; index < calls.length; index = nextIndex++) {
      const at = index;
      const left = dueAt - batch.clock.now();
      if (left <= 0) tooLate ??= AbortSignal.abort(overdue(batch.deadline));
      answered(
        at,
        await batch.call(calls[at] as ToolCall, {
          // Whatever still waits its turn when time is up gets its answer too, without being started.
          signal: tooLate ?? batch.signal,
          ...(left > 0 && { deadline: left }),
          ...(progressed !== undefined && { onProgress: (data: unknown) => progressed(at, data) }),
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(batch.concurrency, calls.length) }, worker));
}

function overdue(deadline: number): ToolError {
  return new ToolError(`The deadline of ${deadline} ms for all calls passed before this one was started.`, {
    code: 'timeout',
  });
}
