/**
 * Every way a call can fail, as a closed set. Finer reasons stand in a failure's `details.reason`.
 *
 * | code | meaning |
 * | --- | --- |
 * | `unknown_tool` | no tool of that name is registered |
 * | `invalid_json` | the arguments are text that is not acceptable JSON |
 * | `invalid_arguments` | the arguments do not fit the tool's schema |
 * | `invalid_schema` | the tool's own schema cannot be used: a fault of the tool, not of the call |
 * | `denied` | a policy or a person said no |
 * | `approval_required` | somebody has to decide, and nobody was there to be asked |
 * | `path_denied` | a path argument may not be touched |
 * | `url_denied` | a URL argument may not be reached |
 * | `command_denied` | a command may not be run |
 * | `timeout` | a deadline passed |
 * | `aborted` | the caller withdrew the call |
 * | `rate_limited` | too many calls; later may work |
 * | `budget_exceeded` | the run has used up what it may use |
 * | `conflict` | what the call wanted to change has changed meanwhile |
 * | `unavailable` | something the tool depends on is not there now |
 * | `tool_error` | the tool ran and failed |
 * | `invalid_output` | the tool's data does not fit its output schema |
 * | `internal` | a fault in a stage or in callgate itself |
 */
export type ErrorCode = (typeof errorCodes)[number];

export const errorCodes = [
  'unknown_tool',
  'invalid_json',
  'invalid_arguments',
  'invalid_schema',
  'denied',
  'approval_required',
  'path_denied',
  'url_denied',
  'command_denied',
  'timeout',
  'aborted',
  'rate_limited',
  'budget_exceeded',
  'conflict',
  'unavailable',
  'tool_error',
  'invalid_output',
  'internal',
] as const;

/** Whether `value` is one of the codes of {@link ErrorCode}. */
export function isErrorCode(value: unknown): value is ErrorCode {
  const code = value as ErrorCode;
  // Every failure is asked, and what a program spells out is compared faster than anything is looked up.
  switch (code) {
    case 'unknown_tool':
    case 'invalid_json':
    case 'invalid_arguments':
    case 'invalid_schema':
    case 'denied':
    case 'approval_required':
    case 'path_denied':
    case 'url_denied':
    case 'command_denied':
    case 'timeout':
    case 'aborted':
    case 'rate_limited':
    case 'budget_exceeded':
    case 'conflict':
    case 'unavailable':
    case 'tool_error':
    case 'invalid_output':
    case 'internal':
      return true;
    default:
      code satisfies never;
      return false;
  }
}

/**
 * `none`: the handler never started, so nothing happened.
 * `unknown`: it had started; a write that was cut short may have happened.
 */
export type CallEffect = 'none' | 'unknown';

/** What can be said of a failure beside its code and its text. */
export interface FailureOptions {
  /** Whether the same call may succeed later. Default: by code (`timeout`, `rate_limited`, `unavailable`, `conflict`). */
  retryable?: boolean;
  /** Default: `unknown` once the handler has started, `none` before. */
  effect?: CallEffect;
  /** Structured, JSON-safe details for the program, such as `{ reason, pointer }`. */
  details?: unknown;
  /** Private: reaches observers, never the model. */
  cause?: unknown;
}

/** Whether a failure with this code may go away by itself. */
export function isRetryable(code: ErrorCode): boolean {
  return code === 'timeout' || code === 'rate_limited' || code === 'unavailable' || code === 'conflict';
}

export interface ToolErrorOptions extends FailureOptions {
  /** Default `tool_error`. */
  code?: ErrorCode;
}

/**
 * Thrown by a handler or a stage to answer with a chosen code. The message is written for the model.
 *
 * It carries no stack, because it is an answer and not a fault: capturing one costs more than the whole chain.
 *
 * @example
 * throw new ToolError('No note with that title. Call list_notes first.', { code: 'tool_error' });
 */
export class ToolError {
  readonly name = 'ToolError' as const;
  readonly message: string;
  readonly code: ErrorCode;
  readonly options: FailureOptions;

  constructor(message: string, options: ToolErrorOptions = {}) {
    const { code = 'tool_error', ...rest } = options;
    this.message = message;
    this.code = isErrorCode(code) ? code : 'internal';
    this.options = rest;
  }

  get cause(): unknown {
    return this.options.cause;
  }

  toString(): string {
    return `${this.name}: ${this.message}`;
  }
}

// `instanceof Error` holds without Error's constructor, which would capture a stack on every throw.
Object.setPrototypeOf(ToolError.prototype, Error.prototype);

/** A fault in a stage, not in the call: reported as `internal`, with the stage's name. */
export class StageError extends Error {
  override readonly name = 'StageError';
  readonly stage: string;

  constructor(stage: string, what: string) {
    super(`Stage "${stage}" ${what}.`);
    this.stage = stage;
  }
}
