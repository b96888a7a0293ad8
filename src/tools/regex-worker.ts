import { Worker } from 'node:worker_threads';
import { ToolError } from '../errors.ts';
import { failure } from './failure.ts';

/** A line that matches, with the number it has in its text. */
export interface LineMatch {
  readonly line: number;
  readonly text: string;
}

// As text, because a worker needs a file of its own otherwise, and a bundled package has none at hand.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const expression = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, limit }) => {
  const found = [];
  let line = 0;
  for (const content of text.split(/\\r?\\n/)) {
    line++;
    if (expression.test(content) && found.push({ line, text: content }) === limit) break;
  }
  parentPort.postMessage(found);
});
`;
const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * Searches texts line by line with a regular expression in a thread of its own: a pattern that backtracks for ever
 * then neither blocks the event loop nor outlives its deadline, because the thread is ended.
 */
export class RegexWorker {
  readonly #expression: RegExp;
  readonly #deadline: number;
  #worker: Worker | undefined;

  /** @param milliseconds how long all searches may take together */
  constructor(expression: RegExp, milliseconds: number) {
    this.#expression = expression;
    this.#deadline = performance.now() + milliseconds;
  }

  /** Fails with `tool_error`, `slow-pattern`, when the time is over, and with the signal's reason when it is aborted. */
  search(text: string, limit: number, signal: AbortSignal): Promise<readonly LineMatch[]> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const worker = this.#start();
      const settle = (outcome: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        worker.off('message', onMessage);
        worker.off('error', onError);
        outcome();
      };
      const fail = (error: unknown) =>
        settle(() => {
          this.close();
          reject(error);
        });
      const onAbort = () => fail(signal.reason);
      const onMessage = (found: readonly LineMatch[]) => settle(() => resolve(found));
      const onError = (error: unknown) => fail(tooHeavy(error));
      const timer = setTimeout(() => fail(slow()), Math.max(this.#deadline - performance.now(), 0));
      signal.addEventListener('abort', onAbort, { once: true });
      worker.on('message', onMessage);
      worker.on('error', onError);
      worker.postMessage({ text, limit });
    });
  }

  /** Ends the thread, also in the middle of a search. */
  close(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    worker.on('error', () => {});
    void worker.terminate();
  }

  #start(): Worker {
    const { source, flags } = this.#expression;
    this.#worker ??= new Worker(program, {
      eval: true,
      workerData: { source, flags },
      resourceLimits: memory,
      env: {},
    });
    return this.#worker;
  }
}

function slow(): ToolError {
  return failure(
    'The pattern takes too long. Simplify it: avoid repetitions inside repetitions, such as (a+)+.',
    'slow-pattern',
  );
}

function tooHeavy(cause: unknown): ToolError {
  return new ToolError('The pattern needs too much memory. Simplify it.', {
    details: { reason: 'slow-pattern' },
    cause,
  });
}
