import { readFileSync } from 'node:fs';

/** The package's version. */
export function version(): string {
  // One folder deeper once it is built, so the nearest package.json of that name is it.
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as {
        name: string;
        version: string;
      };
      if (found.name === 'callgate') return found.version;
    } catch {
      // Not there: look further up.
    }
  }
  return 'unknown';
}
