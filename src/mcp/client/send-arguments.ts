import { rewriteAt } from '../../argument-places.ts';
import { ToolError } from '../../errors.ts';
import type { ToolContext } from '../../tool.ts';
import type { Guards } from './guards.ts';
import { checkPlaces } from './places.ts';

/**
 * What the guards have checked, in a form that means the same to the server: it opens files by their names and has another
 * working folder, so that it gets absolute paths, checked once more. URLs and commands go as the guards left them.
 */
export function argumentsToSend(
  args: unknown,
  { paths = {}, urls = [], commands = {} }: Guards,
  { fs }: ToolContext,
): unknown {
  const places = Object.keys(paths);
  checkPlaces(args, places, 'path_denied');
  checkPlaces(args, urls, 'url_denied');
  checkPlaces(args, Object.keys(commands), 'command_denied');
  let sent = args;
  for (const place of places) {
    sent = rewriteAt(sent, place, (path) => {
      if (fs === undefined) throw new ToolError('No guard for paths ran before this tool.', { code: 'internal' });
      return fs.hostPath(path as string);
    });
  }
  return sent;
}
