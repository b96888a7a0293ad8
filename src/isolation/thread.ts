import { MessageChannel, type Worker } from 'node:worker_threads';
import type { Tinypool } from 'tinypool';
import { longestTimer } from '../milliseconds.ts';
import { entryOf, type Gone, type StartTransport, type TransportEvents, type TransportOptions } from './transport.ts';
import type { ThreadStart } from './worker/thread-entry.ts';

/** What of a tinypool's thread is used here; the package exports no type of it. */
interface PooledThread {
  readonly thread?: Worker;
  on(event: 'error', listener: (error: unknown) => void): void;
  once(event: 'exit', listener: (code: number) => void): void;
}

/** Loads tinypool, an optional package; gives what starts threads with it. */
export async function threadStarter(options: TransportOptions): Promise<StartTransport> {
  let Pool: typeof Tinypool;
  try {
    Pool = (await import('tinypool')).Tinypool;
  } catch (cause) {
    throw new Error("Tools with isolate: 'thread' need the package tinypool. Run: npm install tinypool", { cause });
  }
  return (events) => startThread(Pool, options, events);
}

/**
 * A tinypool of one thread. Which call goes where is decided for threads and processes alike, so that tinypool starts the
 * thread, runs its one task, and ends it whatever it does.
 */
function startThread(
  Pool: typeof Tinypool,
  options: TransportOptions,
  events: TransportEvents,
): ReturnType<StartTransport> {
  const { port1: port, port2 } = new MessageChannel();
  const pool = new Pool({
    filename: entryOf('thread-entry').href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: longestTimer,
    // Tinypool's thread would sleep between tasks, and hear no message of ours.
    useAtomics: false,
    env: { ...options.env },
    execArgv: [...options.execArgv],
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(options.memory / 1_048_576) },
  });
  let fault: unknown;
  // Also heard, so that what nobody waits for does not end this process.
  pool.on('error', (error) => {
    fault ??= error;
  });
  const task: ThreadStart = { port: port2, output: options.output };
  pool.run(task, { transferList: [port2] }).catch((error: unknown) => {
    fault ??= error;
    end();
  });
  const end = (): void => {
    pool.destroy().catch(() => {});
  };
  const thread = pool.threads[0] as unknown as PooledThread;
  guardReadiness(thread, () => events.broken('it sent a message on a channel that is not its own'));
  thread.on('error', (error) => {
    fault = error;
  });
  thread.once('exit', (code) => {
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
    hold: () => port.ref(),
    release: () => port.unref(),
    kill: end,
  };
}

/** Tinypool reads from a thread one message, that it is ready, and trusts its form; any other must not reach it. */
function guardReadiness({ thread }: PooledThread, broken: () => void): void {
  if (thread === undefined) return;
  const listeners = thread.listeners('message') as ((message: unknown) => void)[];
  thread.removeAllListeners('message');
  let ready = false;
  thread.on('message', (message: unknown) => {
    const isReady = typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
    if (ready || !isReady) {
      broken();
      return;
    }
    ready = true;
    for (const listener of listeners) listener(message);
  });
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
