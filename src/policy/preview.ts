import { HandlerContext } from '../call/handler-context.ts';
import type { ScopedFs } from '../capabilities/fs/types.ts';
import type { ScopedFetch } from '../capabilities/net/types.ts';
import type { ScopedExec } from '../capabilities/process/types.ts';
import type { Clock } from '../clock.ts';
import { ToolError } from '../errors.ts';
import type { Tool } from '../tool.ts';
import type { Ready } from '../types.ts';

/** What a tool shows of a call. */
export interface Preview {
  readonly preview?: string;
  readonly previewFailed?: true;
}

/**
 * Lets a tool show what the call would do. A preview that throws, hangs for longer than `milliseconds` or shows nothing
 * readable is reported as failed, so that the approver knows that something is missing; it never decides.
 */
export async function previewOf(ctx: Ready, args: unknown, milliseconds: number, clock: Clock): Promise<Preview> {
  const { tool } = ctx;
  if (tool.preview === undefined) return {};
  let timer: unknown;
  const expired = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(new Error(`it took longer than ${milliseconds} ms`)), milliseconds);
  });
  try {
    const shown = await Promise.race([shownBy(tool, ctx, args), expired]);
    return shown === undefined ? {} : { preview: clean(ctx, textOf(shown)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it threw something that is no error';
    return { preview: clean(ctx, `The tool's preview failed: ${why}`), previewFailed: true };
  } finally {
    clock.clearTimeout(timer);
  }
}

/** A preview shows what stands in files, and leaves the router as results do: to a person, a store, a log. */
function clean(ctx: Ready, text: string): string {
  return String(ctx.clean(text));
}

async function shownBy(tool: Tool, ctx: Ready, args: unknown): Promise<unknown> {
  return tool.preview?.(args, new PreviewContext(ctx));
}

function textOf(shown: unknown): string {
  if (typeof shown === 'string') return shown;
  const text: unknown = JSON.stringify(shown, null, 2);
  if (typeof text !== 'string') throw new TypeError('it showed something that is no text');
  return text;
}

/** A preview looks and changes nothing: it gets the files without the ways to write them. */
class PreviewContext extends HandlerContext {
  override get fs(): ScopedFs {
    // Absent for tools that declare no paths, whatever the type says.
    const fs = super.fs as ScopedFs | undefined;
    return (fs === undefined ? fs : readOnly(fs)) as ScopedFs;
  }

  // Nothing may leave before somebody has said yes.
  override get fetch(): ScopedFetch {
    const refuse = async (): Promise<never> => {
      throw new ToolError('A preview may not reach the network.', { code: 'url_denied' });
    };
    return Object.assign(refuse, { proxy: refuse });
  }

  override get exec(): ScopedExec {
    const run = async (): Promise<never> => {
      throw new ToolError('A preview may not run a command.', { code: 'command_denied' });
    };
    return { tier: 'none', run };
  }

  override get progress(): () => void {
    return () => {};
  }
}

function readOnly(fs: ScopedFs): ScopedFs {
  const refuse = async (): Promise<never> => {
    throw new ToolError('A preview may not change anything.', { code: 'path_denied' });
  };
  return Object.freeze({
    level: fs.level,
    open: (path, intent) => (intent === 'read' ? fs.open(path, intent) : refuse()),
    readBytes: (path, options) => fs.readBytes(path, options),
    readText: (path, options) => fs.readText(path, options),
    list: (path, options) => fs.list(path, options),
    stat: (path) => fs.stat(path),
    writeText: refuse,
    mkdir: refuse,
    remove: refuse,
    rename: refuse,
    cwdFor: () => {
      throw new ToolError('A preview may not start a program.', { code: 'path_denied' });
    },
    hostPath: () => {
      throw new ToolError('A preview may not name files to another program.', { code: 'path_denied' });
    },
  } satisfies ScopedFs);
}
