import { expect, test } from 'vitest';
import { mergedRun } from '../src/router-options.ts';
import type { Run } from '../src/types.ts';

const run: Run = Object.freeze({ id: 'run_1', mode: 'ask', principal: 'ada' });

test('a frozen run of texts is merged once for one run of the router', () => {
  const own = Object.freeze({ id: 'session' });
  const merged = mergedRun(run, own);
  expect(merged).toEqual({ id: 'session', mode: 'ask', principal: 'ada' });
  expect(mergedRun(run, own)).toBe(merged);
  expect(mergedRun({ ...run, mode: 'plan' }, own)).toMatchObject({ id: 'session', mode: 'plan' });
  expect(mergedRun(run, Object.freeze({ id: 'other' }))).toMatchObject({ id: 'other', mode: 'ask' });
});

test('whatever may say something else the next time is merged anew', () => {
  const open: { id: string; mode?: string } = { id: 'session' };
  expect(mergedRun(run, open).mode).toBe('ask');
  open.mode = 'plan';
  expect(mergedRun(run, open).mode).toBe('plan');

  const tools = ['read'];
  const listed = Object.freeze({ id: 'session', tools });
  expect(mergedRun(run, listed).tools).toEqual(['read']);
  tools.push('write');
  expect(mergedRun(run, listed).tools).toEqual(['read', 'write']);

  let mode = 'ask';
  const asked = Object.freeze({
    get mode() {
      return mode;
    },
  });
  expect(mergedRun(run, asked).mode).toBe('ask');
  mode = 'plan';
  expect(mergedRun(run, asked).mode).toBe('plan');
});
