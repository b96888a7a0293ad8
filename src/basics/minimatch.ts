import { createRequire } from 'node:module';

let loaded: typeof import('minimatch') | undefined;

/** minimatch, loaded when the first pattern is compiled. */
export function minimatch(): typeof import('minimatch') {
  loaded ??= createRequire(import.meta.url)('minimatch') as typeof import('minimatch');
  return loaded;
}
