import { MessageChannel, Worker } from 'node:worker_threads';
import {
  entryOf,
  type Gone,
  type StartTransport,
  type Transport,
  type TransportEvents,
  type TransportOptions,
} from './transport.ts';
import type { ThreadStart } from './worker/thread-entry.ts';

/** Gives what starts threads. */
export function threadStarter(options: TransportOptions): StartTransport {
  return (events) => startThread(options, events);
}

function startThread(options: TransportOptions, events: TransportEvents): Transport {
  const { port1: port, port2 } = new MessageChannel();
  const workerData: ThreadStart = { port: port2, output: options.output };
  const thread = new Worker(entryOf('thread-entry'), {
    workerData,
    transferList: [port2],
    env: { ...options.env },
    execArgv: [...options.execArgv],
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(options.memory / 1_048_576) },
    // What the thread prints past its own streams is not read, and so goes nowhere.
    stdout: true,
    stderr: options.output === 'ignore',
  });
  let fault: unknown;
  const end = (): void => {
    thread.terminate().catch(() => {});
  };
  thread.on('error', (error) => {
    fault = error;
  });
  thread.on('exit', (code) => {
    port.close();
    events.gone(ending(fault, code));
  });
  port.on('message', (data: unknown) => {
    if (!(data instanceof Uint8Array)) {
      events.broken('it sent what is no message');
    } else if (data.byteLength > options.messageBytes) {
      events.broken(`it sent a message of ${data.byteLength} bytes, and ${options.messageBytes} are the most`);
    } else {
      // Memory that the thread may still share could change while it is read.
      events.message(new Uint8Array(data));
    }
  });
  port.on('messageerror', () => events.broken('it sent what cannot be read'));
  // The thread has closed its end, or is ending; that it has ended is told by itself.
  port.on('close', end);
  return {
    send(bytes, flushed) {
      const own = new Uint8Array(bytes);
      port.postMessage(own, [own.buffer]);
      flushed?.();
    },
    hold() {
      thread.ref();
      port.ref();
    },
    release() {
      thread.unref();
      port.unref();
    },
    kill() {
      // With it goes whatever has come and was not heard yet.
      port.close();
      end();
    },
  };
}

function ending(fault: unknown, code: number): Gone {
  const cause = fault === undefined ? {} : { cause: fault };
  if ((fault as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { reason: 'out-of-memory', how: 'it used more memory than it may', ...cause };
  }
  return {
    reason: 'crashed',
    how: fault === undefined ? `exit code ${code}` : 'an error that nothing caught',
    ...cause,
  };
}
