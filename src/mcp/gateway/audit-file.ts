import { createWriteStream, openSync, type WriteStream } from 'node:fs';
import { ConfigError } from './config.ts';

/** The file that audit lines are appended to; only its owner may read it. Throws a ConfigError when it cannot be written. */
export function openAuditFile(path: string): WriteStream {
  try {
    return createWriteStream(path, { fd: openSync(path, 'a', 0o600) });
  } catch (error) {
    throw new ConfigError(`The audit file cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Waits until everything is written. */
export function closeAuditFile(file: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    file.once('error', () => resolve());
    file.end(resolve);
  });
}
