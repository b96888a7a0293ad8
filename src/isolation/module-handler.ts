import { ToolError } from '../errors.ts';

/** Where a handler is found: what is loaded in the thread or process, and which of its exports is called. */
export interface HandlerModule {
  /** A URL, or the name of a package. */
  readonly module: string;
  readonly name: string;
}

/** What {@link moduleHandler} makes. It fits every tool, because it never returns: it is never called in this thread. */
export type ModuleHandler = (args: unknown, context: unknown) => never;

// Registered, so that tools of another copy of the package are known as well.
const key = Symbol.for('callgate.moduleHandler');

/**
 * A handler that is named and not held: a thread or process of its own loads the module and calls the export with
 * `(args, context)`. For tools with `isolate`, which can then be stopped whatever they do.
 *
 * `module` is the URL of a JavaScript module (`file:` or `data:`), the absolute path of one, or the name of a package as
 * callgate would import it; `import.meta.resolve('package')` gives a URL for a package of your own. Throws a TypeError
 * for a relative path: relative to what, only its caller knows.
 *
 * The arguments and what the handler returns travel as structured clones. In its context `signal`, `progress`,
 * `idempotencyKey`, `call` and the declared capabilities are there; `docs/isolation.md` says what differs.
 *
 * @example
 * const count = defineTool({
 *   name: 'count',
 *   description: 'Counts matches of a regular expression.',
 *   parameters: { type: 'object', properties: { pattern: { type: 'string' }, text: { type: 'string' } } },
 *   isolate: 'thread',
 *   handler: moduleHandler(new URL('./count.js', import.meta.url), 'count'),
 * });
 */
export function moduleHandler(module: URL | string, name: string): ModuleHandler {
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`moduleHandler() takes the name of an export, such as 'default'; it got ${String(name)}.`);
  }
  const named: HandlerModule = Object.freeze({ module: specifierOf(module), name });
  const handler = (): never => {
    throw new ToolError('This handler runs in a thread or process of its own only: its tool must set isolate.', {
      code: 'internal',
    });
  };
  return Object.defineProperty(handler, key, { value: named });
}

/** What {@link moduleHandler} was told; nothing for any other handler. */
export function handlerModuleOf(handler: unknown): HandlerModule | undefined {
  return typeof handler === 'function' ? (handler as { [key]?: HandlerModule })[key] : undefined;
}

/** Throws a TypeError unless a tool's `isolate` and its handler belong together. */
export function checkIsolation({
  name,
  isolate,
  handler,
}: {
  name: string;
  isolate?: unknown;
  handler: unknown;
}): void {
  const isNamed = handlerModuleOf(handler) !== undefined;
  if (isolate === undefined) {
    if (!isNamed) return;
    throw new TypeError(
      `Tool "${name}" has a handler of moduleHandler(), so it must set isolate: 'thread' or 'process'.`,
    );
  }
  if (isolate !== 'thread' && isolate !== 'process') {
    throw new TypeError(`Tool "${name}": isolate must be 'thread' or 'process'; it is ${String(isolate)}.`);
  }
  if (isNamed) return;
  throw new TypeError(
    `Tool "${name}" sets isolate, so its handler must be made by moduleHandler(new URL('./file.js', import.meta.url), ` +
      "'export'): a function of this thread cannot be run in another one.",
  );
}

function specifierOf(module: unknown): string {
  const url = module instanceof URL ? module : urlOf(module);
  if (url === undefined) return module as string;
  if (url.protocol === 'file:' || url.protocol === 'data:') return url.href;
  throw new TypeError(`moduleHandler() takes a file: or data: URL; it got ${url.protocol}`);
}

/** The URL that a text is or stands for; nothing for the name of a package. */
function urlOf(module: unknown): URL | undefined {
  if (typeof module !== 'string' || module === '' || /^\.{0,2}[/\\]?$|^\.{1,2}[/\\]/.test(module)) {
    throw new TypeError(
      "moduleHandler() takes a URL, an absolute path or a package's name; for a file beside yours write " +
        `new URL('./file.js', import.meta.url). It got ${typeof module === 'string' ? JSON.stringify(module) : typeof module}.`,
    );
  }
  if (process.getBuiltinModule('node:path').isAbsolute(module)) {
    return process.getBuiltinModule('node:url').pathToFileURL(module);
  }
  return URL.canParse(module) ? new URL(module) : undefined;
}
