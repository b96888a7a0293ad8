import { readFileSync } from 'node:fs';

/** A file's text; `undefined` when there is none. Throws what else may be wrong with it. */
export function readTextSync(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
