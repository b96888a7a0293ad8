import { forLog } from '../../output/control-characters.ts';
import type { Io } from '../io.ts';

/** Writes lines to standard error, each with the program's name, so that they can be told apart in a client's log. */
export function reporter(io: Io): (line: string) => void {
  return (line) => void io.stderr.write(`callgate: ${forLog(line)}\n`);
}
