import { forLog } from '../../output/control-characters.ts';
import type { ToolResult } from '../../result.ts';
import { duration } from './duration.ts';
import type { Style } from './style.ts';
import { cut, padEnd, padStart } from './width.ts';

/** What a run came to, counted while it goes; takes the same little room however long the run is. */
export class Tally {
  calls = 0;
  ok = 0;
  readonly failed: Map<string, number> = new Map();
  slowest: { readonly ordinal: number; readonly name: string; readonly milliseconds: number } | undefined;

  add(ordinal: number, name: string, result: ToolResult, milliseconds: number): void {
    this.calls++;
    if (result.ok) this.ok++;
    else this.failed.set(result.code, (this.failed.get(result.code) ?? 0) + 1);
    if (this.slowest === undefined || milliseconds > this.slowest.milliseconds) {
      this.slowest = { ordinal, name, milliseconds };
    }
  }
}

const label = 22;

/** The table at the end of a run. */
export function summary(tally: Tally, milliseconds: number, width: number, style: Style): string {
  const { calls, ok, failed, slowest } = tally;
  const digits = String(calls).length;
  const room = Math.max(0, Math.min(40, width - label - digits - 4));
  const scale = room / Math.max(1, ok, ...failed.values());
  const bar = (count: number): string => '█'.repeat(Math.round(count * scale) || (count > 0 && room > 0 ? 1 : 0));
  const row = (name: string, count: number, drawn = ''): string =>
    ` ${padEnd(name, label)}${padStart(String(count), digits)}${drawn === '' ? '' : `  ${drawn}`}`;
  const codes = [...failed].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const lines = [
    style.dim('─'.repeat(Math.min(width - 1, label + digits + room + 3))),
    row(style.bold('calls'), calls),
    row('ok', ok, style.green(bar(ok))),
    row('failed', calls - ok),
    ...codes.map(([code, count]) => row(`  ${code}`, count, style.red(bar(count)))),
  ];
  if (slowest !== undefined) {
    const shown = cut(`${duration(slowest.milliseconds)}  ${forLog(slowest.name)}`, width - label - 16);
    lines.push(` ${padEnd('slowest', label)}${shown}${style.dim(` (call ${slowest.ordinal})`)}`);
  }
  lines.push(` ${padEnd('total time', label)}${duration(milliseconds)}`);
  return `${lines.join('\n')}\n`;
}

/** The same in one line, for when the results themselves went elsewhere. */
export function summaryLine({ calls, ok, failed }: Tally, milliseconds: number): string {
  const codes = [...failed].sort(([, m], [, n]) => n - m).map(([code, count]) => `${code} ${count}`);
  const parts = [calls === 1 ? '1 call' : `${calls} calls`, `${ok} ok`, `${calls - ok} failed`];
  return `${parts.join(', ')}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}, ${duration(milliseconds)}\n`;
}
