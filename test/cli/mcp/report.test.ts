import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { reporter } from '../../../src/cli/mcp/report.ts';

test('a line of the log stays one line, and no sender decides how long it is', () => {
  const stderr = new PassThrough();
  const report = reporter({ stderr } as unknown as Io);
  report('first\nsecond\u001b[2J');
  report(`quoted: ${'x'.repeat(1_000_000)}`);
  const [first = '', second = '', rest] = String(stderr.read()).split('\n');
  expect(first).toBe('callgate: first\\nsecond\\u001b[2J');
  expect(second).toMatch(/^callgate: quoted: x+ \.\.\. \(1000008 characters\)$/);
  expect(second.length).toBeLessThan(5_000);
  expect(rest).toBe('');
});
