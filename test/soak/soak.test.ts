import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';

const full = process.env['CALLGATE_FULL'] === '1';
const calls = full ? 200_000 : 5_000;

interface Found {
  readonly made: number;
  readonly answered: number;
  readonly observed: number;
  readonly ended: number;
  readonly unhandled: number;
  readonly warnings: readonly string[];
  readonly wrong: readonly string[];
  readonly codes: Readonly<Record<string, number>>;
  readonly heaps: readonly number[];
  readonly first: { readonly heap: number };
  readonly last: object;
}

// In a process of its own, so that what is counted is nobody else's.
describe(`${calls} calls with random faults, aborts and limits, in one router`, () => {
  let found: Found;

  beforeAll(async () => {
    const program = fileURLToPath(new URL('soak.mjs', import.meta.url));
    const args = ['--expose-gc', program, String(calls), '1'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
    found = JSON.parse(stdout) as Found;
  }, 300_000);

  test('get exactly one result each, under their own ids, and none because a stage is at fault', () => {
    expect(found.wrong).toEqual([]);
    expect(found.made).toBeGreaterThanOrEqual(calls);
    expect(found.answered).toBe(found.made);
    // While observers listened, they heard of every end once.
    expect(found.ended).toBe(found.observed);
  });

  test('meet every kind of end there is', () => {
    const met = [
      'ok',
      'unknown_tool',
      'invalid_json',
      'invalid_arguments',
      'denied',
      'timeout',
      'aborted',
      'tool_error',
    ];
    expect(Object.keys(found.codes)).toEqual(expect.arrayContaining(met));
  });

  test('leave no rejection, warning, timer, listener, handle, file or program behind', () => {
    expect(found.unhandled).toBe(0);
    expect(found.warnings).toEqual([]);
    // One listener on a signal that outlives the calls, however many waited on it.
    expect(found.last).toMatchObject({ resources: [], signalListeners: 1, children: 0 });
    const { heap, ...first } = found.first;
    expect(found.last).toEqual(first);
  });

  test('leave no memory behind', () => {
    const before = Math.max(...found.heaps.slice(0, 3));
    // A short run has not loaded and compiled everything by then.
    expect((found.heaps[3] as number) / before).toBeLessThan(full ? 1.05 : 1.15);
  });
});
