import { type MessagePort, workerData } from 'node:worker_threads';
import { serve } from './serve.ts';

/** What a thread is given at its start. */
export interface ThreadStart {
  readonly port: MessagePort;
  readonly output: 'ignore' | 'stderr';
}

const { port, output } = workerData as ThreadStart;

// A thread's output is the process's, and to a program that speaks a protocol on it every word of a handler is an error.
const write = output === 'stderr' ? process.stderr.write.bind(process.stderr) : swallow;
process.stdout.write = write;
process.stderr.write = write;

const receive = serve((bytes) => {
  const own = new Uint8Array(bytes);
  port.postMessage(own, [own.buffer]);
});
port.on('message', receive);

function swallow(_text: unknown, encoding?: unknown, written?: unknown): boolean {
  const callback = typeof encoding === 'function' ? encoding : written;
  if (typeof callback === 'function') process.nextTick(callback as () => void);
  return true;
}
