import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** The packages under which this project has one TypeScript of each line. */
export const compilers = ['typescript5', 'typescript', 'typescript7'] as const;

const here = fileURLToPath(new URL('.', import.meta.url));

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files inside the project, so that `callgate` and the compilers are found; removed afterwards. */
export function makeProject(files: Record<string, string>): string {
  const folder = mkdtempSync(join(here, '.work-'));
  made.push(folder);
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
