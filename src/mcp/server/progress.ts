import { toModelText } from '../../model-text.ts';

/** A notification of progress as the protocol has it. */
export interface ProgressNote {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Beyond this many notifications that the client has not taken yet, more are left out. */
const mostInTheAir = 32;

/**
 * Turns what a tool says about how far it has come into notifications: `{ progress, total?, message? }` and numbers as
 * they are, other data as a message. Numbers only ever grow, as the protocol demands: a step back is left out, and a
 * message without a number comes an instant after the last.
 */
export class Progress {
  readonly #send: (note: ProgressNote) => Promise<void>;
  readonly #inTheAir = new Set<Promise<void>>();
  #last = 0;
  #began = false;
  #numbered = false;
  #total: number | undefined;

  constructor(send: (note: ProgressNote) => Promise<void>) {
    this.#send = send;
  }

  /** Tells the client. */
  readonly tell = (data: unknown): void => {
    const note = this.#noteOf(data);
    if (note === undefined || this.#inTheAir.size >= mostInTheAir) return;
    this.#last = note.progress;
    this.#began = true;
    const sent: Promise<void> = this.#send(note)
      .catch(() => {})
      .finally(() => this.#inTheAir.delete(sent));
    this.#inTheAir.add(sent);
  };

  /** Waits until all of it is on its way, so that the result does not overtake it. */
  async flushed(): Promise<void> {
    if (this.#inTheAir.size > 0) await Promise.all(this.#inTheAir);
  }

  #noteOf(data: unknown): ProgressNote | undefined {
    const { progress, total, message } = readProgress(data);
    if (total !== undefined) this.#total = total;
    if (progress !== undefined) {
      if (this.#began && !(progress > this.#last)) return undefined;
      this.#numbered = true;
      return this.#note(progress, message);
    }
    return message === undefined ? undefined : this.#note(this.#afterLast(), message);
  }

  #note(progress: number, message: string | undefined): ProgressNote {
    const total = this.#total;
    return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
  }

  /** A whole step where nobody has given numbers, else as good as none. */
  #afterLast(): number {
    if (!this.#numbered) return this.#last + 1;
    return this.#last + Math.max(1, Math.abs(this.#last)) * 1e-9;
  }
}

function readProgress(data: unknown): { progress?: number; total?: number; message?: string } {
  if (isNumber(data)) return { progress: data };
  if (typeof data === 'string') return { message: data };
  if (data === undefined) return {};
  const { progress, total, message } = (data ?? {}) as { progress?: unknown; total?: unknown; message?: unknown };
  if (!isNumber(progress)) return { message: textOf(data) };
  return {
    progress,
    ...(isNumber(total) && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Beyond these a number cannot grow by little any more. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function textOf(data: unknown): string {
  return toModelText({ ok: true, tool_name: '', data, error: null, call_id: '', meta: {} });
}
