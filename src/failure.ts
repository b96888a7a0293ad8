import { StageError, ToolError } from './errors.ts';
import { withoutHostDetails, withoutOwnFolders, writtenIn } from './output/host-paths.ts';
import { toJsonSafe } from './output/json-safe.ts';
import { truncateText } from './output/truncate.ts';
import type { Failure } from './result.ts';
import type { Call } from './types.ts';

/** The most characters of an error's text that are kept. */
const longestMessage = 4_000;
/** How many causes of an error are told. */
const mostCauses = 3;

/**
 * The failure that stands for whatever was thrown. Never throws itself, and always has something to say.
 *
 * - A `ToolError` gives its own code and text.
 * - A `StageError` gives `internal`, whether or not the tool had been started.
 * - The reason for which the call was aborted, and any `AbortError`, give `aborted`; `timeout` when it is a TimeoutError.
 * - Anything else gives `tool_error` with its message and those of its causes: an error, a text, a number, an object,
 *   nothing at all. When the tool had not been started, the fault lies in a stage: then it is `internal`.
 *
 * The text holds no stack and no absolute path of the host. What was thrown is kept as the failure's private cause.
 */
export function toFailure(ctx: Call, thrown: unknown): Failure {
  try {
    if (thrown instanceof ToolError) return fromToolError(ctx, thrown);
    if (thrown instanceof StageError) return ctx.fail('internal', thrown.message, { cause: thrown });
    if (wasAborted(ctx, thrown)) return fromAbort(ctx, thrown);
    return fromForeign(ctx, thrown);
  } catch {
    const code = ctx.fail('tool_error', '').effect === 'none' ? 'internal' : 'tool_error';
    return ctx.fail(code, `${ctx.call.name} failed, and what it threw cannot be read.`);
  }
}

/**
 * The failure that stands for what a stage answered with in the place of a result. Its private cause tells the program what
 * that was, and how to find the stage.
 */
export function notAResult(ctx: Call, given: unknown): Failure {
  const cause = new TypeError(
    given === undefined
      ? 'A stage answered nothing: it has no return where it should. createRouter({ strict: true }) says which stage it is.'
      : `A stage answered with ${given === null ? 'null' : `a value of type ${typeof given}`}, which is no result.`,
  );
  const text = 'A stage answered with something that is not a result. This is a fault of the stage.';
  return ctx.fail('internal', text, { cause });
}

function fromToolError(ctx: Call, error: ToolError): Failure {
  const { message } = error;
  const text =
    typeof message === 'string' && message.trim() !== ''
      ? withoutOwnFolders(message, writtenIn(ctx.call.arguments))
      : withoutMessage(ctx, error);
  return ctx.fail(error.code, text, error.options);
}

function wasAborted(ctx: Call, thrown: unknown): boolean {
  if (typeof thrown === 'object' && thrown !== null && memberOf(thrown, 'name') === 'AbortError') return true;
  return ctx.aborted && ctx.signal.reason === thrown;
}

function fromAbort(ctx: Call, reason: unknown): Failure {
  const isObject = typeof reason === 'object' && reason !== null;
  const name = isObject ? memberOf(reason, 'name') : undefined;
  if (name === 'TimeoutError') {
    return ctx.fail('timeout', 'The call did not finish before its deadline.', { cause: reason });
  }
  // What a platform says for want of a reason adds nothing.
  const why = name === 'AbortError' ? '' : messageOf(reason);
  const text = why === '' ? 'The call was withdrawn.' : `The call was withdrawn: ${presentable(why)}`;
  return ctx.fail('aborted', text, { cause: reason });
}

function fromForeign(ctx: Call, thrown: unknown): Failure {
  const message = presentable(messageOf(thrown));
  // An object that is an error carries its own context; any other value needs to be introduced.
  const text =
    message === ''
      ? withoutMessage(ctx, thrown)
      : typeof thrown === 'object'
        ? message
        : `${ctx.call.name} failed: ${message}`;
  const failure = ctx.fail('tool_error', text, { cause: thrown });
  if (failure.effect !== 'none') return failure;
  return ctx.fail('internal', `A stage failed before the tool was started: ${text}`, { cause: thrown });
}

function withoutMessage(ctx: Call, thrown: unknown): string {
  return `${ctx.call.name} failed without a message (${kindOf(thrown)}).`;
}

function presentable(message: string): string {
  if (message === '') return '';
  const text = message.length > 4 * longestMessage ? truncateText(message, 4 * longestMessage, '') : message;
  return truncateText(withoutHostDetails(text).trim(), longestMessage, '');
}

/** The text of what was thrown, with those of its causes; empty when it has none. */
function messageOf(thrown: unknown, depth = 0): string {
  switch (typeof thrown) {
    case 'string':
      return thrown.trim();
    case 'undefined':
      return '';
    case 'function':
      return '';
    case 'object':
      return thrown === null ? '' : messageOfObject(thrown, depth);
    default:
      return String(thrown);
  }
}

function messageOfObject(thrown: object, depth: number): string {
  let text = ownMessage(thrown);
  const code = memberOf(thrown, 'code');
  if (typeof code === 'string' && code !== '' && text !== '' && !text.includes(code)) text += ` (${code})`;
  if (depth >= mostCauses) return text;
  const cause = messageOf(memberOf(thrown, 'cause'), depth + 1);
  if (cause !== '' && !text.includes(cause)) {
    text = text === '' ? cause : `${text} (caused by: ${cause})`;
  }
  return text + severalErrors(thrown, depth);
}

/** Of an AggregateError: every way failed, and each for a reason of its own. */
function severalErrors(thrown: object, depth: number): string {
  const errors = memberOf(thrown, 'errors');
  if (!Array.isArray(errors) || errors.length === 0) return '';
  const texts = errors.slice(0, mostCauses).map((error) => messageOf(error, depth + 1));
  const more = errors.length > mostCauses ? `; and ${errors.length - mostCauses} more` : '';
  return ` (${texts.filter((text) => text !== '').join('; ')}${more})`;
}

function ownMessage(thrown: object): string {
  for (const name of ['message', 'error', 'reason', 'description']) {
    const text = memberOf(thrown, name);
    if (typeof text === 'string' && text.trim() !== '') return text.trim();
    if (name === 'message' && thrown instanceof Error) return '';
  }
  const data = toJsonSafe(thrown, { maxDepth: 4, maxValues: 100 });
  if (typeof data !== 'object' || data === null) return typeof data === 'string' && !data.startsWith('[') ? data : '';
  const values = Object.values(data).filter((value) => value !== '[Unreadable]');
  return values.length === 0 ? '' : JSON.stringify(data);
}

function kindOf(thrown: unknown): string {
  if (thrown === null) return 'it threw null';
  if (typeof thrown !== 'object') return thrown === '' ? 'it threw an empty text' : `it threw ${typeof thrown}`;
  const name = memberOf(thrown, 'name');
  if (typeof name === 'string' && name !== '') return name.slice(0, 100);
  const made = memberOf(thrown, 'constructor');
  return typeof made === 'function' && made.name !== '' ? made.name.slice(0, 100) : 'Object';
}

/** A member of something foreign: reading it may run code, and that may throw. */
function memberOf(object: object, name: string): unknown {
  try {
    return (object as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
