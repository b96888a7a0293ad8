import { isThenable } from '../basics/thenable.ts';
import { CallContext } from '../call/context.ts';
import { StageError } from '../errors.ts';
import type { ToolResult } from '../result.ts';
import type { Tool } from '../tool.ts';
import { isAnswer, type StepFunction, traitsOf } from '../traits.ts';
import type { Maybe } from '../types.ts';
import { addTo } from './additions.ts';
import type { Chain, Entry } from './chain.ts';

/** As {@link stepRow}, but of those steps that concern certain tools only, each is run for their calls alone. */
export function stepsByTool(entries: readonly Entry[], inner: Chain): Chain {
  const certain = entries.findIndex(({ stage }) => traitsOf(stage).concerns !== undefined);
  if (certain < 0) return stepRow(entries, inner);
  const rest = rowByTool(entries.slice(certain), inner);
  return certain === 0 ? rest : stepRow(entries.slice(0, certain), rest);
}

// One row for each selection there is, found by the tool: most tools declare nothing of what most guards look at.
function rowByTool(entries: readonly Entry[], inner: Chain): Chain {
  const every = stepRow(entries, inner);
  const rows = new Map<string, Chain>();
  const known = new WeakMap<Tool, Chain>();
  const rests = new Map<Entry, Chain>();

  function rowFor(tool: Tool): Chain {
    const kept = entries.filter(({ stage }) => traitsOf(stage).concerns?.(tool) ?? true);
    const which = kept.map((entry) => entries.indexOf(entry)).join();
    const chain = rows.get(which) ?? stepRow(kept, inner, restAfter);
    rows.set(which, chain);
    known.set(tool, chain);
    return chain;
  }

  /** What another tool, which a step put in the place of the first, has before it: chosen anew. */
  function restAfter(entry: Entry): Chain {
    const rest = rests.get(entry) ?? stepsByTool(entries.slice(entries.indexOf(entry) + 1), inner);
    rests.set(entry, rest);
    return rest;
  }

  return (ctx) => {
    const { tool } = ctx;
    const chain = tool === undefined ? every : (known.get(tool) ?? rowFor(tool));
    return chain(ctx);
  };
}

/**
 * Neighbouring steps, run in a row without a closure each. A row that was chosen for a tool says by `restAfter` how it goes on
 * when a step adds another one.
 */
export function stepRow(entries: readonly Entry[], inner: Chain, restAfter?: (entry: Entry) => Chain): Chain {
  const looks = entries.map(({ stage }) => traitsOf(stage).step as StepFunction);
  const count = looks.length;

  function from(ctx: CallContext, start: number): Maybe<ToolResult> {
    for (let at = start; at < count; at++) {
      const found = (looks[at] as StepFunction)(ctx);
      if (found === undefined) continue;
      // In this order because nearly everything that a step returns is additions.
      if (typeof found !== 'object' || found === null) throw odd(found, at);
      if ('call_id' in found) return found as ToolResult;
      if (isThenable(found)) return later(ctx, found, at);
      if (addsTool(ctx, found) && restAfter !== undefined) return restAfter(entries[at] as Entry)(ctx);
    }
    return inner(ctx);
  }

  async function later(ctx: CallContext, pending: PromiseLike<unknown>, at: number): Promise<ToolResult> {
    const found = await pending;
    if (isAnswer(found)) return found;
    if (ctx.settled) return CallContext.afterEnd(ctx);
    if (found !== undefined) {
      if (typeof found !== 'object' || found === null) throw odd(found, at);
      if (addsTool(ctx, found) && restAfter !== undefined) return restAfter(entries[at] as Entry)(ctx);
    }
    return from(ctx, at + 1);
  }

  // A step that says `false` or `true` meant something; whatever it was, it is not a pass.
  function odd(found: unknown, at: number): StageError {
    return new StageError(entries[at]?.name ?? '', `returned ${String(found)}; return nothing, additions or an answer`);
  }

  return (ctx) => from(ctx, 0);
}

/** Adds what a step gave: whether the call is one of another tool now. */
function addsTool(ctx: CallContext, found: object): boolean {
  const { tool } = ctx;
  addTo(ctx, found);
  return ctx.tool !== tool;
}
