import type { Clock } from '../clock.ts';
import type { StageEvent, StageEvents } from '../observing/stage-events.ts';
import type { Offers } from '../offers.ts';
import type { ToolResult } from '../result.ts';
import type { Maybe } from '../types.ts';
import type { CallContext } from './context.ts';

/** Those who hear what stages say. */
export interface Hearing {
  /** Absent while nobody listens to any of that. */
  readonly tell: (<E extends StageEvent>(ctx: CallContext, event: E, data: StageEvents[E]) => void) | undefined;
}

/** What the router does for every context it makes; one object a router, so that a call carries only a pointer. */
export interface Host {
  restart(ctx: CallContext): Maybe<ToolResult>;
  progress(ctx: CallContext, data: unknown): void;
  readonly observers?: Hearing;
  /** Makes data fit to be shown; absent where no stage does that. */
  clean?: ((data: unknown) => unknown) | undefined;
  /** A handler has ended after its call had been answered. */
  late(ctx: CallContext, settledAt: number): void;
  /** Default: the machine's own. */
  readonly clock?: Clock;
  /** What the model is offered. Default: everything. */
  readonly offers?: Offers;
}
