/**
 * How far the operating system helps to hold a path inside its root while others move files about.
 * - `kernel-anchored`: every operation goes through a directory handle whose place the kernel was asked for (Linux).
 * - `no-follow-any`: opening fails when any part of the path is a link (macOS).
 * - `best-effort`: checked before and after, but a fast enough attacker can win (elsewhere).
 */
export type FsLevel = 'kernel-anchored' | 'no-follow-any' | 'best-effort';

/** What a tool means to do with a path argument. `write` includes reading, creating and removing. */
export type PathIntent = 'read' | 'write';

/** A path that the guard has checked. For display and comparison only: holding one grants nothing. */
export interface GuardedPath {
  /** As the model wrote it. */
  readonly requested: string;
  /** Canonical, relative to its root, separated by `/`; the root itself is `.`. */
  readonly rel: string;
  /** The root it lies under, as the host named it. */
  readonly root: string;
}

export interface ScopedStat {
  readonly type: 'file' | 'dir' | 'link' | 'other';
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Changes whenever the content may have; for `ifMatch`. */
  readonly etag: string;
}

export interface ScopedEntry {
  /** Relative to the listed folder, separated by `/`. */
  readonly rel: string;
  readonly type: 'file' | 'dir' | 'link' | 'other';
  /** In bytes; files only. */
  readonly size?: number;
}

/** An open file; closed by `close`, and by the end of the call at the latest. */
export interface ScopedFile {
  readonly stat: ScopedStat;
  /** Reads up to `length` bytes from `position` (default: where the last read ended). Empty at the end. */
  read(length: number, position?: number): Promise<Uint8Array>;
  write(data: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export interface ReadTextOptions {
  /** Default 1 MiB (1,048,576 bytes). The rest is left out and `truncated` says so. */
  maxBytes?: number;
  /** First and last byte, the last not included. Default: the whole file. */
  range?: readonly [number, number];
}

export interface WriteTextOptions {
  /** Fails with `conflict` unless the file still has this etag; `null` demands that it does not exist yet. */
  ifMatch?: string | null;
  /** Makes missing parent folders. Default false. */
  mkdirs?: boolean;
  /** Permission bits of a new file, without setuid and setgid. Default 0o666 less the umask; an old file keeps its own. */
  mode?: number;
}

export interface ListOptions {
  /** How many levels to go down; 1 is the folder's own entries. Default 1. */
  depth?: number;
  /** The most entries to give. Default 10,000. */
  limit?: number;
}

/**
 * The only way a tool reaches files: just the arguments that it declared as paths and what lies below them, each with
 * its declared intent. Every method takes a path as the tool received it in its arguments, or one below such a path.
 * Methods reject with a ToolError (`path_denied`, `conflict`, `tool_error`). Revoked when the call settles.
 */
export interface ScopedFs {
  readonly level: FsLevel;
  open(path: GuardedPath | string, intent: 'read' | 'create' | 'replace' | 'append'): Promise<ScopedFile>;
  readBytes(
    path: GuardedPath | string,
    options?: ReadTextOptions,
  ): Promise<{ bytes: Uint8Array; etag: string; truncated: boolean; size: number }>;
  readText(
    path: GuardedPath | string,
    options?: ReadTextOptions,
  ): Promise<{ text: string; etag: string; truncated: boolean; size: number }>;
  /** Replaces the whole file at once (a new file, then a rename), or creates it. */
  writeText(
    path: GuardedPath | string,
    content: string | Uint8Array,
    options?: WriteTextOptions,
  ): Promise<{ etag: string; created: boolean }>;
  list(path: GuardedPath | string, options?: ListOptions): AsyncIterable<ScopedEntry>;
  stat(path: GuardedPath | string): Promise<ScopedStat>;
  mkdir(path: GuardedPath | string, options?: { recursive?: boolean }): Promise<void>;
  remove(path: GuardedPath | string, options?: { recursive?: boolean }): Promise<void>;
  rename(from: GuardedPath | string, to: GuardedPath | string): Promise<void>;
  /** A working directory for a child process that stays the checked one even when it is renamed. */
  cwdFor(path: GuardedPath | string): { spawnCwd: string; bindFd?: number };
  /**
   * The absolute, canonical name of a path, checked anew, for another program that opens files by their names. What that
   * opens is whatever the name leads to by then: nothing holds it inside the root any more.
   */
  hostPath(path: GuardedPath | string): string;
}
