import { Console } from 'node:console';
import { type Writable, Writable as WritableStream } from 'node:stream';

/**
 * Sends what tools and configurations log to `output`, because standard output is for results. `before` is called before
 * each piece, such as to take a progress line away. Returns the function that puts the old console back.
 */
export function sendConsoleTo(output: Writable, before: () => void = () => {}): () => void {
  const old = globalThis.console;
  const sink = new WritableStream({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      before();
      output.write(text);
      done();
    },
  });
  globalThis.console = new Console({ stdout: sink, stderr: sink });
  return () => {
    globalThis.console = old;
  };
}
