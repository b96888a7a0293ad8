import { checkOptions } from '../../basics/options.ts';
import type { PathIntent } from '../../capabilities/fs/types.ts';
import { Workspace, type WorkspaceOptions, workspaceOptions } from '../../capabilities/fs/workspace.ts';
import { rewriteAt } from '../../definition/argument-places.ts';
import { ToolError } from '../../errors.ts';
import type { Failure } from '../../result.ts';
import { pointerStep } from '../../schema/pointer.ts';
import type { Tool } from '../../tool.ts';
import { type Guard, guard, step } from '../../traits.ts';
import type { Effect, Ready, Stage } from '../../types.ts';
import { furtherPaths, isNoPath, pathsIn } from './path-texts.ts';

const mostLooks = 500;

/**
 * The net below guesses: it looks at the arguments that nothing is declared of, names of properties included, whatever the
 * schema says or leaves open. A text that leads somewhere by itself (absolute, from a home folder, upwards) must lead into the
 * roots, and is then an effect that rules see; without roots (`[]`) nothing may lead anywhere. Nothing is rewritten. In a
 * declared path it refuses a second one: to a server that splits texts, `a,/b` is a list.
 *
 * Stands behind the path guard, and in front of permission. It takes the options of the path guard, and should be given the same.
 *
 * Fails with: `path_denied`; the argument stands in `details.pointer`.
 *
 * @example
 * defaultPipeline({ roots }).before('permission', 'strayPaths', strayPaths({ roots }))
 */
export function strayPaths(options: WorkspaceOptions): Stage<Ready> & Guard {
  checkOptions('strayPaths', options, workspaceOptions, ['allow', 'deny']);
  const workspace = options.roots?.length === 0 ? undefined : new Workspace(options);

  const stage = step(function strayPaths(ctx: Ready): { readonly effects: readonly Effect[] } | Failure | undefined {
    const intent = ctx.tool.permission === 'read' ? 'read' : 'write';
    const found: Effect[] = [];
    let at = '';
    let looks = 0;
    try {
      visit(undeclared(ctx), '', '', (text, pointer) => {
        at = pointer;
        // Each costs calls to the system, during which nothing else runs.
        if (++looks > mostLooks) throw refused('there are more paths than can be looked at; make several calls');
        found.push(...effectsOf(text, intent, workspace));
      });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const pointer = pointerOf(error) ?? at;
      const details = { ...(error.options.details as object | undefined), pointer };
      return ctx.fail(error.code, `${pointer}: ${error.message}`, { ...error.options, details });
    }
    return found.length === 0 ? undefined : { effects: [...(ctx.effects ?? []), ...found] };
  });
  return guard(stage as Stage<Ready>, { needs: ['tool', 'args'], adds: ['effects'] });
}

/** The arguments without what is declared. Throws for a declared path that holds a second one. */
function undeclared({ tool, args }: Ready): unknown {
  const { paths = {}, urls = [] } = tool;
  let rest = args;
  for (const place of Object.keys(paths)) {
    rest = rewriteAt(rest, place, 'path', (value, pointer) => {
      if (typeof value === 'string' && furtherPaths(value).length > 0) throw several(pointer);
      return undefined;
    });
  }
  for (const place of urls) rest = rewriteAt(rest, place, 'url', () => undefined);
  for (const place of commandsOf(tool)) rest = rewriteAt(rest, place, 'command', () => undefined);
  return rest;
}

function commandsOf({ commands = [] }: Tool): readonly string[] {
  return Array.isArray(commands) ? (commands as readonly string[]) : Object.keys(commands);
}

/** Shows every text that may be a path, in the values and in the names that they have, with its JSON pointer. */
function visit(value: unknown, name: string, pointer: string, look: (text: string, pointer: string) => void): void {
  if (typeof value === 'string') {
    if (isNoPath(name)) return;
    for (const path of pathsIn(value, name)) look(path, pointer);
    const inner = parsed(value);
    if (inner !== undefined) visit(inner, name, pointer, look);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, name, `${pointer}/${index}`, look);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const place = pointer + pointerStep(key);
      for (const path of pathsIn(key, '')) look(path, place);
      visit(member, key, place, look);
    }
  }
}

/** What a text of JSON holds, for servers that read it. */
function parsed(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function effectsOf(text: string, intent: PathIntent, workspace: Workspace | undefined): readonly Effect[] {
  if (workspace === undefined) throw refused('no folder is open, as no roots were given', 'no-roots');
  // A name from the environment is a folder to the path guard, and anything to whoever expands it.
  if (/^[$%]/.test(text)) throw refused('names from the environment are not expanded; give a plain path');
  const { absolute } = workspace.check(text, intent);
  // Where a relative one leads, only the server knows.
  return text.startsWith('/') ? [{ kind: intent === 'read' ? 'fs.read' : 'fs.write', path: absolute }] : [];
}

function several(pointer: string): ToolError {
  return refused('it can be read as several paths; give one path', 'unchecked', pointer);
}

function refused(why: string, reason = 'unchecked', pointer?: string): ToolError {
  const details = { reason, ...(pointer !== undefined && { pointer }) };
  return new ToolError(`Path refused: ${why}.`, { code: 'path_denied', effect: 'none', retryable: false, details });
}

function pointerOf({ options }: ToolError): string | undefined {
  return (options.details as { readonly pointer?: string } | undefined)?.pointer;
}
