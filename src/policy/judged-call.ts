import { canonicalJson } from '../basics/canonical-json.ts';
import type { Tool } from '../tool.ts';
import type { Effect, Ready } from '../types.ts';
import type { PolicyRequest } from './policy.ts';

const noEffects: readonly Effect[] = Object.freeze([]);

/** A call as policies see it. */
export function requestOf(ctx: Ready): PolicyRequest {
  return {
    tool: ctx.tool,
    arguments: ctx.args,
    effects: ctx.effects ?? noEffects,
    mode: ctx.run.mode,
    run: ctx.run,
    callId: ctx.call.id,
    state: ctx.state,
  };
}

/** What a call needs: a guard that looked at it knows better than the tool's own level says. */
export function levelOf(ctx: Ready): Tool['permission'] {
  return ctx.level ?? ctx.tool.permission;
}

/**
 * Arguments and effects as text, so that what was judged can be held against what runs; of those that have no such form,
 * their identity has to do.
 */
export function contentOf(ctx: Ready): unknown {
  try {
    return canonicalJson([ctx.args, ctx.effects ?? []]);
  } catch {
    return ctx.args;
  }
}
