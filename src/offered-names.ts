import { CallContext, type Host } from './context.ts';
import type { Offers } from './offers.ts';
import type { Call } from './types.ts';

/** How many names are looked at, so that a wrong name among very many costs no noticeable time. */
const mostLookedAt = 5_000;

// Of whoever makes contexts. No context carries what only a call to a tool that does not exist asks for.
const known = new WeakMap<Host, Offers>();

/** Says what a router offers, for the answers to calls of what it does not have. */
export function rememberOffers(host: Host, offers: Offers): void {
  known.set(host, offers);
}

/** The names of the tools that are offered to this call's run in its mode, and of how many others nobody knows. */
export function offeredNames(ctx: Call): { readonly names: readonly string[]; readonly others: number } {
  const { registry, run } = ctx;
  const offers = (ctx instanceof CallContext && known.get(CallContext.hostOf(ctx))) || (() => true);
  const names: string[] = [];
  let lookedAt = 0;
  for (const name of run.tools ?? registry.names()) {
    if (lookedAt === mostLookedAt) break;
    lookedAt++;
    const tool = registry.get(name);
    try {
      if (tool !== undefined && offers(tool, run.mode)) names.push(name);
    } catch {
      // What cannot be decided about is offered to nobody.
    }
  }
  return { names, others: (run.tools?.length ?? registry.size) - lookedAt };
}
