import { createRouter } from 'callgate';
import { explain, lint, offered, type PendingApproval, policy, rules, shadow, signDecision } from 'callgate/policy';
import { describe, expect, test } from 'vitest';
import { permission } from '../../middleware/permission.ts';
import { toolOf } from './stand-in.ts';

const today = policy(() => undefined, { name: 'today' });
const report = () => {};
const key = 'a key of at least thirty-two bytes';

describe('a mistyped option', () => {
  test.each<[string, string, () => unknown]>([
    ['policy', 'nam', () => policy(() => undefined, { nam: 'house' } as never)],
    ['rules', 'nam', () => rules([], { nam: 'house' } as never)],
    ['lint', 'tool', () => lint([], { tool: [] } as never)],
    ['offered', 'policy', () => offered(toolOf(), 'ask', { policy: [today] } as never)],
    ['explain', 'rule', () => explain({ tool: 'edit' }, { rule: [] } as never)],
    ['shadow', 'timeout', () => shadow(today, { beside: today, report, timeout: 1 } as never)],
    // Would hold for an hour instead of a minute.
    ['signDecision', 'validForMs', () => signDecision({} as PendingApproval, 'allow', key, { validForMs: 1 } as never)],
  ])('of %s() is refused', async (owner, option, make) => {
    await expect((async () => make())()).rejects.toThrow(`${owner}() has no option "${option}"`);
  });
});

test.each([0, Number.NaN, Number.POSITIVE_INFINITY])('a policy that hangs has %s ms to answer: refused', async (ms) => {
  // A timer of Node.js that is asked to wait for ever fires at once, and every policy would be too late.
  expect(() => shadow(today, { beside: today, report, decideTimeout: ms })).toThrow('shadow({ decideTimeout })');
  await expect(explain({ tool: 'edit' }, { decideTimeout: ms })).rejects.toThrow('explain({ decideTimeout })');
});

describe('a rule for a mode that is not there', () => {
  const nowhere = { decision: 'deny', tool: 'send', mode: 'trsuted' } as const;
  const message = 'There is no mode trsuted (did you mean trusted?); the modes are plan, ask, auto, trusted';

  test.each([
    ['among the rules', { rules: [nowhere] }, 'In rule 0 of permission'],
    ['beside one that is', { rules: [{ ...nowhere, mode: ['plan', 'trsuted'] }] }, 'In rule 0 of permission'],
    [
      'in a list among the policies',
      { policies: [rules([nowhere], { name: 'house' })] },
      'In house rule 0 of permission',
    ],
  ])('is refused %s', (_, options, where) => {
    expect(() => permission(options)).toThrow(`${where}: ${message}`);
    expect(() => createRouter({ tools: [], ...options })).toThrow(`${where}: ${message}`);
  });

  test('is one by the modes that permission has, and a pattern stands for several', () => {
    const modes = { night: { default: 'deny' } } as const;
    const own = [
      { ...nowhere, mode: 'night' },
      { ...nowhere, mode: ['tr*', 'ask'] },
    ];
    expect(() => permission({ rules: own, modes })).not.toThrow();
    expect(() => permission({ rules: own })).toThrow('There is no mode night; the modes are');
    expect(() => permission({ rules: [{ ...nowhere, mode: 'z*' }] })).toThrow('There is no mode z*');
  });

  test('may be one that an approver had kept, which allows nothing then', () => {
    const kept = { ...nowhere, decision: 'allow', identity: 'a'.repeat(64) } as const;
    expect(() => permission({ rules: [kept] })).not.toThrow();
  });
});

test('permission is told where the mode belongs, and not that it may mean modes', () => {
  for (const mode of ['ask', undefined]) {
    expect(() => permission({ mode } as never)).toThrow(/no option "mode": the mode belongs to the run.*createRouter/);
  }
});
