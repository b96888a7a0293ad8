import type { RouterEvents } from '../observing/observers.ts';
import { isToolResult, type ToolResult } from '../result.ts';
import type { Run } from '../types.ts';

/** How a recorded call was decided on, and tried. */
export type RecordedDecision = Omit<RouterEvents['decision'], 'call' | 'cause'>;
export type RecordedRetry = Omit<RouterEvents['retry'], 'call'>;

/** One call of a recorded run. Times in milliseconds, from when the recording began. */
export interface RecordedCall {
  readonly serial: number;
  readonly id: string;
  readonly name: string;
  /** As the model sent them, cleaned as results are. */
  readonly arguments?: unknown;
  readonly run: Run;
  readonly startedAt: number;
  readonly decisions: readonly RecordedDecision[];
  readonly retries: readonly RecordedRetry[];
  /** Absent for a call that had not been answered when the recording was stopped. */
  readonly result?: ToolResult;
  readonly durationMs?: number;
  /** The arguments that ran, where a stage or an approver changed what was sent. */
  readonly ran?: unknown;
}

/** A run that was recorded: its calls in the order in which they began. */
export interface Recording {
  readonly startedAt: string;
  readonly calls: readonly RecordedCall[];
}

/** A line of a recording. */
export type RecordedLine =
  | { readonly type: 'run'; readonly version: 1; readonly startedAt: string }
  | ({ readonly type: 'call'; readonly serial: number; readonly at: number } & Pick<
      RecordedCall,
      'id' | 'name' | 'arguments' | 'run'
    >)
  | ({ readonly type: 'decision'; readonly serial: number; readonly at: number } & RecordedDecision)
  | ({ readonly type: 'retry'; readonly serial: number; readonly at: number } & RecordedRetry)
  | {
      readonly type: 'result';
      readonly serial: number;
      readonly at: number;
      readonly result: ToolResult;
      readonly durationMs: number;
      readonly ran?: unknown;
    };

/**
 * Reads what `recordRun` wrote: JSON lines. Throws a TypeError that names the line for what is no recording; a last line
 * that was cut off, as by a crash, is left out.
 *
 * @example
 * const recording = readRun(readFileSync('run.jsonl', 'utf8'));
 */
export function readRun(text: string): Recording {
  const lines = text.split('\n');
  const calls = new Map<number, Mutable<RecordedCall>>();
  let startedAt: string | undefined;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const read = parse(line, at + 1, at === lines.length - 1);
    if (read === undefined) break;
    if (read.type === 'run') {
      if (read.version !== 1) throw unreadable(at + 1, `is of version ${String(read.version)}; this reads version 1`);
      startedAt = String(read.startedAt);
      continue;
    }
    if (startedAt === undefined)
      throw unreadable(at + 1, 'should say { "type": "run" }, as the first line of a recording');
    addTo(calls, read, at + 1);
  }
  if (startedAt === undefined) {
    if (text.trim() !== '') throw unreadable(lines.length, 'is no JSON');
    throw new TypeError('The recording is empty.');
  }
  return { startedAt, calls: [...calls.values()] };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function addTo(
  calls: Map<number, Mutable<RecordedCall>>,
  line: Exclude<RecordedLine, { type: 'run' }>,
  number: number,
): void {
  if (line.type === 'call') {
    const { type, at, ...call } = line;
    if (calls.has(call.serial)) throw unreadable(number, `begins call ${call.serial} once more`);
    calls.set(call.serial, { ...call, startedAt: at, decisions: [], retries: [] });
    return;
  }
  const call = calls.get(line.serial);
  if (call === undefined) throw unreadable(number, `is about call ${String(line.serial)}, which no line before begins`);
  const { type, serial, at, ...told } = line;
  if (type === 'decision') call.decisions = [...call.decisions, told as RecordedDecision];
  else if (type === 'retry') call.retries = [...call.retries, told as RecordedRetry];
  else {
    const { result, durationMs } = told as Extract<RecordedLine, { type: 'result' }>;
    if (!isToolResult(result)) throw unreadable(number, 'has no result');
    Object.assign(call, { result, durationMs }, 'ran' in told && { ran: told.ran });
  }
}

const types: ReadonlySet<unknown> = new Set(['run', 'call', 'decision', 'retry', 'result']);

function parse(line: string, number: number, isLast: boolean): RecordedLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    if (isLast) return undefined;
    throw unreadable(number, 'is no JSON');
  }
  if (typeof value !== 'object' || value === null || !types.has((value as { type?: unknown }).type)) {
    throw unreadable(number, `has no type that is known: ${[...types].join(', ')}`);
  }
  return value as RecordedLine;
}

function unreadable(line: number, what: string): TypeError {
  return new TypeError(`This is no recording: line ${line} ${what}.`);
}
