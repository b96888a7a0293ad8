import type { ScopedEntry, ScopedFile, ScopedFs, ScopedStat } from '../../capabilities/fs/types.ts';
import { textOf } from '../../capabilities/net/decode.ts';
import type { FetchInit, FetchResponse, ScopedFetch } from '../../capabilities/net/types.ts';
import type { ExecResult, ScopedExec } from '../../capabilities/process/types.ts';
import { ToolError } from '../../errors.ts';
import type { ToolContext } from '../../tool.ts';
import type { LentContext } from '../protocol.ts';

/** Through whom everything reaches the router. */
interface Serving {
  readonly signal: AbortSignal;
  progress(data: unknown): void;
  ask(operation: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
}

/** What a handler is given here: as in the router's own thread, with every operation done where the router is. */
export function contextOf(lent: LentContext, serving: Serving): ToolContext {
  const { call, idempotencyKey, state, fs, exec, fetch } = lent;
  const bound: Bound = { ask: (operation, args, signal) => serving.ask(operation, args, signal) };
  return {
    get signal() {
      return serving.signal;
    },
    state,
    call: Object.freeze(call),
    idempotencyKey,
    progress: (data) => serving.progress(data),
    ...(fs !== undefined && { fs: lentFs(fs, bound) }),
    ...(fetch && { fetch: lentFetch(bound) }),
    ...(exec !== undefined && { exec: lentExec(exec, bound) }),
  };
}

function lentFs(level: ScopedFs['level'], { ask }: Bound): ScopedFs {
  return Object.freeze({
    level,
    async open(path, intent) {
      const { file, stat } = (await ask('fs.open', [path, intent])) as { file: number; stat: ScopedStat };
      return lentFile(file, stat, ask);
    },
    readBytes: (path, options) => ask('fs.readBytes', [path, options]) as ReturnType<ScopedFs['readBytes']>,
    readText: (path, options) => ask('fs.readText', [path, options]) as ReturnType<ScopedFs['readText']>,
    writeText: (path, content, options) =>
      ask('fs.writeText', [path, content, options]) as ReturnType<ScopedFs['writeText']>,
    async *list(path, options) {
      yield* (await ask('fs.list', [path, options])) as ScopedEntry[];
    },
    stat: (path) => ask('fs.stat', [path]) as Promise<ScopedStat>,
    mkdir: (path, options) => ask('fs.mkdir', [path, options]) as Promise<void>,
    remove: (path, options) => ask('fs.remove', [path, options]) as Promise<void>,
    rename: (from, to) => ask('fs.rename', [from, to]) as Promise<void>,
    hostPath: () => {
      throw notHere('fs.hostPath', 'it answers at once, and what crosses between threads or processes cannot');
    },
    cwdFor: () => {
      throw notHere('fs.cwdFor', 'a folder is held open by the router, and its handle cannot travel');
    },
  } satisfies ScopedFs);
}

function lentFile(file: number, stat: ScopedStat, ask: Ask): ScopedFile {
  return Object.freeze({
    stat,
    read: (length, position) => ask('file.read', [file, length, position]) as Promise<Uint8Array>,
    write: (data) => ask('file.write', [file, data]) as Promise<void>,
    close: () => ask('file.close', [file]) as Promise<void>,
  } satisfies ScopedFile);
}

function lentFetch({ ask }: Bound): ScopedFetch {
  const fetch = async (url: string, { signal, ...init }: FetchInit = {}): Promise<FetchResponse> => {
    const answer = (await ask('fetch', [url, init], signal)) as Omit<FetchResponse, 'text' | 'bytes'> & {
      readonly body: Uint8Array;
    };
    const { body, ...response } = answer;
    return Object.freeze({
      ...response,
      bytes: async () => body,
      text: async () => textOf(body, response.headers['content-type'] ?? ''),
    });
  };
  const proxy: ScopedFetch['proxy'] = async () => {
    throw notHere('fetch.proxy', 'what it refuses and when it closes is told as it happens, which cannot travel');
  };
  return Object.freeze(Object.assign(fetch, { proxy }));
}

function lentExec(tier: ScopedExec['tier'], { ask }: Bound): ScopedExec {
  return Object.freeze({
    tier,
    run: (command, options) => ask('exec.run', [command, options]) as Promise<ExecResult>,
  } satisfies ScopedExec);
}

type Ask = Serving['ask'];
interface Bound {
  readonly ask: Ask;
}

function notHere(what: string, why: string): ToolError {
  return new ToolError(`${what} is not to be had in a handler that runs isolated: ${why}.`, { code: 'internal' });
}
