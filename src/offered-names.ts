import { CallContext } from './call/context.ts';
import type { Call } from './types.ts';

/** How many names are looked at, so that a wrong name among very many costs no noticeable time. */
const mostLookedAt = 5_000;

/** The names of the tools that are offered to this call's run in its mode, and of how many others nobody knows. */
export function offeredNames(ctx: Call): { readonly names: readonly string[]; readonly others: number } {
  const { registry, run } = ctx;
  const offers = ctx instanceof CallContext ? CallContext.hostOf(ctx).offers : undefined;
  const names: string[] = [];
  let lookedAt = 0;
  for (const name of run.tools ?? registry.names()) {
    if (lookedAt === mostLookedAt) break;
    lookedAt++;
    const tool = registry.get(name);
    try {
      if (tool !== undefined && (offers === undefined || offers(tool, run.mode))) names.push(name);
    } catch {
      // What cannot be decided about is offered to nobody.
    }
  }
  return { names, others: (run.tools?.length ?? registry.size) - lookedAt };
}
