import { askWhether, nearest } from '../src/basics/nearest.ts';
import { offeredNames } from '../src/offered-names.ts';
import type { Failure } from '../src/result.ts';
import type { Tool } from '../src/tool.ts';
import { makesStages, step } from '../src/traits.ts';
import type { Call, Stage } from '../src/types.ts';

/** How many names an answer lists at most; a model that is told thousands learns nothing. */
const mostListed = 20;

/**
 * Finds the tool by its exact name. A wrong name is answered with the nearest of those that are offered, and nothing is run
 * on a guess.
 *
 * Fails with: `unknown_tool`.
 *
 * @example
 * pipeline().use('normalize', normalize()).use('lookup', lookup())
 */
export function lookup(): Stage<Call, { tool: Tool }> {
  return step(
    function lookup(ctx: Call): { tool: Tool } | Failure {
      const tool = ctx.registry.get(ctx.call.name);
      if (tool === undefined || !belongs(ctx, tool.name)) return unknown(ctx);
      return { tool };
    },
    { adds: ['tool'] },
  );
}
makesStages(lookup);

function belongs(ctx: Call, name: string): boolean {
  return ctx.run.tools === undefined || ctx.run.tools.includes(name);
}

function unknown(ctx: Call): Failure {
  const { names, others } = offeredNames(ctx);
  const count = names.length + others;
  const similar = nearest(ctx.call.name, names);
  const sentences = [`unknown tool: ${visible(ctx.call.name)}.${askWhether(similar)}`];
  if (names.length === 0) sentences.push('There are no tools.');
  else if (count <= mostListed) sentences.push(`The tools are: ${names.join(', ')}.`);
  else {
    const listed = names.slice(0, mostListed);
    sentences.push(`The tools include: ${listed.join(', ')}, and ${count - listed.length} more.`);
  }
  return ctx.fail('unknown_tool', sentences.join(' '), { details: { similar } });
}

/** Letters that look like others, blanks and invisible characters are the usual fault, so they are shown as codes. */
function visible(name: string): string {
  if (/^[\w./-]{1,128}$/.test(name)) return name;
  const shown = JSON.stringify(name.slice(0, 128)).replace(/[^\x20-\x7e]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return name.length > 128 ? `${shown} (${name.length} characters)` : shown;
}
