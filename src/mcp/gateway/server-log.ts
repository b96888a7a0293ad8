import { forLog } from '../../output/control-characters.ts';
import type { McpLog } from '../client/types.ts';

/** How many lines because of a server are passed on in a minute. */
const mostLines = 200;
const minute = 60_000;
const longestLine = 2_000;
const mostNames = 20;
const passedOn: ReadonlySet<string> = new Set(['stderr', 'warning', 'error', 'critical', 'alert', 'emergency']);

/** Reports as many lines as a minute may have, and then once that there are more. False for one that was left out. */
export function calmly(report: (line: string) => void, name: string): (line: string) => boolean {
  let begun = performance.now();
  let lines = 0;
  return (line) => {
    if (performance.now() - begun > minute) {
      begun = performance.now();
      lines = 0;
    }
    if (++lines > mostLines + 1) return false;
    if (lines <= mostLines) report(line);
    else report(`[${name}] ... (more than ${mostLines} lines a minute)`);
    return true;
  };
}

/**
 * Passes on what a server writes to its standard error, and its warnings, but no flood of them. `hide` takes out what nobody
 * may see, before anything is cut.
 */
export function serverLog(
  report: (line: string) => void,
  name: string,
  hide: (text: string) => string,
): (log: McpLog) => void {
  const say = calmly(report, name);
  return ({ level, data }) => {
    if (!passedOn.has(level)) return;
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    // What lies beyond the last line that may be said is not even split.
    for (const line of hide(text.slice(0, longestLine * mostLines)).split('\n')) {
      if (line.trim() !== '' && !say(`[${name}] ${forLog(line.slice(0, longestLine))}`)) return;
    }
  };
}

/** Names in a line of a log. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown;
}
