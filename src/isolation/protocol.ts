import { deserialize, serialize } from 'node:v8';
import type { FsLevel } from '../capabilities/fs/types.ts';
import type { SandboxTier } from '../capabilities/process/types.ts';
import type { ToolCall } from '../types.ts';
import { member } from './members.ts';
import type { ToldError } from './told-error.ts';
import { weigh } from './weigh.ts';

/*
 * What the router's thread and a worker say to each other. Every message is one structured clone, written by V8, and so
 * neither can hold a function, a handle or memory of the other's. A worker serves one call at a time; its number tells
 * what belongs to it from what comes too late.
 */

/** Progress that may be under way unheard. A worker that sends more breaks the rules. */
export const progressWindow = 16;
/** The longest progress, in bytes; what is longer is not sent. */
export const longestProgress = 16_384;
/** Operations of capabilities that may be under way for a call. More wait in the worker. */
export const operationWindow = 4;
/** The most values in all messages of a call: reading them takes this thread's time. */
export const valuesPerCall = 2_000_000;

/** What a handler is given beside its arguments, as far as it travels. */
export interface LentContext {
  readonly call: Required<ToolCall>;
  readonly idempotencyKey: string;
  readonly state: unknown;
  readonly fs: FsLevel | undefined;
  readonly exec: SandboxTier | undefined;
  readonly fetch: boolean;
  /** The longest message, in bytes. */
  readonly messageBytes: number;
}

export type ToWorker =
  | { readonly type: 'load'; readonly module: string; readonly name: string }
  | {
      readonly type: 'call';
      readonly call: number;
      readonly name: string;
      readonly args: unknown;
      readonly context: LentContext;
    }
  | { readonly type: 'abort'; readonly call: number; readonly reason: ToldError }
  /** So many messages of progress were heard: as many more may come. */
  | { readonly type: 'heard'; readonly call: number; readonly count: number }
  | { readonly type: 'answer'; readonly call: number; readonly id: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly call: number; readonly id: number; readonly error: ToldError };

export type FromWorker =
  | { readonly type: 'loaded' }
  | { readonly type: 'unloadable'; readonly error: unknown }
  | { readonly type: 'progress'; readonly call: number; readonly data: unknown }
  | {
      readonly type: 'ask';
      readonly call: number;
      readonly id: number;
      readonly operation: string;
      readonly args: readonly unknown[];
    }
  /** An operation that was asked for is wanted no more. */
  | { readonly type: 'withdraw'; readonly call: number; readonly id: number }
  | { readonly type: 'done'; readonly call: number; readonly data: unknown }
  | { readonly type: 'failed'; readonly call: number; readonly error: unknown };

/** A message that was read, and how many values were in it. */
export interface Read {
  readonly message: FromWorker;
  readonly values: number;
}

/** Throws a DataCloneError for what cannot be cloned. */
export function written(message: ToWorker | FromWorker): Uint8Array {
  return serialize(message);
}

/** For the worker, which trusts the router. */
export function readToWorker(bytes: Uint8Array): ToWorker {
  return deserialize(bytes) as ToWorker;
}

/**
 * For the router, which trusts no worker: a message of the known form, made anew out of its own members, or nothing.
 * Data, errors and the arguments of operations are still what the worker wrote, and are read as such.
 */
export function readFromWorker(bytes: Uint8Array): Read | undefined {
  let written: unknown;
  try {
    written = deserialize(bytes);
  } catch {
    return undefined;
  }
  const values = weigh(written);
  const message = values === undefined ? undefined : messageOf(written);
  if (message === undefined || (message.type === 'progress' && bytes.byteLength > longestProgress)) return undefined;
  return { message, values: values as number };
}

function messageOf(message: unknown): FromWorker | undefined {
  const type = member(message, 'type');
  if (type === 'loaded') return { type };
  if (type === 'unloadable') return { type, error: member(message, 'error') };
  const call = member(message, 'call');
  if (!isNumber(call)) return undefined;
  switch (type) {
    case 'progress':
      return { type, call, data: member(message, 'data') };
    case 'done':
      return { type, call, data: member(message, 'data') };
    case 'failed':
      return { type, call, error: member(message, 'error') };
  }
  const id = member(message, 'id');
  if (!isNumber(id)) return undefined;
  if (type === 'withdraw') return { type, call, id };
  if (type !== 'ask') return undefined;
  const operation = member(message, 'operation');
  const args = member(message, 'args');
  if (typeof operation !== 'string' || !Array.isArray(args) || args.length > 3) return undefined;
  return { type, call, id, operation, args: [...args] };
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
