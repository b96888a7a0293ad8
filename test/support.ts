import type { Chain, Entry } from '../src/chain.ts';
import { type ComposeOptions, compose } from '../src/compose.ts';
import { CallContext } from '../src/context.ts';
import type { Host } from '../src/host.ts';
import { createRegistry } from '../src/registry.ts';
import type { Tool } from '../src/tool.ts';
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
