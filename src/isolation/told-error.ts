import { type FailureOptions, isErrorCode, ToolError } from '../errors.ts';
import { type JsonSafeOptions, toJsonSafe } from '../output/json-safe.ts';
import { leastBytes } from './least-bytes.ts';
import { member, textMember } from './members.ts';
import { weigh } from './weigh.ts';

/** What was thrown, as it travels between threads: by its parts, since an error loses its class and members on the way. */
export type ToldError =
  | { readonly kind: 'tool'; readonly message: string; readonly code: string; readonly options: FailureOptions }
  | {
      readonly kind: 'error';
      readonly name: string;
      readonly message: string;
      readonly code?: string;
      readonly stack?: string;
      readonly cause?: ToldError;
      readonly errors?: readonly ToldError[];
    }
  | { readonly kind: 'value'; readonly value: unknown };

const longestText = 16_000;
const deepestCause = 3;
/** Texts above this, in characters, are not even looked into, and data above this, in bytes, is left out: see `leastBytes`. */
const largest = 1_048_576;

/** Puts what was thrown into words that can travel. Never throws. */
export function tellError(thrown: unknown, depth = 0): ToldError {
  try {
    if (isToolError(thrown)) return tellToolError(thrown);
    if (thrown instanceof Error || isErrorLike(thrown)) return tellForeign(thrown as Error, depth);
    return { kind: 'value', value: dataOf(thrown, { maxDepth: 4, maxValues: 100 }) };
  } catch {
    return { kind: 'error', name: 'Error', message: 'What was thrown cannot be read.' };
  }
}

/** A told ToolError without what may be of any size. What is told of others is left out as a whole. */
export function withoutData(told: ToldError): ToldError | undefined {
  if (told.kind !== 'tool') return undefined;
  const { details: _details, cause: _cause, ...options } = told.options;
  return { ...told, options };
}

function tellToolError(error: ToolError): ToldError {
  const { retryable, effect, details, cause } = error.options ?? {};
  return {
    kind: 'tool',
    message: cut(String(error.message)),
    code: String(error.code),
    options: {
      ...(typeof retryable === 'boolean' && { retryable }),
      ...((effect === 'none' || effect === 'unknown') && { effect }),
      ...(details !== undefined && { details: dataOf(details) }),
      ...(cause !== undefined && { cause: causeText(cause) }),
    },
  };
}

function tellForeign(error: Error, depth: number): ToldError {
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const nested = depth < deepestCause;
  const message = String(error.message);
  return {
    kind: 'error',
    name: cut(String(error.name)),
    message: cut(message),
    ...(typeof code === 'string' && { code: cut(code) }),
    // The message stands in it once more.
    ...(message.length <= largest && typeof error.stack === 'string' && { stack: cut(error.stack) }),
    ...(nested && cause !== undefined && { cause: tellError(cause, depth + 1) }),
    ...(nested &&
      Array.isArray(errors) && {
        errors: errors.slice(0, deepestCause + 1).map((one) => tellError(one, depth + 1)),
      }),
  };
}

/** What was told, as something to throw. `told` may come from code that is not trusted. */
export function heardError(told: unknown, depth = 0): unknown {
  switch (member(told, 'kind')) {
    case 'tool':
      return heardToolError(told);
    case 'error':
      return heardForeign(told, depth);
    case 'value':
      return member(told, 'value');
    default:
      return new Error('What was thrown cannot be read.');
  }
}

function heardToolError(told: unknown): ToolError {
  const code = member(told, 'code');
  const options = member(told, 'options');
  const retryable = member(options, 'retryable');
  const effect = member(options, 'effect');
  const details = member(options, 'details');
  const cause = member(options, 'cause');
  return new ToolError(cut(textMember(told, 'message')), {
    code: isErrorCode(code) ? code : 'internal',
    ...(typeof retryable === 'boolean' && { retryable }),
    ...((effect === 'none' || effect === 'unknown') && { effect }),
    ...(details !== undefined && { details }),
    ...(typeof cause === 'string' && { cause: cut(cause) }),
  });
}

function heardForeign(told: unknown, depth: number): Error {
  const error = new Error(cut(textMember(told, 'message')));
  const code = member(told, 'code');
  const stack = member(told, 'stack');
  const cause = member(told, 'cause');
  const errors = member(told, 'errors');
  const own = (name: string, value: unknown): void => {
    Object.defineProperty(error, name, { value, configurable: true, writable: true });
  };
  own('name', cut(textMember(told, 'name')) || 'Error');
  own('stack', typeof stack === 'string' ? cut(stack) : error.message);
  if (typeof code === 'string') own('code', cut(code));
  if (depth < deepestCause && cause !== undefined) own('cause', heardError(cause, depth + 1));
  if (depth < deepestCause && Array.isArray(errors)) {
    own(
      'errors',
      errors.slice(0, deepestCause + 1).map((one) => heardError(one, depth + 1)),
    );
  }
  return error;
}

/** Of this copy of the package or of another one. */
function isToolError(thrown: unknown): thrown is ToolError {
  if (thrown instanceof ToolError) return true;
  return isErrorLike(thrown) && thrown.name === 'ToolError' && isErrorCode(thrown.code);
}

function isErrorLike(thrown: unknown): thrown is { name: unknown; code?: unknown } {
  if (typeof thrown !== 'object' || thrown === null) return false;
  // An error of another realm, such as a DOMException or one of node:vm.
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]' || 'stack' in thrown;
}

function causeText(cause: unknown): string {
  if (typeof cause === 'string') return cut(cause);
  if (isErrorLike(cause)) {
    const message = String((cause as Error).message);
    return cut(message.length > largest ? message : String((cause as Error).stack ?? message));
  }
  return cut(JSON.stringify(dataOf(cause, { maxDepth: 4, maxValues: 100 })) ?? '');
}

/** A copy of data that JSON can hold, unless there is too much of it. */
function dataOf(value: unknown, options?: JsonSafeOptions): unknown {
  const isSmall = weigh(value) !== undefined && leastBytes(value, largest) <= largest;
  return isSmall ? toJsonSafe(value, options) : '(left out, since it is too large)';
}

function cut(text: string): string {
  if (text.length > largest) return `(a text of ${text.length} characters, left out)`;
  return text.length > longestText ? text.slice(0, longestText) : text;
}
