import { forLog } from '../../output/control-characters.ts';
import type { McpLog } from '../client/types.ts';

/** How many lines because of a server are passed on in a minute. */
const mostLines = 200;
const minute = 60_000;
const longestLine = 2_000;
const mostNames = 20;
const passedOn: ReadonlySet<string> = new Set(['stderr', 'warning', 'error', 'critical', 'alert', 'emergency']);

/** Reports as many lines because of a server as a minute may have, and then once that there are more. */
export class CalmReport {
  readonly #report: (line: string) => void;
  readonly #name: string;
  #begun = performance.now();
  #lines = 0;

  constructor(report: (line: string) => void, name: string) {
    this.#report = report;
    this.#name = name;
  }

  /** Whether nothing more is reported for now. */
  get isMuted(): boolean {
    if (performance.now() - this.#begun > minute) {
      this.#begun = performance.now();
      this.#lines = 0;
    }
    return this.#lines > mostLines;
  }

  say(line: string): void {
    if (this.isMuted) return;
    const isLast = ++this.#lines > mostLines;
    this.#report(isLast ? `[${this.#name}] ... (more than ${mostLines} lines a minute)` : line);
  }
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
  const calm = new CalmReport(report, name);
  return ({ level, data }) => {
    if (!passedOn.has(level) || calm.isMuted) return;
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    // What lies beyond the last line that may be said is not even split.
    for (const line of hide(text.slice(0, longestLine * mostLines)).split('\n')) {
      if (calm.isMuted) return;
      if (line.trim() !== '') calm.say(`[${name}] ${forLog(line.slice(0, longestLine))}`);
    }
  };
}

/** Names in a line of a log. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown;
}
