import { rewriteAt } from '../../definition/argument-places.ts';
import { ToolError } from '../../errors.ts';
import type { ToolContext } from '../../tool.ts';
import type { Guards } from './guards.ts';

/**
 * What the guards have checked, in a form that means the same to the server: it opens files by their names and has another
 * working folder, so that it gets absolute paths, checked once more. URLs and commands go as the guards left them.
 */
export function argumentsToSend(
  args: unknown,
  { paths = {}, urls = [], commands = {} }: Guards,
  { fs }: ToolContext,
): unknown {
  let sent = args;
  for (const place of Object.keys(paths)) {
    sent = rewriteAt(sent, place, 'path', (path) => {
      if (fs === undefined) throw new ToolError('No guard for paths ran before this tool.', { code: 'internal' });
      return fs.hostPath(path as string);
    });
  }
  // The guards have looked at these; of what they could not find for its form, whoever left them out would not know.
  for (const place of urls) rewriteAt(sent, place, 'url', (url) => url);
  for (const place of Object.keys(commands)) rewriteAt(sent, place, 'command', (command) => command);
  return sent;
}
