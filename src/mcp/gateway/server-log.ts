import { forLog } from '../../output/control-characters.ts';
import type { McpLog } from '../client/types.ts';

/** How many lines of a server are passed on in a minute. */
const mostLines = 200;
const minute = 60_000;
const longestLine = 2_000;
const passedOn: ReadonlySet<string> = new Set(['stderr', 'warning', 'error', 'critical', 'alert', 'emergency']);

/** Passes on what a server writes to its standard error, and its warnings, but no flood of them. */
export function serverLog(report: (line: string) => void): (log: McpLog) => void {
  let begun = performance.now();
  let lines = 0;
  return ({ server, level, data }) => {
    if (!passedOn.has(level)) return;
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    if (performance.now() - begun > minute) {
      begun = performance.now();
      lines = 0;
    }
    // What lies beyond the last line that may be said is not even split.
    for (const line of text.slice(0, longestLine * mostLines).split('\n')) {
      if (line.trim() === '') continue;
      if (++lines > mostLines + 1) return;
      if (lines > mostLines) report(`[${server}] ... (it says more than ${mostLines} lines a minute)`);
      else report(`[${server}] ${forLog(line.slice(0, longestLine))}`);
    }
  };
}
