import type { ScopedFile, ScopedFs } from '../capabilities/fs/types.ts';
import type { FetchInit, ScopedFetch } from '../capabilities/net/types.ts';
import type { ExecOptions, ScopedExec } from '../capabilities/process/types.ts';
import { ToolError } from '../errors.ts';
import { bytesOrText, choice, count, flag, options, path, text, texts, textsByName } from './operation-arguments.ts';

/** What a call was lent by the guards. */
export interface Lent {
  readonly fs?: ScopedFs | undefined;
  readonly fetch?: ScopedFetch | undefined;
  readonly exec?: ScopedExec | undefined;
}

type Operation = (args: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

/** Files that a call may hold open at a time. */
const mostFiles = 16;
const mostEntries = 100_000;

/**
 * The operations of a call's capabilities, as a worker may ask for them: by names of this table, with arguments that are
 * read one by one, since both come from code that is not trusted. What may be touched, the capabilities decide as ever.
 */
export class Operations {
  readonly #table: ReadonlyMap<string, Operation>;

  /** @param messageBytes the longest message to the worker; more is not read at once, and the answer says so */
  constructor(lent: Lent, messageBytes: number) {
    // Text may take twice its bytes on the way.
    const most = Math.floor(messageBytes / 2) - 1_024;
    this.#table = new Map([
      ...(lent.fs === undefined ? [] : fileOperations(lent.fs, most)),
      ...(lent.fetch === undefined ? [] : [['fetch', fetching(lent.fetch, most)] as const]),
      ...(lent.exec === undefined ? [] : [['exec.run', running(lent.exec, most)] as const]),
    ]);
  }

  async perform(operation: string, args: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const perform = this.#table.get(operation);
    if (perform === undefined) {
      throw new ToolError('There is no such operation, or the call was not lent the capability for it.', {
        code: 'internal',
      });
    }
    return perform(args, signal);
  }
}

function fileOperations(fs: ScopedFs, most: number): [string, Operation][] {
  const files = new Map<number, ScopedFile>();
  let opened = 0;
  const opening = { count: 0 };
  const reading = (given: unknown): { maxBytes: number; range?: readonly [number, number] } => {
    const { maxBytes = 1_048_576, range } = options(given, { maxBytes: count, range: byteRange });
    return { maxBytes: Math.min(maxBytes, most), ...(range !== undefined && { range }) };
  };
  const fileAt = (id: unknown): ScopedFile => {
    const file = typeof id === 'number' ? files.get(id) : undefined;
    if (file === undefined) throw new ToolError('The file is not open.');
    return file;
  };
  return [
    [
      'fs.open',
      async ([name, intent]) => {
        if (files.size + opening.count >= mostFiles) {
          throw new ToolError(`A call that runs isolated may hold ${mostFiles} files open, and it does.`);
        }
        opening.count++;
        try {
          const file = await fs.open(path(name), choice(intent, ['read', 'create', 'replace', 'append']));
          files.set(++opened, file);
          return { file: opened, stat: { ...file.stat } };
        } finally {
          opening.count--;
        }
      },
    ],
    [
      'file.read',
      ([id, length, position]) =>
        fileAt(id).read(Math.min(count(length), most), position === undefined ? undefined : count(position)),
    ],
    ['file.write', ([id, data]) => fileAt(id).write(bytesOf(data))],
    [
      'file.close',
      async ([id]) => {
        const file = fileAt(id);
        files.delete(id as number);
        await file.close();
      },
    ],
    ['fs.readBytes', ([name, given]) => fs.readBytes(path(name), reading(given))],
    ['fs.readText', ([name, given]) => fs.readText(path(name), reading(given))],
    [
      'fs.writeText',
      ([name, content, given]) =>
        fs.writeText(path(name), bytesOrText(content), options(given, { ifMatch: etag, mkdirs: flag, mode: count })),
    ],
    [
      'fs.list',
      async ([name, given]) => {
        const wanted = options(given, { depth: count, limit: count });
        if ((wanted.limit ?? 0) > mostEntries) {
          throw new ToolError(`fs.list gives at most ${mostEntries} entries to a handler that runs isolated.`);
        }
        return collected(fs.list(path(name), wanted));
      },
    ],
    ['fs.stat', ([name]) => fs.stat(path(name))],
    ['fs.mkdir', ([name, given]) => fs.mkdir(path(name), options(given, { recursive: flag }))],
    ['fs.remove', ([name, given]) => fs.remove(path(name), options(given, { recursive: flag }))],
    ['fs.rename', ([from, to]) => fs.rename(path(from), path(to))],
  ];
}

function fetching(fetch: ScopedFetch, most: number): Operation {
  return async ([url, given], signal) => {
    const init: FetchInit = options(given, {
      method: (value) => choice(value, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
      headers: textsByName,
      body: bytesOrText,
      types: texts,
      maxBytes: count,
      overflow: (value) => choice(value, ['fail', 'cut']),
    });
    const response = await fetch(text(url), { ...init, maxBytes: Math.min(init.maxBytes ?? most, most), signal });
    const { status, headers, url: from, type, truncated } = response;
    return { status, headers, url: from, type, truncated, body: await response.bytes() };
  };
}

function running(exec: ScopedExec, most: number): Operation {
  return async ([command, given]) => {
    const { keep, ...rest }: ExecOptions = options(given, { timeout: count, keep: count });
    const whole = typeof command === 'string' ? command : texts(command);
    return exec.run(whole, { ...rest, ...(keep !== undefined && { keep: Math.min(keep, Math.floor(most / 2)) }) });
  };
}

async function collected<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}

function bytesOf(data: unknown): Uint8Array {
  if (data instanceof Uint8Array) return data;
  throw new ToolError('file.write takes bytes, a Uint8Array.');
}

function etag(value: unknown): string | null {
  return value === null ? null : text(value);
}

function byteRange(value: unknown): readonly [number, number] {
  if (Array.isArray(value) && value.length === 2) return [count(value[0]), count(value[1])];
  throw new ToolError('A range is two numbers of bytes.');
}
