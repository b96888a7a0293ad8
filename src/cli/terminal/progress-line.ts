import { forLog } from '../../output/control-characters.ts';
import type { Output } from '../io.ts';
import { duration } from './duration.ts';
import { preview } from './preview.ts';
import type { Style } from './style.ts';
import { cut, displayWidth } from './width.ts';

/** A call that is under way. */
export interface Underway {
  readonly name: string;
  readonly milliseconds: number;
  /** What the tool said last of how far it has come. */
  readonly report: unknown;
}

/** What the progress line says. */
export interface Progress {
  readonly answered: number;
  /** The longest under way first. */
  readonly underway: readonly Underway[];
  /** Since the run began. */
  readonly milliseconds: number;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** The progress line for a moment, in at most `width` columns. */
export function progressText({ answered, underway, milliseconds }: Progress, width: number, style: Style): string {
  const frame = frames[Math.floor(milliseconds / 80) % frames.length] as string;
  const head = `${frame} ${answered} answered, ${underway.length} under way`;
  const calls = underway.slice(0, 3).map(({ name, milliseconds: since, report }) => {
    const said = reportText(report);
    return `${forLog(name)} ${duration(since)}${said === '' ? '' : ` ${said}`}`;
  });
  const tail = calls.length === 0 ? '' : cut(`: ${calls.join(' · ')}`, Math.max(0, width - 1 - displayWidth(head)));
  return `${style.cyan(cut(head, width - 1))}${style.dim(tail)}`;
}

/** Progress in MCP's form as a percentage with its message; anything else in short. */
function reportText(report: unknown): string {
  if (typeof report !== 'object' || report === null) return preview(report);
  const { progress, total, message } = report as { progress?: unknown; total?: unknown; message?: unknown };
  const part = typeof progress === 'number' && typeof total === 'number' && total > 0;
  if (!part && typeof message !== 'string') return preview(report);
  const percent = part ? `${Math.round((100 * progress) / total)} %` : '';
  return [percent, typeof message === 'string' ? forLog(message) : ''].filter((text) => text !== '').join(' ');
}

/** A line at the bottom of a terminal that is rewritten in place while a run goes on. */
export class ProgressLine {
  readonly #output: Output;
  readonly #draw: () => string;
  #timer: NodeJS.Timeout | undefined;
  #shown = false;
  #paused = false;

  /** `draw` gives the line's text, which must fit into one line. */
  constructor(output: Output, draw: () => string) {
    this.#output = output;
    this.#draw = draw;
  }

  /** Begins to show it, every 100 ms; never for a run that is shorter. */
  start(): void {
    this.#timer ??= setInterval(() => this.#show(), 100).unref();
  }

  /** Makes room for other output: what is written next begins at the start of an empty line. */
  clear(): void {
    if (!this.#shown) return;
    this.#shown = false;
    this.#output.write('\r\u001b[2K');
  }

  /** Keeps out of the way, such as while somebody is asked. */
  pause(): void {
    this.#paused = true;
    this.clear();
  }

  resume(): void {
    this.#paused = false;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.clear();
  }

  #show(): void {
    if (this.#paused) return;
    this.#output.write(`\r\u001b[2K${this.#draw()}`);
    this.#shown = true;
  }
}
