import { expect, test } from 'vitest';

test('the names of the package', async () => {
  expect(Object.keys(await import('callgate')).sort()).toMatchInlineSnapshot();
});

test('the names of callgate/middleware', async () => {
  expect(Object.keys(await import('callgate/middleware')).sort()).toMatchInlineSnapshot();
});
