import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { reasonOf, Unusable } from '../errors.ts';
import type { Io } from '../io.ts';
import { type CallLine, callsOf } from './calls.ts';
import { InputError } from './lines.ts';

/** The calls in a file, or on standard input for `-`. Throws {@link Unusable}, with file, line and column. */
export async function openCalls(named: string, io: Io): Promise<AsyncGenerator<CallLine>> {
  const shown = named === '-' ? '<stdin>' : named;
  const stream: Readable = named === '-' ? io.stdin : await openFile(resolve(io.cwd, named), named);
  return located(callsOf(stream), shown);
}

async function openFile(path: string, named: string): Promise<Readable> {
  try {
    return (await open(path)).createReadStream();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Unusable(`There is no file ${named}.`);
    throw new Unusable(`${named} could not be read: ${reasonOf(error)}`);
  }
}

async function* located(calls: AsyncGenerator<CallLine>, shown: string): AsyncGenerator<CallLine> {
  try {
    yield* calls;
  } catch (error) {
    if (error instanceof InputError) {
      throw new Unusable(`${shown}:${error.line}:${error.column}: ${error.message}`);
    }
    throw new Unusable(`${shown} could not be read: ${reasonOf(error)}`);
  }
}
