import { suspiciousCharacters } from './names.ts';
import type { PathReason } from './refusal.ts';
import { suspiciousOnWindows } from './windows-names.ts';

/** The platforms whose rules for paths differ; any other is taken for `linux`. */
export type PathPlatform = 'linux' | 'darwin' | 'win32';

export interface LexicalOptions {
  readonly platform: PathPlatform;
  /** For each root the absolute paths by which it is known, with `/` as separator and none at the end. */
  readonly roots: readonly (readonly string[])[];
  /** Refuses every `..`, also one that stays inside. Default false. */
  readonly strict?: boolean;
  /** Whether a backslash off Windows is refused, or an ordinary character. Default `deny`. */
  readonly backslash?: 'deny' | 'literal';
}

export type Lexical =
  | {
      readonly ok: true;
      /** Index of the root. */
      readonly root: number;
      /** Components below the root, without `.` and `..`. Empty for the root itself. */
      readonly segments: readonly string[];
      /** The spelling says that this is a folder: it ends in `/`, `/.` or `/..`. */
      readonly directory: boolean;
    }
  | { readonly ok: false; readonly reason: PathReason };

const url = /^[a-z][a-z0-9+.-]*:\/\/|^file:/i;
const macAlias = /^\/(?:\.vol|\.nofollow|\.resolve|System\/Volumes\/Data)(?:\/|$)/i;
const maxPathBytes = 4096;
const maxComponentBytes = 255;

/**
 * The part of the path check that needs no file system: it reads a path as text, refuses what is not a plain path
 * below one of the roots, and mends nothing. After it no `..` reaches the operating system, and whatever leaves
 * the roots by its text alone is refused without a look at the disk.
 */
export function lexical(input: unknown, options: LexicalOptions): Lexical {
  if (typeof input !== 'string') return no('type');
  if (input === '') return no('empty');
  if (tooLong(input, maxPathBytes)) return no('length');
  const characters = suspiciousCharacters(input);
  if (characters !== undefined) return no(characters);
  const form = suspiciousForm(input, options);
  if (form !== undefined) return no(form);
  return options.platform === 'win32' ? onWindows(input, options) : onPosix(input, options);
}

function suspiciousForm(input: string, options: LexicalOptions): PathReason | undefined {
  if (input.startsWith('~')) return 'tilde';
  if (url.test(input)) return 'url';
  if (/^[\\/]{2}[?.](?:[\\/]|$)|^[\\/]\?\?(?:[\\/]|$)/.test(input)) return 'device-namespace';
  if (/^(?:\/\/|\\\\)/.test(input)) return 'unc';
  if (options.platform === 'win32') return undefined;
  if (/^[a-z]:/i.test(input)) return 'drive';
  if (input.includes('\\') && options.backslash !== 'literal') return 'backslash';
  return options.platform === 'darwin' && macAlias.test(input) ? 'alias' : undefined;
}

function onPosix(input: string, options: LexicalOptions): Lexical {
  const parts = input.split('/');
  if (input.startsWith('/')) return absolute('', parts, options);
  return relative(parts, options);
}

function onWindows(input: string, options: LexicalOptions): Lexical {
  const [, drive, rest = ''] = /^([a-z]:)?(.*)$/is.exec(input) ?? [];
  const rooted = /^[\\/]/.test(rest);
  if (rooted !== (drive !== undefined)) return no('drive');
  const parts = rest.split(/[\\/]/);
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..') continue;
    const suspicious = suspiciousOnWindows(part);
    if (suspicious !== undefined) return no(suspicious);
  }
  return drive === undefined ? relative(parts, options) : absolute(drive, parts, options);
}

function relative(parts: readonly string[], options: LexicalOptions): Lexical {
  const segments = collapse(parts, options);
  return typeof segments === 'string' ? no(segments) : yes(0, segments, parts);
}

function absolute(drive: string, parts: readonly string[], options: LexicalOptions): Lexical {
  const segments = collapse(parts, options);
  if (typeof segments === 'string') return no(segments);
  const path = `${drive}/${segments.join('/')}`;
  let best: { root: number; length: number } | undefined;
  for (const [root, spellings] of options.roots.entries()) {
    for (const spelling of spellings) {
      if (spelling.length > (best?.length ?? -1) && contains(spelling, path, options.platform)) {
        best = { root, length: spelling.length };
      }
    }
  }
  if (best === undefined) return no('outside');
  return yes(best.root, path.slice(best.length).split('/').filter(Boolean), parts);
}

/** Whether the absolute `path` is `folder` or lies below it, component by component. The folder `/` is written ''. */
function contains(folder: string, path: string, platform: PathPlatform): boolean {
  const head = path.slice(0, folder.length);
  const same = platform === 'win32' ? head.toLowerCase() === folder.toLowerCase() : head === folder;
  return same && (path.length === folder.length || path[folder.length] === '/');
}

function collapse(parts: readonly string[], options: LexicalOptions): string[] | PathReason {
  const segments: string[] = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') {
      if (tooLong(part, maxComponentBytes)) return 'length';
      // A name to this system, and a step up or nothing at all to whoever trims names.
      if (/^ *\.{0,2} *$/.test(part)) return 'trailing';
      segments.push(part);
    } else if (options.strict || segments.pop() === undefined) {
      return 'outside';
    }
  }
  return segments;
}

function tooLong(text: string, maxBytes: number): boolean {
  // A UTF-16 unit is at most 3 bytes of UTF-8, so that short texts need no counting.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

function yes(root: number, segments: readonly string[], parts: readonly string[]): Lexical {
  const last = parts[parts.length - 1];
  return { ok: true, root, segments, directory: last === '' || last === '.' || last === '..' };
}

function no(reason: PathReason): Lexical {
  return { ok: false, reason };
}
