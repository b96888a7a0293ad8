import { forLog } from '../output/control-characters.ts';
import { reasonOf } from './errors.ts';
import type { Io } from './io.ts';

/**
 * Keeps a promise that a tool rejected and forgot from ending the process, and with it all other calls; says so once.
 * Returns the function that stops.
 */
export function survivingStrays(io: Io): () => void {
  let told = false;
  const onStray = (reason: unknown): void => {
    if (told) return;
    told = true;
    io.stderr.write(`callgate: a tool left a rejected promise behind: ${forLog(reasonOf(reason))}\n`);
  };
  process.on('unhandledRejection', onStray);
  return () => process.off('unhandledRejection', onStray);
}
