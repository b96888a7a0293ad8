/**
 * Where commands run.
 * - `bubblewrap`: the real programs of this machine, in namespaces of their own: only the roots and the system's
 *   programs are there, without network (Linux).
 * - `portable`: an interpreter of shell text with its own programs (`just-bash`), in a process of its own; of the files
 *   of this machine it reaches the roots only, and no network. No program of this machine runs.
 * - `unsandboxed`: as this process, by explicit choice only; every call asks.
 * - `none`: nothing runs.
 */
export type SandboxTier = 'bubblewrap' | 'portable' | 'unsandboxed' | 'none';

/** What the text of a command argument is written in. */
export type CommandLanguage = 'shell' | 'python';

/** Bounds on what programs may use. */
export interface ExecLimits {
  /** Processor time of each process, in seconds. Default 300. */
  readonly cpuSeconds?: number;
  /** Address space of each process, in bytes. Default 4 GiB (4,294,967,296). */
  readonly memoryBytes?: number;
  /** Processes and threads at a time. The system does not hold the superuser to it. Default 512. */
  readonly processes?: number;
  /** Size of each written file, in bytes. Default 1 GiB (1,073,741,824). */
  readonly fileBytes?: number;
  /** Output that is read, of both streams together, in bytes; beyond it everything is ended. Default 512 MiB (536,870,912). */
  readonly outputBytes?: number;
}

export interface ExecOptions {
  /** How long it may take, in milliseconds; then everything is ended, and what was written is kept. Default 30,000. */
  readonly timeout?: number;
  /** How much of each stream is kept, in bytes, half from its start and half from its end. Default 32,768. */
  readonly keep?: number;
}

/** How a command ended, and what it wrote. A program that failed is such a result, and no error. */
export interface ExecResult {
  /** Of the last program that ran, 127 if there is no such program; `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Kept part; where the middle was left out, a line in brackets says how much. */
  readonly stdout: string;
  readonly stderr: string;
  /** In bytes, also of what was left out. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** In milliseconds. */
  readonly durationMs: number;
  /** Whether a part of either stream was left out. */
  readonly truncated: boolean;
  /** Why it was ended early, if it was. */
  readonly stopped?: 'timeout' | 'output';
  readonly tier: SandboxTier;
}

/**
 * The only way a tool runs programs: just the commands that stood in its declared arguments when the guard read them,
 * as the argument lists that the guard read. Revoked when the call settles; what then still runs is ended.
 */
export interface ScopedExec {
  readonly tier: SandboxTier;
  /**
   * Runs a command that the tool received in an argument. Settles when its programs have exited, 100 ms later at the
   * most, whatever a background job still holds open; in a sandbox such jobs end with it.
   *
   * Rejects with a ToolError: `command_denied`, `unavailable`, `aborted`.
   */
  run(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
}
