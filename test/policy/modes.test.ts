import { describe, expect, test } from 'vitest';
import { createModes } from '../../src/policy/modes.ts';
import type { Decision } from '../../src/policy/verdict.ts';

const levels = ['read', 'write', 'execute', 'network', 'dangerous', undefined, 'a level of the user'] as const;

const table: Readonly<Record<string, readonly Decision[]>> = {
  plan: ['allow', 'deny', 'deny', 'deny', 'deny', 'deny', 'deny'],
  ask: ['allow', 'ask', 'ask', 'ask', 'ask', 'ask', 'ask'],
  auto: ['allow', 'allow', 'ask', 'ask', 'ask', 'ask', 'ask'],
  trusted: ['allow', 'allow', 'allow', 'allow', 'allow', 'allow', 'allow'],
};

describe('built-in modes', () => {
  const modes = createModes();
  test('are four', () => expect(modes.names).toEqual(Object.keys(table)));

  for (const [mode, decisions] of Object.entries(table)) {
    for (const [index, level] of levels.entries()) {
      test(`${mode} decides ${decisions[index]} for level ${level}`, () => {
        expect(modes.defaultFor(mode, level)).toBe(decisions[index]);
      });
    }
  }

  test.each(['', 'ASK', 'yolo', '__proto__', 'constructor', 'toString'])('there is no mode %j', (mode) => {
    expect(modes.defaultFor(mode, 'read')).toBeUndefined();
  });

  test.each(['__proto__', 'constructor', 'toString'])('a level %j is one the table does not name', (level) => {
    expect(modes.defaultFor('ask', level)).toBe('ask');
  });
});

describe('own modes', () => {
  const modes = createModes({ review: { read: 'allow', deploy: 'deny', default: 'ask' }, ask: { default: 'deny' } });

  test('may name levels of their own', () => {
    expect(modes.defaultFor('review', 'deploy')).toBe('deny');
    expect(modes.defaultFor('review', 'write')).toBe('ask');
    expect(modes.defaultFor('review', undefined)).toBe('ask');
  });

  test('take the place of a built-in mode of the same name', () => {
    expect(modes.defaultFor('ask', 'read')).toBe('deny');
    expect(createModes().defaultFor('ask', 'read')).toBe('allow');
  });

  test.each([
    ['no default', { read: 'allow' }, 'Mode "mine" needs a table'],
    ['an inherited default', Object.create({ default: 'allow' }), 'Mode "mine" needs a table'],
    ['an unknown decision', { read: 'maybe', default: 'ask' }, 'Mode "mine" has maybe for level "read"'],
    ['no table', null, 'Mode "mine" needs a table'],
  ])('are refused with %s', (_, mine, message) => {
    expect(() => createModes({ mine: mine as never })).toThrow(message);
  });
});
