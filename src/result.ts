import type { CallEffect, ErrorCode } from './errors.ts';

/**
 * What the chain noted about a call, JSON-safe and never needed to understand the result: `truncated`, `redacted`,
 * `repaired`, `attempts` and the like. The stage that notes something says so in its documentation.
 */
export interface Meta {
  readonly [note: string]: unknown;
}

/** The call did what it should. */
export interface Success<T = unknown> {
  readonly ok: true;
  readonly tool_name: string;
  readonly data: T;
  readonly error: null;
  readonly call_id: string;
  readonly meta: Meta;
}

/** The call was stopped or went wrong; `error` is written for the model that made it. */
export interface Failure {
  readonly ok: false;
  readonly tool_name: string;
  readonly data: null;
  readonly error: string;
  readonly call_id: string;
  readonly meta: Meta;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly effect: CallEffect;
  readonly details?: unknown;
}

/** The one, flat, JSON-safe answer to a tool call. */
export type ToolResult<T = unknown> = Success<T> | Failure;

/** Shared by every result that has nothing to note. */
export const noMeta: Meta = Object.freeze({});

/** Whether `value` has the shape of a {@link ToolResult}. */
export function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false;
  const candidate = value as Partial<Failure>;
  const ok: unknown = candidate.ok;
  if (typeof candidate.call_id !== 'string' || typeof candidate.tool_name !== 'string') return false;
  return ok === true || (ok === false && typeof candidate.error === 'string' && typeof candidate.code === 'string');
}

const memberNames = [
  ...['ok', 'tool_name', 'data', 'error', 'call_id', 'meta', 'code', 'retryable', 'effect', 'details'],
] as (keyof Failure)[];

/**
 * What a stage answered with as data of its own, each member read once: of a getter, a class or a proxy, the members may be
 * others whenever somebody looks.
 */
export function readOnce(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const copy: { [name: string]: unknown } = { ...given };
  if (Object.getPrototypeOf(given) !== Object.prototype) {
    for (const name of memberNames) {
      if (Object.hasOwn(copy, name)) continue;
      const inherited: unknown = (given as Partial<Failure>)[name];
      if (inherited !== undefined) copy[name] = inherited;
    }
  }
  return copy['ok'] === false ? rememberCause(copy as unknown as Failure, causeOf(given as Failure)) : copy;
}

/** Adds the private fields of a class to an object that is there already. */
class Onto {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the only way to add them to an object of somebody else
    return object;
  }
}

/**
 * What is known of a failure beside what it says: private, in the failure itself, where no serializer can find it and no copy
 * takes it along. A WeakMap would do the same at about the cost of a whole call.
 */
class Beside extends Onto {
  #cause: unknown = undefined;
  #harmless: string | undefined = undefined;

  // Written out, because the one that would be there anyway is slow.
  constructor(failure: object) {
    super(failure);
  }

  static #of(failure: object): Beside {
    return #cause in failure ? failure : new Beside(failure);
  }

  static remember(failure: object, cause: unknown): void {
    Beside.#of(failure).#cause = cause;
  }

  static cause(failure: object): unknown {
    return #cause in failure ? failure.#cause : undefined;
  }

  static vouch(failure: object, text: string): void {
    Beside.#of(failure).#harmless = text;
  }

  static harmless(failure: object): string | undefined {
    return #cause in failure ? failure.#harmless : undefined;
  }
}

/** Attaches the private cause of a failure; for observers only. */
export function rememberCause<F extends Failure>(failure: F, cause: unknown): F {
  if (cause !== undefined) Beside.remember(failure, cause);
  return failure;
}

/** The private cause of a failure, as far as one is known. Never show it to the model. */
export function causeOf(result: ToolResult): unknown {
  return Beside.cause(result);
}

/** Says of a failure that its text is harmless (`src/output/harmless.ts`) by what it was made of. */
export function vouchFor<F extends Failure>(failure: F): F {
  Beside.vouch(failure, failure.error);
  return failure;
}

/** Whether somebody vouched for a failure while it had this text. */
export function isVouchedFor(failure: Failure, text: string): boolean {
  return Beside.harmless(failure) === text;
}
