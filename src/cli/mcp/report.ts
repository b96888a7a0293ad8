import { forLog } from '../../output/control-characters.ts';
import type { Io } from '../io.ts';

/** Errors of the protocol quote the message that they are about, which may be megabytes. */
const longestLine = 4_000;

/** Writes lines to standard error, each with the program's name, so that they can be told apart in a client's log. */
export function reporter(io: Io): (line: string) => void {
  return (line) => {
    const shown = line.length > longestLine ? `${line.slice(0, longestLine)} ... (${line.length} characters)` : line;
    io.stderr.write(`callgate: ${forLog(shown)}\n`);
  };
}
