import { type ErrorCode, ToolError } from '../../errors.ts';
import { showName } from './names.ts';

const messages = {
  type: 'a path must be a string',
  empty: 'a path must not be empty; "." is the root folder',
  length: 'the path is too long (at most 4,096 bytes, and 255 bytes for each part)',
  char: 'the path holds control characters or broken Unicode; write the plain name',
  bidi: 'the path holds characters that change the direction of writing; write the plain name',
  invisible: 'the path holds invisible characters; write the plain name',
  tilde:
    '"~" is not expanded; give a path relative to the root folder (a name that begins with "~" is written "./~name")',
  url: 'this is a URL; give a plain file path relative to the root folder',
  unc: 'a path must not begin with two slashes; give a path relative to the root folder',
  'device-namespace': 'device paths are not allowed; give a path relative to the root folder',
  drive:
    'drive letters and paths that depend on the current drive are not allowed; give a path relative to the root folder',
  alias: 'system aliases are not allowed; give a path relative to the root folder',
  backslash: 'backslashes are not allowed; separate folders with "/"',
  device: 'the path holds a reserved device name; choose another name',
  stream: 'the path holds ":"; choose another name',
  trailing: 'a part of the path ends in a dot or a space; write the exact name',
  'short-name': 'abbreviated names such as "PROGRA~1" are not allowed; write the full name',
  wildcard: 'the path holds one of < > " | ? *; give one plain file name',
  outside:
    'the path leads outside the allowed folders; give a path relative to the root folder, such as "src/index.ts"',
  escape:
    'the path goes through a link that leads outside the allowed folders or to nothing; use a path without that link',
  symlink: 'links are not followed here; use the path that the link stands for',
  'symlink-leaf': 'this name is a link that leads outside the allowed folders or to nothing, so it cannot be written',
  loop: 'the path goes round in a loop of links; use a path without links',
  'not-regular': 'this is neither a file nor a folder (a pipe, socket or device), so it is left alone',
  'is-dir': 'this is a folder, and a file is needed',
  'not-dir': 'a part of the path is a file and not a folder',
  'is-root': 'the root folder itself cannot be changed; name something in it',
  'holds-root':
    'another of the allowed folders lies in this one, which is not moved or removed as a whole; name what is in it',
  rule: 'a rule forbids this path; do not try other spellings of it',
  protected:
    'this file is protected because other programs obey or execute it (repository, editor, shell or build settings); ask the user to change it',
  'read-only': 'this folder may only be read',
  'pseudo-fs': 'system pseudo-files are not allowed',
  hardlink: 'this file has further names (hard links), so it is left alone',
  moved: 'the folder was moved or deleted meanwhile; look at the present state and try again',
  'not-granted': 'the tool may only touch the paths that it was called with, and what lies below them',
  intent: 'the tool declared this path for reading only',
  E_REVOKED: 'the call is over, so its access to files has ended',
} as const;

/** Why a path was refused: stable, as `details.reason` of a `path_denied` failure. */
export type PathReason = keyof typeof messages;

/** The failure for a refused path. The message tells nothing about what exists outside and names no absolute path. */
export function refusal(reason: PathReason, requested?: unknown): ToolError {
  return new ToolError(explain(reason, requested), { code: 'path_denied', details: { reason } });
}

function explain(reason: PathReason, requested: unknown): string {
  const text: string | undefined = messages[reason];
  return typeof requested === 'string' && requested !== '' && !isAbsoluteAnywhere(requested)
    ? `Path ${showName(requested)} refused: ${text}.`
    : `Path refused: ${text}.`;
}

function isAbsoluteAnywhere(path: string): boolean {
  return /^[\\/]|^[A-Za-z]:|^[A-Za-z][\w+.-]*:/.test(path);
}

/** Whether the access has ended: nothing may go on after that as after other failures. */
export function isRevocation(error: unknown): boolean {
  return reasonOf(error) === 'E_REVOKED';
}

/** Why something failed, in a word: as the details of a ToolError say. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof ToolError ? (error.options.details as { reason?: string } | undefined)?.reason : undefined;
}

const failures: { readonly [errno: string]: readonly [ErrorCode, reason: string, text: string] } = {
  ENOENT: ['tool_error', 'not-found', 'there is no such file or folder; check the path, or list the folder if you can'],
  ENOTDIR: ['path_denied', 'not-dir', messages['not-dir']],
  EISDIR: ['path_denied', 'is-dir', messages['is-dir']],
  ELOOP: ['path_denied', 'loop', messages.loop],
  ENAMETOOLONG: ['path_denied', 'length', messages.length],
  EEXIST: ['conflict', 'exists', 'this exists already'],
  ENOTEMPTY: ['conflict', 'not-empty', 'the folder is not empty'],
  EACCES: ['tool_error', 'no-access', 'the operating system does not permit this'],
  EPERM: ['tool_error', 'no-access', 'the operating system does not permit this'],
  EROFS: ['tool_error', 'no-access', 'the file system is read-only'],
  EBUSY: ['unavailable', 'busy', 'the file is in use'],
  ENOSPC: ['unavailable', 'no-space', 'the disk is full'],
  EDQUOT: ['unavailable', 'no-space', 'the disk quota is used up'],
  EMFILE: ['unavailable', 'too-many-open', 'too many files are open at present'],
  ENFILE: ['unavailable', 'too-many-open', 'too many files are open at present'],
  EXDEV: ['tool_error', 'other-device', 'source and target lie on different file systems'],
};

/** The answer to a failed system call: never the system's own message, which holds absolute paths. */
export function fileFailure(error: unknown, requested: string): ToolError {
  if (error instanceof ToolError) return withName(error, requested);
  const errno = errnoOf(error);
  const [code, reason, text] = failures[errno ?? ''] ?? ['tool_error', 'io', 'reading or writing failed'];
  // That something exists already does not pass by itself, unlike other conflicts.
  const lasting = code === 'conflict' ? { retryable: false } : {};
  return new ToolError(`${headOf(requested)}${text}.`, { code, details: { reason }, cause: error, ...lasting });
}

/** The answer to writing into a folder that is not there, where nobody said that missing folders are made. */
export function missingFolder(requested: string): ToolError {
  const text = 'the folder of this file does not exist; name a folder that exists, or make this one first';
  return new ToolError(`${headOf(requested)}${text}.`, { details: { reason: 'not-found' } });
}

function headOf(requested: string): string {
  return isAbsoluteAnywhere(requested) ? '' : `${showName(requested)}: `;
}

/** Who holds a handle does not know under which name it was asked for. */
function withName(error: ToolError, requested: string): ToolError {
  const reason = reasonOf(error) as PathReason | undefined;
  const nameless = reason !== undefined && error.code === 'path_denied' && error.message === explain(reason, undefined);
  return nameless ? refusal(reason, requested) : error;
}

/** The symbolic name of a failed system call's error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
