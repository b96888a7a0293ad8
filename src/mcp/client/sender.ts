/** A schema that takes everything: what comes is checked by what uses it, tool by tool and block by block. */
export const anything = {
  '~standard': { version: 1, vendor: 'callgate', validate: (value: unknown): { value: unknown } => ({ value }) },
} as const;

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly timeout?: number;
  readonly onprogress?: (progress: { progress: number }) => void;
}

/** What is used of a client to ask something. */
export interface Sender {
  request(
    request: { method: string; params?: { [name: string]: unknown } },
    schema: typeof anything,
    options?: SendOptions,
  ): Promise<unknown>;
}
