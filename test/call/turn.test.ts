import { createRouter, defineTool } from 'callgate';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { enterTurn, type Fresh, leaveTurn } from '../../src/call/turn.ts';
import { nextTurn } from '../support.ts';

function item(told: Fresh[]): Fresh {
  const own: Fresh = { place: -1, outlast: () => void told.push(own) };
  return own;
}

afterEach(() => void vi.useRealTimers());

describe('the end of a turn', () => {
  test('is told to all that have not left, each once', async () => {
    const told: Fresh[] = [];
    const [first, second, third] = [item(told), item(told), item(told)];
    for (const one of [first, second, third]) enterTurn(one);
    leaveTurn(first);
    await nextTurn();
    expect(told).toHaveLength(2);
    expect(new Set(told)).toEqual(new Set([second, third]));
    await nextTurn();
    expect(told).toHaveLength(2);
  });

  test('comes also after timers of a test that were taken away before they fired', async () => {
    const told: Fresh[] = [];
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    enterTurn(item(told));
    vi.useRealTimers();
    enterTurn(item(told));
    await nextTurn();
    expect(told).toHaveLength(2);
  });

  test('comes by timers of a test where those of the machine are waiting', () => {
    const told: Fresh[] = [];
    enterTurn(item(told));
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    enterTurn(item(told));
    vi.runAllTimers();
    expect(told).toHaveLength(2);
  });
});

test('a call has its deadline, whatever timers a test before it left behind', async () => {
  const tools = [
    defineTool({
      name: 'hang',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      timeout: 5,
      handler: () => new Promise(() => {}),
    }),
    defineTool({
      name: 'quick',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler: async () => 1,
    }),
  ];
  const router = createRouter({ tools });
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  await router.call({ name: 'quick' });
  vi.useRealTimers();
  expect(await router.call({ name: 'hang' })).toMatchObject({ code: 'timeout' });
});
