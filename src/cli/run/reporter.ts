import { sendConsoleTo } from '../console.ts';
import { type Io, isTerminal, print, widthOf } from '../io.ts';
import { resultLine } from '../result-line.ts';
import { type Answered, callBlock } from '../terminal/call-block.ts';
import { ProgressLine, progressText, type Underway } from '../terminal/progress-line.ts';
import { styleFor } from '../terminal/style.ts';
import { summary, summaryLine, Tally } from '../terminal/summary.ts';
import { Turns } from '../turns.ts';

/** Tells whoever looks at it how a run goes. */
export interface Reporter {
  /** Prints what came of a call. Rejects with OutputClosed when nobody reads it. */
  answered(answered: Answered): Promise<void>;
  /** Does something while nothing else is written, such as asking somebody. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Takes the progress line away, and sums up. */
  end(milliseconds: number): Promise<void>;
}

export interface ReporterOptions {
  readonly io: Io;
  /** Shows the calls for a person instead of printing JSON lines. */
  readonly view: boolean;
  /** Neither progress nor a summary. */
  readonly quiet: boolean;
  /** Names of stages that the view leaves out. */
  readonly hidden: ReadonlySet<string>;
  /** The calls that are under way, the longest first. */
  readonly underway: () => readonly Underway[];
}

/** Results go to standard output; progress goes there too if it is the view, else to a terminal on standard error. */
export function createReporter({ io, view, quiet, hidden, underway }: ReporterOptions): Reporter {
  const begun = performance.now();
  const tally = new Tally();
  const turns = new Turns();
  const output = view ? io.stdout : io.stderr;
  const style = styleFor(output, io.env);
  const talks = !quiet && isTerminal(output, io.env);
  const progress = talks
    ? new ProgressLine(output, () => {
        const moment = { answered: tally.calls, underway: underway(), milliseconds: performance.now() - begun };
        return progressText(moment, widthOf(output), style);
      })
    : undefined;
  progress?.start();
  const restoreConsole = progress === undefined ? undefined : sendConsoleTo(io.stderr, () => progress.clear());
  return {
    async answered(answered) {
      const { ordinal, call, result, milliseconds } = answered;
      tally.add(ordinal, call.name, result, milliseconds);
      const text = view
        ? callBlock(answered, { width: widthOf(io.stdout), style, hidden })
        : resultLine(result, io.stdout.isTTY === true);
      await turns.take(() => {
        progress?.clear();
        return print(io.stdout, text);
      });
    },
    alone: (work) =>
      turns.take(async () => {
        progress?.pause();
        try {
          return await work();
        } finally {
          progress?.resume();
        }
      }),
    async end(milliseconds) {
      progress?.stop();
      restoreConsole?.();
      if (!talks) return;
      const text = view ? summary(tally, milliseconds, widthOf(output), style) : summaryLine(tally, milliseconds);
      await print(output, text);
    },
  };
}
