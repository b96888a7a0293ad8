import type { ErrorCode } from '../errors.ts';

/**
 * What stages tell observers of a call, by event: `ctx.tell?.('retry', { ... })`. Private: none of it reaches the model.
 * A stage of yours that retries or decides tells the same events; for anything else there is `note`.
 */
export interface StageEvents {
  /** An attempt failed, and there will be another one. */
  retry: {
    /** Which attempt failed, counted from 1. */
    readonly attempt: number;
    /** The code it failed with. */
    readonly code: ErrorCode;
    /** What it failed of, in words. */
    readonly reason: string;
    /** How long it will be until the next attempt, in milliseconds. */
    readonly delayMs: number;
  };
  /** It was decided whether a call may go on. A call whose arguments an approver edits is decided on again. */
  decision: {
    /** What it came to; `ask` when it was left open: nobody was there to be asked, or the call ended meanwhile. */
    readonly decision: 'allow' | 'ask' | 'deny';
    /** The rule, policy or mode that decided, or that asked. */
    readonly rule: string;
    readonly reason?: string | undefined;
    /** Somebody was asked. */
    readonly asked: boolean;
    /** Whoever was asked changed the arguments. */
    readonly edited: boolean;
    /** For how long a rule was kept, so that calls like this one are not asked about again. */
    readonly remembered?: 'run' | 'project' | undefined;
    /** Why nothing better could be decided, such as what an approver or a policy threw. */
    readonly cause?: unknown;
  };
  /** Anything else, under a name that says whose it is, such as `cache`. */
  note: { readonly name: string; readonly data?: unknown };
}

export type StageEvent = keyof StageEvents;

/** Tells observers of one thing. What they do with it neither blocks nor changes the call. */
export type Tell = <E extends StageEvent>(event: E, data: StageEvents[E]) => void;
