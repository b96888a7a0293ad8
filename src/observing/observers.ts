import { didYouMean } from '../basics/nearest.ts';
import { ignore } from '../basics/thenable.ts';
import type { CallContext } from '../call/context.ts';
import type { Hearing } from '../call/host.ts';
import type { StageOutcome, StageWatcher } from '../chain/compose.ts';
import type { ToolResult } from '../result.ts';
import type { Run, ToolCall } from '../types.ts';
import type { StageEvent, StageEvents } from './stage-events.ts';

/** A call as observers see it: its arguments are a copy, made when they are read. */
export interface ObservedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** The call that an event is about. */
export interface HeardCall extends ObservedCall {
  /** Its number among the calls of this router that observers heard of: a model may give several calls one id. */
  readonly serial: number;
}

/** What observers are told, by event. All times in milliseconds. */
export interface RouterEvents extends ToldByStages {
  /** A call was taken up. */
  start: { readonly call: HeardCall; readonly run: Run };
  /** A call came to a stage, or left it for the next one or with an answer. */
  stage: {
    readonly call: HeardCall;
    readonly stage: string;
    readonly phase: 'enter' | 'leave';
    /** When leaving: handed on, answered by itself, or threw. */
    readonly outcome?: StageOutcome;
    /** When leaving: since it was entered. */
    readonly durationMs?: number;
  };
  /** A tool said how far it has come. */
  progress: { readonly call: HeardCall; readonly data: unknown };
  /** A call was answered. `cause` is the private reason of a failure: not for the model. */
  end: {
    readonly call: HeardCall;
    readonly result: ToolResult;
    readonly cause?: unknown;
    readonly durationMs: number;
  };
  /** A handler ended after its call had been answered without it. */
  late: { readonly call: HeardCall; readonly lateMs: number };
  /** The permission mode of the calls that begin from now on is another. */
  mode: { readonly mode: string; readonly before: string };
}

type ToldByStages = { readonly [E in StageEvent]: { readonly call: HeardCall } & StageEvents[E] };

export type RouterEvent = keyof RouterEvents;
export type Listener<E extends RouterEvent> = (event: RouterEvents[E]) => void;

/**
 * Listeners that see calls and can neither block nor change them: they get copies, and what they throw is dropped.
 * They cost nothing while there are none.
 */
export class Observers implements Hearing {
  readonly #serials = new WeakMap<CallContext, number>();
  #count = 0;
  readonly #listeners: { [E in RouterEvent]?: Listener<E>[] } = {};

  /** Whether anybody listens to anything: all that a call asks when nobody does. */
  active = false;

  /** For stages that have something to tell; absent while nobody would hear it. */
  tell: Hearing['tell'];

  /** Tells of stages what a chain that is watched says of them. */
  readonly watcher: StageWatcher = {
    enter: (ctx, stage) => this.emit('stage', { call: this.call(ctx), stage, phase: 'enter' }),
    leave: (ctx, stage, outcome, durationMs) =>
      this.emit('stage', { call: this.call(ctx), stage, phase: 'leave', outcome, durationMs }),
  };

  heard(event: RouterEvent): boolean {
    return this.active && this.#listeners[event] !== undefined;
  }

  on<E extends RouterEvent>(event: E, listener: Listener<E>): () => void {
    if (!events.has(event))
      throw new TypeError(
        `There is no event "${event}". The events are: ${[...events].join(', ')}.${didYouMean(String(event), events)}`,
      );
    if (typeof listener !== 'function') throw new TypeError('A listener must be a function.');
    const others: Listener<E>[] = this.#listeners[event] ?? [];
    this.#set(event, [...others, listener]);
    let listening = true;
    return () => {
      if (!listening) return;
      listening = false;
      // The same function may listen twice, and then stops once.
      const all: Listener<E>[] = this.#listeners[event] ?? [];
      const rest = all.toSpliced(all.indexOf(listener), 1);
      this.#set(event, rest.length === 0 ? undefined : rest);
    };
  }

  /** The call of a context, as observers see it. */
  call(ctx: CallContext): HeardCall {
    const { root } = ctx;
    let serial = this.#serials.get(root);
    if (serial === undefined) {
      serial = ++this.#count;
      this.#serials.set(root, serial);
    }
    return observed(ctx.call, serial);
  }

  emit<E extends RouterEvent>(event: E, told: RouterEvents[E]): void {
    Object.freeze(told);
    for (const listener of this.#listeners[event] ?? []) {
      try {
        ignore(listener(told));
      } catch {
        // An observer's own fault stays its own.
      }
    }
  }

  #set<E extends RouterEvent>(event: E, listeners: Listener<E>[] | undefined): void {
    (this.#listeners as Record<E, Listener<E>[] | undefined>)[event] = listeners;
    // A change of the mode is no matter of any call.
    this.active = Object.entries(this.#listeners).some(([event, list]) => event !== 'mode' && list !== undefined);
    this.tell = stageEvents.some((event) => this.heard(event)) ? this.#tell : undefined;
  }

  readonly #tell = <E extends StageEvent>(ctx: CallContext, event: E, data: StageEvents[E]): void => {
    // What the router itself tells, no stage can make up.
    if (!stageEvents.includes(event) || !this.heard(event)) return;
    this.emit(event, { ...told(data), call: this.call(ctx) } as RouterEvents[E]);
  };
}

const stageEvents: readonly StageEvent[] = ['retry', 'decision', 'note'];
const events: ReadonlySet<string> = new Set<RouterEvent>([
  'start',
  'stage',
  ...stageEvents,
  'progress',
  'end',
  'late',
  'mode',
]);

/** What a stage tells, copied; but for the cause, which is what was thrown and stays that. */
function told(data: object): object {
  try {
    const parts = Object.entries(data).map(([key, value]) => [key, key === 'cause' ? value : frozenCopy(value)]);
    return Object.fromEntries(parts);
  } catch {
    // Nobody may notice by an error whether somebody listens.
    return {};
  }
}

/** A value of its own, for somebody who may keep it. */
export function copied<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    // What cannot be cloned (functions, proxies) is not shown: seeing must not become changing.
    return undefined as T;
  }
}

/** As {@link copied}, and no observer can change it for the next one. */
export function frozenCopy<T>(value: T): T {
  try {
    return frozen(structuredClone(value));
  } catch {
    // As above, and what is nested too deeply.
    return undefined as T;
  }
}

/** Freezes a copy all the way down, as far as values of its kind can be frozen. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}

/** What observers see of a call. */
export function observed(call: Required<ToolCall>): ObservedCall;
export function observed(call: Required<ToolCall>, serial: number): HeardCall;
export function observed(call: Required<ToolCall>, serial?: number): ObservedCall {
  let copy: { value: unknown } | undefined;
  return Object.freeze({
    ...(serial !== undefined && { serial }),
    id: call.id,
    name: call.name,
    get arguments() {
      copy ??= { value: frozenCopy(call.arguments) };
      return copy.value;
    },
  });
}
