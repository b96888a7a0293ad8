import { createRouter, defineTool } from 'callgate';
import { expect, test, vi } from 'vitest';
import { nextTurn } from '../support.ts';

const loading = vi.hoisted(() => {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { over, end: () => end() };
});

vi.mock('p-timeout', async (original) => {
  await loading.over;
  return original();
});

let began = 0;

const obedient = defineTool({
  name: 'obedient',
  description: 'Ends at once when it is told to.',
  parameters: { type: 'object' },
  permission: 'read',
  timeout: 50,
  handler: (_, { signal }) =>
    new Promise((resolve) => {
      began++;
      signal.addEventListener('abort', () => resolve('ended'));
    }),
});

test('an abort is heard, and a deadline that has passed holds, while what makes timers is still being loaded', async () => {
  const router = createRouter({ tools: [obedient] });
  const controller = new AbortController();
  const withdrawn = router.call({ name: 'obedient' }, { signal: controller.signal });
  const left = router.call({ name: 'obedient' });
  await vi.waitUntil(() => began === 2);
  await nextTurn();
  controller.abort();
  expect(await withdrawn).toMatchObject({ ok: false, code: 'aborted' });
  loading.end();
  expect(await left).toMatchObject({ ok: false, code: 'timeout' });
});
