import { atOnce } from '../basics/thenable.ts';
import { rewriteAt } from '../definition/argument-places.ts';
import { ToolError } from '../errors.ts';
import type { Lock, Tool } from '../tool.ts';
import type { Effect, Ready } from '../types.ts';
import { folded, foldersAt, isPath, plain } from './keys.ts';

/** The longest key, in characters: as long as the longest path. A longer one would be made a digest of. */
const longestKey = 4_096;

/**
 * What a call has to hold: what its tool's `locks` says, or without it the files that the guards found it would touch. `undefined`
 * when there is none.
 *
 * A key lies below whatever stands before a `/` in it, as a file lies in a folder, and an absolute path below the root. It
 * holds those above it for reading, so whoever writes a folder (removes it, moves it) waits for all who are at work below,
 * and they for it. Who reads a folder does not wait for who writes below: it sees each file before or after.
 *
 * Throws a ToolError with the code `internal` when `locks` gives what cannot be used.
 */
export function wantedLocks(ctx: Ready): ReadonlyMap<string, Lock['mode']> | undefined {
  const { tool, effects } = ctx;
  const modes = new Map<string, Lock['mode']>();
  if (tool.locks !== undefined) {
    for (const { key, mode } of declared(tool, ctx)) add(modes, key, mode);
  } else {
    for (const effect of effects ?? []) {
      if (effect.kind === 'fs.read') add(modes, effect.path, 'read');
      else if (effect.kind === 'fs.write') add(modes, effect.path, 'write');
    }
  }
  return modes.size === 0 ? undefined : modes;
}

function add(modes: Map<string, Lock['mode']>, name: string, mode: Lock['mode']): void {
  const whole = name.length > 1 && name.endsWith('/') ? name.slice(0, -1) : name;
  const last = whole.lastIndexOf('/');
  if (last >= 0) {
    const isFirst = modes.size === 0;
    // From the nearest on: with one that is known, those above it are, and keys far down cost no more than they differ.
    for (const above of foldersAt(whole.slice(0, last))) {
      if (!isFirst && modes.has(above)) break;
      modes.set(above, 'read');
    }
  }
  const key = isPath(whole) ? folded(whole) : whole;
  if (mode === 'write' || !modes.has(key)) modes.set(key, mode);
}

function declared(tool: Tool, ctx: Ready): readonly Lock[] {
  let locks: unknown;
  try {
    locks = atOnce(tool.locks?.(ctx.args));
  } catch (cause) {
    throw fault(tool, 'threw', cause);
  }
  if (!Array.isArray(locks)) throw fault(tool, 'gave no list');
  const paths = pathArguments(ctx);
  return locks.map((lock: Partial<Lock> | null | undefined) => {
    const { key, mode } = lock ?? {};
    if (typeof key !== 'string' || key === '') throw fault(tool, 'gave a key that is no text');
    if (key.length > longestKey) throw fault(tool, `gave a key of more than ${longestKey} characters`);
    if (mode !== 'read' && mode !== 'write') throw fault(tool, 'gave a mode that is neither read nor write');
    return { key: paths?.get(key) ?? plain(key), mode };
  });
}

function fault(tool: Tool, what: string, cause?: unknown): ToolError {
  return new ToolError(
    `The locks of "${tool.name}" ${what}; a list of { key, mode } is needed. It was not started. This is a fault of the tool.`,
    { code: 'internal', ...(cause !== undefined && { cause }) },
  );
}

/**
 * By its text among the arguments, where each of the call's paths lies: a tool names the file as it was given it, and means
 * the same file that others know by their declaration.
 */
function pathArguments({ tool, args, effects }: Ready): ReadonlyMap<string, string> | undefined {
  if (tool.paths === undefined || effects === undefined) return undefined;
  const found = effects.filter((effect): effect is Extract<Effect, { path: string }> => 'path' in effect);
  const places = new Map<string, string>();
  let at = 0;
  // In the order in which the guard found them.
  for (const place of Object.keys(tool.paths)) {
    rewriteAt(args, place, 'path', (value) => {
      const path = found[at++]?.path;
      if (typeof value === 'string' && path !== undefined) places.set(value, path);
      return value;
    });
  }
  return places;
}
