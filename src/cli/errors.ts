/** The exit status of a command. */
export const exitStatus = {
  /** Every call has its result. */
  done: 0,
  /** `callgate call`: the one call was answered with a failure. Otherwise: a tool, or callgate itself, broke down. */
  failed: 1,
  /** The command line, the configuration or the input cannot be used. */
  unusable: 2,
  /** Whoever read the output has left. */
  brokenPipe: 141,
  /** The terminal has gone away. */
  hungUp: 129,
  /** Interrupted from the keyboard. */
  interrupted: 130,
  /** Asked to terminate. */
  terminated: 143,
} as const;

/** The command line was not understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** How the command is used, in one line. */
  readonly usage: string | undefined;

  constructor(problem: string, usage?: string) {
    super(problem);
    this.usage = usage;
  }
}

/** Something that was named cannot be used: a configuration, a file, a folder. Ends a command with status 2. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** The text of whatever was thrown, for a person. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return String(error);
}
