import { describe, expect, it } from 'vitest';
import { CalmReport, listed, serverLog } from '../../../src/mcp/gateway/server-log.ts';

const stderr = (data: string) => ({ server: 's', level: 'stderr', data });

describe('what a server says in the gate’s log', () => {
  it('has an end, and costs nothing once it has come to it', () => {
    const lines: string[] = [];
    let hidden = 0;
    const log = serverLog(
      (line) => lines.push(line),
      's',
      (text) => {
        hidden++;
        return text.replaceAll('secret', '...');
      },
    );
    log(stderr('a secret\n\n\u001b[2J\n'));
    expect(lines).toEqual(['[s] a ...', '[s] \\u001b[2J']);
    for (let at = 0; at < 1_000; at++) log(stderr('more\n'));
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe('[s] ... (more than 200 lines a minute)');
    expect(hidden).toBeLessThan(250);
  });

  it('does not keep what the gate itself has to say from being said', () => {
    const lines: string[] = [];
    const report = (line: string): unknown => lines.push(line);
    const log = serverLog(report, 's', (text) => text);
    const own = new CalmReport(report, 's');
    for (let at = 0; at < 300; at++) log(stderr('noise'));
    own.say('s.read has changed');
    expect(lines.at(-1)).toBe('s.read has changed');
  });

  it('names some of very many', () => {
    expect(listed(['a', 'b'])).toBe('a, b');
    expect(listed(Array.from({ length: 25 }, (_, at) => `t${at}`))).toMatch(/^t0, .*, t19 and 5 more$/);
  });
});
