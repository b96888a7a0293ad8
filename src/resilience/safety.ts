import type { Tool } from '../tool.ts';
import type { Found, Ready } from '../types.ts';

/**
 * Whether a tool changes nothing: it has the level `read`, or says so in its annotations. Of a tool from elsewhere, only
 * its level counts, which the program gave it: annotations are what the other side says of itself.
 */
export function isReadOnlyTool(tool: Tool): boolean {
  return tool.permission === 'read' || (isOwn(tool) && tool.annotations?.readOnly === true);
}

/** Whether this call changes nothing; a guard that looked at it knows better than its tool. */
export function isReadOnly(ctx: Found): boolean {
  const { level } = ctx as Partial<Ready>;
  return level === undefined ? isReadOnlyTool(ctx.tool) : level === 'read';
}

/** Whether this call may be made twice: then no more has happened than after one. */
export function isSafeToRepeat(ctx: Found): boolean {
  return isReadOnly(ctx) || (isOwn(ctx.tool) && ctx.tool.annotations?.idempotent === true);
}

/** Whether a tool is meant to be called again and again, each time for news. */
export function isPolling({ tags }: Tool): boolean {
  return tags?.includes('polling') === true;
}

function isOwn({ source }: Tool): boolean {
  return source === undefined;
}
