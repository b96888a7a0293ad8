/** What one call makes; `immediatesInOneTurn` is for 500 calls before the event loop turns. */
export interface Counts {
  readonly promises: number;
  readonly turns: number;
  readonly timers: number;
  readonly signals: number;
  readonly bytes: number;
  readonly immediatesInOneTurn: number;
}

export const goals: {
  readonly promises: number;
  readonly turns: number;
  readonly timers: number;
  readonly signals: number;
  readonly bytes: number;
};

/** The counts of one subject, taken in a process of its own; `entry` is the URL of the build to count. */
export function countsOf(subject: string, options?: { readonly entry?: string }): Promise<Counts>;
