import type { Readable, Writable } from 'node:stream';

/** Where a command writes; a terminal or not. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** All of the outside that a command may touch. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which the command runs. */
  readonly cwd: string;
}

/** The reader of an output has gone away: there is nobody to write for. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

const closedCodes: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Writes and waits until it is written, which is all the back-pressure there is. Throws {@link OutputClosed}. */
export function print(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(closedCodes.has((error as NodeJS.ErrnoException).code ?? '') ? new OutputClosed() : error);
    });
  });
}

/** The process's own streams. A closed pipe becomes an {@link OutputClosed} of `print`, and is no crash. */
export function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  for (const output of [stdout, stderr]) output.on('error', () => {});
  return { stdin, stdout, stderr, env, cwd: process.cwd() };
}

/** Whether an output is a terminal on which a line can be written anew. */
export function isTerminal(output: Output, env: Io['env']): boolean {
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

/** How wide a terminal is, in columns. Default 80. */
export function widthOf(output: Output): number {
  const { columns } = output;
  return typeof columns === 'number' && columns > 0 ? Math.max(columns, 24) : 80;
}

/** How wide a table may be: as wide as the terminal, and without limit in a file or a pipe. */
export function tableWidthOf(output: Output): number {
  return output.isTTY === true ? widthOf(output) : Number.POSITIVE_INFINITY;
}
