import { CallContext } from '../src/call/context.ts';
import type { Host } from '../src/call/host.ts';
import type { Chain, Entry } from '../src/chain/chain.ts';
import { type ComposeOptions, compose } from '../src/chain/compose.ts';
import { createRegistry } from '../src/registry.ts';
import type { Tool, ToolContext } from '../src/tool.ts';
import type { AnyStage } from '../src/traits.ts';

const host: Host = { restart: (ctx) => ctx.fail('internal', 'no restart here'), progress: () => {}, late: () => {} };

/** A context as the router makes it, for tests of a composed chain or of one stage. */
export function contextFor(name = 'echo', args: unknown = {}, tools: Tool[] = []): CallContext {
  return new CallContext(
    host,
    { id: 'c1', name, arguments: args },
    createRegistry(tools),
    { id: 'run_1', mode: 'ask' },
    undefined,
  );
}

/** Composes stages that are named by their functions, or s0, s1 ... */
export function chainOf(stages: AnyStage[], options?: ComposeOptions): Chain {
  const entries: Entry[] = stages.map((stage, at) => ({ name: stage.name || `s${at}`, stage }));
  return compose(entries, options);
}

/** Lets whatever is due in this and the next turn of the event loop happen. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** A handler whose calls end when they are told to, by their ids. */
export function heldCalls(): {
  readonly begun: string[];
  readonly handler: (args: unknown, context: ToolContext) => Promise<unknown>;
  readonly end: (...ids: string[]) => Promise<void>;
} {
  const begun: string[] = [];
  const ends = new Map<string, (data: unknown) => void>();
  const handler = (_: unknown, { call }: ToolContext): Promise<unknown> => {
    begun.push(call.id);
    return new Promise((resolve) => ends.set(call.id, resolve));
  };
  const end = async (...ids: string[]): Promise<void> => {
    for (const id of ids) ends.get(id)?.('done');
    await nextTurn();
  };
  return { begun, handler, end };
}
