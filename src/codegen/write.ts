import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GenerateResult } from './generate.ts';

export interface WriteOutcome {
  readonly result: GenerateResult;
  /** False when the file had the same content already; then it is not touched. */
  readonly written: boolean;
}

/** Writes the generated file, unless it is there already. */
export function writeGenerated(out: string, result: GenerateResult): WriteOutcome {
  const written = readGenerated(out) !== result.text;
  if (written) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, result.text);
  }
  return { result, written };
}

/** The generated file as it is; `undefined` where there is none. */
export function readGenerated(out: string): string | undefined {
  try {
    return readFileSync(out, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
