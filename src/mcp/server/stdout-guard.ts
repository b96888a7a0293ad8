import { Writable } from 'node:stream';

/** Standard output kept for the protocol. */
export interface GuardedOutput {
  /** What is written here is all that leaves by standard output. */
  readonly output: Writable;
  /** Gives standard output back to the program. */
  release(): void;
}

/**
 * Keeps standard output for the protocol: whatever else the program writes there, by `console.log` or by itself, goes to
 * standard error until it is released. What a child process writes that inherits standard output cannot be helped.
 */
export function guardOutput(stdout: Writable, stderr: Writable): GuardedOutput {
  const own = Object.getOwnPropertyDescriptor(stdout, 'write');
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => {
      write(chunk, encoding, done);
    },
  });
  // The reader may go away: that ends the connection, and not the program.
  const onError = (error: Error): void => {
    output.destroy(error);
  };
  stdout.on('error', onError);
  const diverted = stderr.write.bind(stderr);
  Object.defineProperty(stdout, 'write', { value: diverted, configurable: true, writable: true });
  return {
    output,
    release() {
      if (own === undefined) delete (stdout as { write?: unknown }).write;
      else Object.defineProperty(stdout, 'write', own);
      // Late errors of a pipe that is gone still come; nobody else may be listening.
      stdout.off('error', onError);
      stdout.on('error', ignoreError);
    },
  };
}

function ignoreError(): void {}
