import type { Router } from '../../router.ts';
import type { CallLine } from '../input/calls.ts';
import { inOrder } from '../ordered.ts';
import type { Answered } from '../terminal/call-block.ts';
import type { Underway } from '../terminal/progress-line.ts';
import { newTrace, type Tracer } from '../trace.ts';

/** A run that is going on. */
export interface Route {
  /** What came of the calls, in their order. Throws what the input throws, after everything before it. */
  readonly answered: AsyncIterable<Answered>;
  /** The calls that are under way, the longest first. */
  underway(): readonly Underway[];
}

export interface RouteOptions {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Follows the calls through the stages, for a view that shows them. */
  readonly tracer: Tracer | undefined;
}

interface Current {
  readonly name: string;
  readonly begunAt: number;
  reports: number;
  report: unknown;
}

/** Routes a stream of calls. */
export function route(router: Router, calls: AsyncIterable<CallLine>, options: RouteOptions): Route {
  const { concurrency, signal, tracer } = options;
  const current = new Set<Current>();
  let count = 0;

  async function make({ call }: CallLine): Promise<Answered> {
    const ordinal = ++count;
    const trace = newTrace();
    const one: Current = { name: call.name, begunAt: performance.now(), reports: 0, report: undefined };
    current.add(one);
    const onProgress = (report: unknown): void => {
      one.reports++;
      one.report = report;
    };
    const work = (): Promise<Answered['result']> => router.call(call, { signal, onProgress });
    const result = await (tracer === undefined ? work() : tracer.follow(trace, work));
    current.delete(one);
    const milliseconds = performance.now() - one.begunAt;
    return { ordinal, call, result, trace, reports: one.reports, milliseconds };
  }

  async function* answered(): AsyncGenerator<Answered> {
    for await (const { result } of inOrder(calls, make, { concurrency, signal })) yield result;
  }

  return {
    answered: answered(),
    underway() {
      const now = performance.now();
      return [...current].map(({ name, begunAt, report }) => ({ name, milliseconds: now - begunAt, report }));
    },
  };
}
