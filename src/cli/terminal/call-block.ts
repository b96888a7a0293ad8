import { forLog } from '../../output/control-characters.ts';
import type { ToolResult } from '../../result.ts';
import type { ToolCall } from '../../types.ts';
import type { Trace, Visit } from '../trace.ts';
import { duration } from './duration.ts';
import { dataPreview, preview } from './preview.ts';
import type { Style } from './style.ts';
import { cut, displayWidth, padEnd, padStart, wrap } from './width.ts';

/** A call with all that is known of it once it is answered. */
export interface Answered {
  /** Which call of the run it was, counted from 1. */
  readonly ordinal: number;
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly trace: Trace;
  /** How often the tool said how far it had come. */
  readonly reports: number;
  readonly milliseconds: number;
}

export interface View {
  /** Columns of the terminal. */
  readonly width: number;
  readonly style: Style;
  /** Names of stages that are not shown, because every call passes them. */
  readonly hidden: ReadonlySet<string>;
  /** Whether the data of a success is left out, because it is shown whole elsewhere. Default false. */
  readonly withoutData?: boolean;
}

const indent = '       ';
const mostErrorLines = 4;

/** A call as it is shown on a terminal: what was called, its way through the stages, what came of it. */
export function callBlock(answered: Answered, view: View): string {
  const inside = view.width - indent.length - 1;
  const lines = [
    header(answered, view),
    ...way(answered, view, inside).map((line) => indent + line),
    ...outcome(answered, view, inside).map((line) => indent + line),
  ];
  return `${lines.join('\n')}\n`;
}

function header({ ordinal, call, result, milliseconds }: Answered, { width, style }: View): string {
  const mark = result.ok ? style.green('✓') : style.red('✗');
  const code = result.ok ? '' : style.red(result.code);
  const time = padStart(duration(milliseconds), 8);
  const right = `${code} ${style.dim(time)}`;
  const room = width - indent.length - displayWidth(right) - 2;
  const name = cut(forLog(call.name) || '(no name)', Math.max(4, room));
  const args = cut(preview(call.arguments), Math.max(0, room - displayWidth(name) - 1));
  const left = `${style.bold(name)} ${style.dim(args)}`;
  return `${padStart(String(ordinal), 4)} ${mark} ${padEnd(left, room + 1)} ${right}`;
}

function way({ trace, result }: Answered, { style, hidden }: View, columns: number): string[] {
  const shown = trace.visits.filter(({ stage, outcome }) => !hidden.has(stage) || outcome === 'threw');
  const last = shown.at(-1);
  const words = shown.map((visit) => word(visit, visit === last && !result.ok, style));
  return wrap(words, columns);
}

function word({ stage, outcome }: Visit, stopped: boolean, style: Style): string {
  const name = forLog(stage);
  if (outcome === 'restarted') return `${name}\u00a0${style.yellow('↻')}`;
  if (outcome === 'open') return stopped ? `${style.bold(name)}\u00a0${style.yellow('…')}` : `${name}\u00a0…`;
  if (outcome === 'threw' || stopped) return `${style.bold(name)}\u00a0${style.red('✗')}`;
  return `${style.dim(name)}\u00a0${style.green('✓')}`;
}

function outcome({ result, reports }: Answered, { style, withoutData }: View, columns: number): string[] {
  const notes = notesOf(result, reports);
  if (!result.ok) {
    const words = forLog(result.error).split(' ');
    return [...wrap(words, columns, mostErrorLines), ...(notes === '' ? [] : [style.dim(cut(notes, columns))])];
  }
  if (withoutData) return notes === '' ? [] : [style.dim(cut(notes, columns))];
  const ending = notes === '' ? '' : ` (${notes})`;
  const shown = cut(dataPreview(result.data), Math.max(8, columns - 2 - displayWidth(ending)));
  return [`${style.cyan('→')} ${shown || style.dim('(empty text)')}${style.dim(ending)}`];
}

function notesOf({ meta }: ToolResult, reports: number): string {
  const notes = Object.keys(meta).map(forLog);
  if (reports > 0) notes.unshift(reports === 1 ? '1 progress report' : `${reports} progress reports`);
  return notes.join(', ');
}
