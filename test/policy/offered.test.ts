import { describe, expect, test } from 'vitest';
import { createModes } from '../../src/policy/modes.ts';
import { offered } from '../../src/policy/offered.ts';
import { type Policy, policy } from '../../src/policy/policy.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { rules } from '../../src/policy/rules.ts';
import { toolOf } from './stand-in.ts';

const tool = toolOf({ name: 'write_file', permission: 'write' });

describe('offered', () => {
  test.each<[string, string, Rule[], boolean]>([
    ['asks', 'ask', [], true],
    ['allows', 'auto', [], true],
    ['denies by mode', 'plan', [], false],
    ['denies by mode, and a rule allows', 'plan', [{ decision: 'allow', tool: 'write_*' }], true],
    ['denies by mode, and a rule may allow', 'plan', [{ decision: 'allow', arguments: { path: 'a' } }], true],
    ['denies by rule', 'trusted', [{ decision: 'deny', tool: 'write_*' }], false],
    ['denies by rule, and allows by another', 'trusted', [{ decision: 'deny' }, { decision: 'allow' }], false],
    ['may deny by rule', 'trusted', [{ decision: 'deny', arguments: { path: 'a' } }], true],
    ['denies by rule in another mode', 'trusted', [{ decision: 'deny', mode: 'auto' }], true],
    ['is a mode that does not exist', 'yolo', [{ decision: 'allow' }], false],
  ])('where permission %s in mode %s', (_, mode, list, expected) => {
    expect(offered(tool, mode, { policies: [rules(list)] })).toBe(expected);
  });

  test('in modes of the user', () => {
    const modes = createModes({ review: { default: 'deny' } });
    expect(offered(tool, 'review', { modes })).toBe(false);
    expect(offered(tool, 'review')).toBe(false);
    expect(offered(tool, 'ask')).toBe(true);
  });

  test('a policy that says nothing of it beforehand may still allow', () => {
    expect(offered(tool, 'plan', { policies: [policy(() => 'allow')] })).toBe(true);
  });

  test.each<[string, Policy['foresee']]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['answers nonsense', () => 'maybe' as never],
  ])('a policy whose foresight %s: not offered', (_, foresee) => {
    const own: Policy = { decide: () => 'allow', foresee: foresee as NonNullable<Policy['foresee']> };
    expect(offered(tool, 'trusted', { policies: [own] })).toBe(false);
  });
});
