import { checkKinds, checkOptions } from '../src/basics/options.ts';
import { ignore, isThenable, toPromise } from '../src/basics/thenable.ts';
import { ToolError } from '../src/errors.ts';
import { createCleaner, Notes } from '../src/output/clean.ts';
import { createRedactor } from '../src/output/redact.ts';
import { isToolResult, type ToolResult } from '../src/result.ts';
import { makesStages } from '../src/traits.ts';
import type { Call, Maybe, Next, Ready, Stage } from '../src/types.ts';

/** Where audit lines go: a function that gets each line, or something that is written to, such as a file stream. */
export type AuditSink = ((line: string) => unknown) | { write(line: string): unknown };

export interface AuditOptions {
  /** Whether arguments are recorded, redacted and shortened. Default true. */
  readonly arguments?: boolean;
  /** The most of the arguments that is recorded, in characters of JSON text. Default 2,000. */
  readonly maxArgumentCharacters?: number;
  /** Values that must never be recorded, as in `normalize`. Default: none. */
  readonly secrets?: readonly string[];
  /** Told when the sink fails. Default: one process warning a stage. */
  readonly onError?: (error: unknown) => void;
}

/** One line of the audit log. */
export interface AuditRecord {
  /** When the call came to this stage, in ISO 8601. */
  readonly time: string;
  readonly run: string;
  readonly principal?: string;
  readonly call_id: string;
  readonly tool_name: string;
  readonly arguments?: unknown;
  /** What the guards found that the call would do. */
  readonly effects?: unknown;
  readonly ok: boolean;
  /** Of a failure; absent when it is not known, because the call was answered without waiting for this stage. */
  readonly code?: string;
  readonly effect?: string;
  readonly duration_ms: number;
  /** Characters of the data as JSON text, or of the error. */
  readonly size: number;
}

/**
 * Writes one JSON line a call, whatever became of it. Stands outside `normalize`, where it sees denials and unknown tools
 * too, and results as they leave. The sink is never waited for and can neither change nor fail a call.
 *
 * Fails with nothing of its own.
 *
 * @example
 * defaultPipeline().before('normalize', 'audit', audit(createWriteStream('audit.jsonl', { flags: 'a' })))
 */
export function audit(sink: AuditSink, options: AuditOptions = {}): Stage {
  checkOptions('audit', options, ['arguments', 'maxArgumentCharacters', 'secrets', 'onError'], ['secrets']);
  checkKinds('audit', options, { arguments: 'boolean', secrets: 'texts', onError: 'function' });
  const { arguments: recordsArguments = true, maxArgumentCharacters = 2_000 } = options;
  if (!(maxArgumentCharacters >= 64)) throw new TypeError('audit({ maxArgumentCharacters }) must be at least 64.');
  const report = reporter(options.onError);
  const write = writer(sink, report);
  const cleaner = createCleaner({
    redactor: createRedactor({ secrets: options.secrets ?? [] }),
    maxCharacters: maxArgumentCharacters,
    hint: '',
  });

  return function audit(ctx: Call, next: Next): Maybe<ToolResult> {
    const time = new Date().toISOString();
    const begun = performance.now();
    let done = false;

    function record(outcome: Partial<AuditRecord>): void {
      if (done) return;
      done = true;
      try {
        write(`${JSON.stringify({ ...describe(ctx, time), ...outcome, duration_ms: since(begun) })}\n`);
      } catch (error) {
        report(error);
      }
    }
    // The router may answer without the chain, when a stage hangs: that is recorded too.
    ctx.onSettled(() => record({ ok: false, size: 0 }));

    let pending: Maybe<ToolResult>;
    try {
      pending = next();
    } catch (error) {
      record(ofThrown(error));
      throw error;
    }
    if (!isThenable(pending)) {
      record(ofResult(pending));
      return pending;
    }
    return toPromise(pending).then(
      (result) => {
        record(ofResult(result));
        return result;
      },
      (error: unknown) => {
        record(ofThrown(error));
        throw error;
      },
    );
  };

  function describe(ctx: Call, time: string): Partial<AuditRecord> {
    const { call, run } = ctx;
    const { effects } = ctx as Partial<Ready>;
    const notes = new Notes();
    return {
      time,
      run: run.id,
      ...(run.principal !== undefined && { principal: run.principal }),
      call_id: cleaner.text(call.id, notes),
      tool_name: cleaner.text(call.name, notes),
      ...(recordsArguments && { arguments: cleaner.value(call.arguments, notes) }),
      ...(effects !== undefined && effects.length > 0 && { effects: cleaner.value(effects, notes) }),
    };
  }
}
makesStages(audit);

function ofResult(result: unknown): Partial<AuditRecord> {
  if (!isToolResult(result)) return { ok: false, code: 'internal', size: 0 };
  if (!result.ok) return { ok: false, code: result.code, effect: result.effect, size: result.error.length };
  return { ok: true, size: sizeOf(result.data) };
}

/** Only where this stage stands inside `normalize`; the failure that is made of it is not there yet. */
function ofThrown(error: unknown): Partial<AuditRecord> {
  return { ok: false, code: error instanceof ToolError ? error.code : 'tool_error', size: 0 };
}

function sizeOf(data: unknown): number {
  try {
    return JSON.stringify(data)?.length ?? 0;
  } catch {
    return 0;
  }
}

function since(begun: number): number {
  return Math.round((performance.now() - begun) * 1_000) / 1_000;
}

function writer(sink: AuditSink, report: (error: unknown) => void): (line: string) => void {
  const send = typeof sink === 'function' ? sink : sink?.write?.bind(sink);
  if (typeof send !== 'function') throw new TypeError('audit() takes a function, or an object with a write method.');
  // A stream reports its errors by an event, and one that nobody listens to would end the process.
  const { on } = sink as { on?: unknown };
  if (typeof on === 'function') on.call(sink, 'error', report);
  return (line) => {
    const sent = send(line);
    if (isThenable(sent)) toPromise(sent).catch(report);
  };
}

function reporter(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  let warned = false;
  return (error) => {
    try {
      if (onError) ignore(onError(error));
      else if (!warned) process.emitWarning(`The audit sink failed; calls go on without a record. ${String(error)}`);
      warned = true;
    } catch {
      // Whoever is told of a failing sink must not be able to fail the call either.
    }
  };
}
