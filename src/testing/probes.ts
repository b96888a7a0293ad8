import type { Tool, ToolContext } from '../tool.ts';
import type { ToolCall } from '../types.ts';
import { oddThrows } from './odd-throws.ts';
import type { PlannedCall } from './scenario.ts';
import { turns } from './turns.ts';

/** What was seen of one planned call from inside its handler. */
export class Sighting {
  starts = 0;
  running = 0;
  answered = false;
  /** A handler was started although the call had been answered. */
  startedLate = false;
}

export const probeNames: readonly string[] = ['probe_read', 'probe_write'];

/** Tools whose handlers do what a scenario has planned, and note what befalls them. */
export class Probes {
  readonly sightings: readonly Sighting[];
  readonly tools: readonly Tool[];
  readonly #calls: readonly PlannedCall[];
  readonly #hanging: (() => void)[] = [];

  constructor(calls: readonly PlannedCall[]) {
    this.#calls = calls;
    this.sightings = calls.map(() => new Sighting());
    this.tools = probeNames.map((name) => ({
      name,
      description: 'Does what was planned.',
      parameters: {
        type: 'object',
        // Something that an approver can change without making it another call.
        properties: { plan: { type: 'integer' }, note: {} },
        required: ['plan'],
        additionalProperties: false,
      },
      permission: name === 'probe_write' ? 'write' : 'read',
      handler: (args, context) => this.#handle((args as { plan: number }).plan, context),
    }));
  }

  /** The call as a model would send it. */
  callFor(at: number): ToolCall {
    const { tool, form, id } = this.#calls[at] as PlannedCall;
    const text = JSON.stringify({ plan: at });
    const own = id === 'none' ? {} : { id: id === 'shared' ? 'shared' : `call ${at}` };
    switch (form) {
      case 'object':
        return { ...own, name: tool, arguments: { plan: at } };
      case 'JSON text':
        return { ...own, name: tool, arguments: text };
      case 'broken JSON':
        return { ...own, name: tool, arguments: text.slice(0, -2) };
      case 'wrong arguments':
        return { ...own, name: tool, arguments: { plan: 'none', more: at } };
      case 'no arguments':
        return { ...own, name: tool };
      case 'unknown tool':
        return { ...own, name: `${tool}_of_old`, arguments: { plan: at } };
    }
  }

  /** Lets handlers that still hang end. */
  release(): void {
    for (const end of this.#hanging.splice(0)) end();
  }

  #handle(at: number, context: ToolContext): unknown {
    const sighting = this.sightings[at];
    const planned = this.#calls[at];
    if (sighting === undefined || planned === undefined) return null;
    sighting.starts++;
    if (sighting.answered) sighting.startedLate = true;
    switch (planned.behaviour) {
      case 'sync':
        return { plan: at };
      case 'odd data':
        return oddData(planned.variant);
      case 'throw':
        throw oddThrows[planned.variant % oddThrows.length]?.();
      case 'generator':
        return this.#generate(at, sighting);
      default:
        return this.#wait(at, sighting, planned, context);
    }
  }

  async *#generate(at: number, sighting: Sighting): AsyncGenerator<unknown, unknown> {
    sighting.running++;
    try {
      yield { done: 0 };
      await turns(1);
      yield { done: 1 };
      return { plan: at };
    } finally {
      sighting.running--;
    }
  }

  async #wait(at: number, sighting: Sighting, planned: PlannedCall, context: ToolContext): Promise<unknown> {
    sighting.running++;
    try {
      switch (planned.behaviour) {
        case 'slow':
          await turns(3);
          break;
        case 'progress':
          context.progress({ progress: 1, total: 2 });
          await turns(1);
          context.progress({ progress: 2, total: 2 });
          break;
        case 'reject':
          throw oddThrows[planned.variant % oddThrows.length]?.();
        case 'hang until aborted':
          await aborted(context.signal);
          throw context.signal.reason;
        case 'late':
          await aborted(context.signal);
          await turns(3);
          break;
        case 'hang':
          await new Promise<void>((resolve) => this.#hanging.push(resolve));
          break;
        default:
          await null;
      }
      return { plan: at };
    } finally {
      sighting.running--;
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Data that is no JSON. */
function oddData(variant: number): unknown {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const odd = [
    1n,
    new Date(0),
    new Map([['a', 1]]),
    new Error('as data'),
    () => {},
    Symbol('odd'),
    Number.NaN,
    circular,
  ];
  return odd[variant % odd.length];
}
