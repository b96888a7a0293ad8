import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readTextSync } from '../basics/read-text.ts';
import type { GenerateResult } from './generate.ts';

export interface WriteOutcome {
  readonly result: GenerateResult;
  /** False when the file had the same content already; then it is not touched. */
  readonly written: boolean;
}

/** Writes the generated file, unless it is there already. */
export function writeGenerated(out: string, result: GenerateResult): WriteOutcome {
  const written = readTextSync(out) !== result.text;
  if (written) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, result.text);
  }
  return { result, written };
}
