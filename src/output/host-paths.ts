import { homedir, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const mayHoldPath = /[\\/]/;
/** A frame of a JavaScript stack, as its own line. */
const frame = /^[ \t]*at (?:async )?(?:[^\n]{0,400}\([^\n()]{1,400}\)|[^\s]{1,400}:\d+:\d+)[ \t]*$\n?/gm;
const fileUrl = /file:\/\/\/[^\s'"`<>)\]]{1,1000}/g;
const restOfPath = '[^\\s\'"`<>|,;:)\\]}]{0,1000}';
/** Where hosts keep their files. A path below one of these tells about the host; other things that begin with `/` do not. */
const hostPath =
  /(?<![\w.~/:\\-])(?:\/(?:home|Users|root|var|etc|usr|opt|private|tmp|proc|sys|srv|mnt|media|lib|lib64|bin|sbin|run|boot|Library|Applications|Volumes|nix|snap)\/|[A-Za-z]:\\|\\\\[\w.-]{1,64}\\)[^\s'"`<>|,;:)\]}]{0,1000}/g;

/**
 * Takes what only concerns the host out of the text of an error: stack frames, and absolute paths. A path below the
 * working folder becomes relative to it, one below the home folder begins with `~`, and of any other only the last part
 * is kept, as in `<host>/settings.json`.
 *
 * @param known says of a path that it may stay
 */
export function withoutHostDetails(text: string, known: (path: string) => boolean = () => false): string {
  if (!mayHoldPath.test(text)) return text;
  const withoutFrames = text.includes('at ') ? text.replace(frame, '') : text;
  const plain = withoutFrames.includes('file:') ? withoutFrames.replace(fileUrl, asPath) : withoutFrames;
  return withoutOwnFolders(plain, known).replace(hostPath, (path) => (known(path) ? path : lastPart(path)));
}

/** As {@link withoutHostDetails}, but only the working folder and the home folder are hidden: for texts meant to be read. */
export function withoutOwnFolders(text: string, known: (path: string) => boolean = () => false): string {
  if (!mayHoldPath.test(text)) return text;
  let result = text;
  for (const [folder, name] of ownFolders()) {
    if (result.includes(folder)) result = replaceFolder(result, folder, name, known);
  }
  return result;
}

function ownFolders(): [folder: string, name: string][] {
  const folders: [string, string][] = [];
  for (const [read, name] of [[process.cwd, '.'] as const, [homedir, '~'] as const, [tmpdir, '<tmp>'] as const]) {
    try {
      const folder = read().replace(/[\\/]+$/, '');
      // `/` alone, as in some containers, is part of every path and says nothing.
      if (folder.length > 1) folders.push([folder, name]);
    } catch {
      // The working folder may have been removed; then there is nothing to hide.
    }
  }
  return folders.sort(([a], [b]) => b.length - a.length);
}

function replaceFolder(text: string, folder: string, name: string, known: (path: string) => boolean): string {
  const escaped = folder.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const inside = `(?<![\\w.~-])${escaped}(?:[\\\\/](${restOfPath})|(?![\\w.-]))`;
  return text.replace(new RegExp(inside, 'g'), (found, rest: string | undefined) => {
    if (known(found)) return found;
    if (rest === undefined) return name;
    return name === '.' ? rest : `${name}/${rest}`;
  });
}

function asPath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.slice('file://'.length);
  }
}

function lastPart(path: string): string {
  const end = path.replace(/[\\/]+$/, '');
  const name = end.slice(Math.max(end.lastIndexOf('/'), end.lastIndexOf('\\')) + 1);
  return `<host>/${name}`;
}

/** Says of a path whether it stands in a call's arguments: what the model itself wrote is no news to it. */
export function writtenIn(args: unknown): (path: string) => boolean {
  return (path) => {
    try {
      return (typeof args === 'string' ? args : (JSON.stringify(args) ?? '')).includes(path);
    } catch {
      return false;
    }
  };
}
