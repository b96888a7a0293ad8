import { readToWorker, type ToWorker, written } from '../protocol.ts';
import { tellError } from '../told-error.ts';
import { type Handler, ServedCall } from './served-call.ts';

type Load = Extract<ToWorker, { type: 'load' }>;

/**
 * Serves calls in a thread or process of their own, one after the other: gives what is to be called with each message that
 * comes. This is the handler's side: nothing that it does is a safeguard, since the handler could change it.
 */
export function serve(send: (message: Uint8Array) => void): (message: Uint8Array) => void {
  const handlers = new Map<string, Handler>();
  let current: ServedCall | undefined;

  async function load({ module, name }: Load): Promise<void> {
    try {
      handlers.set(name, await imported(module, name));
      send(written({ type: 'loaded' }));
    } catch (error) {
      send(written({ type: 'unloadable', error: tellError(error) }));
    }
  }

  return (bytes) => {
    const message = readToWorker(bytes);
    switch (message.type) {
      case 'load':
        void load(message);
        break;
      case 'call':
        current = new ServedCall(message, send);
        void current.run(handlers.get(message.name) as Handler);
        break;
      default:
        if (current?.number === message.call) current.hear(message);
    }
  };
}

async function imported(module: string, name: string): Promise<Handler> {
  let exported: Record<string, unknown>;
  try {
    exported = (await import(module)) as Record<string, unknown>;
  } catch (error) {
    throw new Error(explained(module, error), { cause: error });
  }
  const handler = exported[name];
  if (typeof handler === 'function') return handler as Handler;
  const names = Object.keys(exported).join(', ') || '(none)';
  throw new Error(`The module has no function "${name}" among its exports. They are: ${names}.`);
}

function explained(module: string, error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(module)) {
    // In a thread, tsx registers its loader for nobody.
    return (
      `The module is TypeScript, which Node ${process.versions.node} does not load by itself: name the compiled file, or let ` +
      "the tool run in a process, with isolation: { execArgv: ['--import', 'tsx'] } and tsx installed."
    );
  }
  if (code === 'ERR_MODULE_NOT_FOUND' && !module.includes(':')) {
    return `There is no package "${module}" where callgate would import it from. Name it by URL: import.meta.resolve("${module}").`;
  }
  return error instanceof Error ? error.message : String(error);
}
