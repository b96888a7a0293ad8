import { expect, expectTypeOf, test } from 'vitest';
import { budget } from '../../middleware/budget.ts';
import { loopGuard } from '../../middleware/loop-guard.ts';
import { allowAll, permission } from '../../middleware/permission.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import type { ApprovalRequest } from '../../src/policy/approval.ts';
import { memoryIdentities } from '../../src/policy/identities.ts';
import { deny, policy } from '../../src/policy/policy.ts';
import { ruleMemory } from '../../src/policy/rule-memory.ts';
import { rules } from '../../src/policy/rules.ts';
import type { Guard } from '../../src/traits.ts';
import type { Effect, Ready, Stage } from '../../src/types.ts';

test('both are guards that need what lookup and validate add, and add nothing', () => {
  expectTypeOf(permission()).toExtend<Stage<Ready> & Guard>();
  expectTypeOf(allowAll()).toExtend<Stage<Ready> & Guard>();
});

test('an approver is shown a typed request and answers in one of the known forms', () => {
  permission({
    approve: async (request, { signal }) => {
      expectTypeOf(request).toEqualTypeOf<ApprovalRequest>();
      expectTypeOf(request.effects).toEqualTypeOf<readonly Effect[]>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return { decision: 'allow', arguments: { path: 'a' } };
    },
  });
  permission({ approve: () => false });
  permission({ approve: async () => undefined });
  permission({
    approve: () => ({ decision: 'allow', always: { scope: 'project' } }),
    remember: ruleMemory('rules.json'),
  });
  // @ts-expect-error a scope that does not exist
  permission({ approve: () => ({ decision: 'allow', always: { scope: 'ever' } }) });
  // @ts-expect-error always is for the call as it was shown
  permission({ approve: () => ({ decision: 'allow', always: { scope: 'run' }, arguments: {} }) });
  // @ts-expect-error an answer that is none
  permission({ approve: () => 'yes' });
  permission({
    approve: (request) => {
      // @ts-expect-error what is shown cannot be changed
      request.tool = 'x';
      return true;
    },
  });
});

test('rules, modes and options that do not exist do not compile', () => {
  permission({
    rules: [{ decision: 'deny', tool: 'a', effects: { kind: 'fs.write', path: '**/x' } }],
    modes: { mine: { default: 'ask' } },
  });
  // @ts-expect-error a mistyped option
  permission({ rule: [] });
  // @ts-expect-error a decision that does not exist
  rules([{ decision: 'forbid' }]);
  // @ts-expect-error a mistyped condition
  rules([{ decision: 'deny', tools: 'a' }]);
  // @ts-expect-error an effect that does not exist
  rules([{ decision: 'deny', effects: { kind: 'fs.delete' } }]);
  // @ts-expect-error a mode needs a default
  permission({ modes: { mine: { read: 'allow' } } });
});

test('what the first use of a tool from elsewhere means must be said', () => {
  permission({ identities: { store: memoryIdentities(), firstUse: 'ask' } });
  // @ts-expect-error it is not said
  permission({ identities: { store: memoryIdentities() } });
});

test('budget and loop guard are guards, and have their places in the types too', () => {
  defaultPipeline()
    .after('permission', 'budget', budget({ calls: 1 }))
    .before('permission', 'loops', loopGuard());
  // @ts-expect-error a guard cannot be left out
  expect(() => defaultPipeline().after('permission', 'budget', budget({})).without('budget')).toThrow();
  // @ts-expect-error before there is a tool
  expect(() => defaultPipeline().before('lookup', 'budget', budget({}))).toThrow();
});

test('a policy gives a verdict, now or later, or has no opinion', () => {
  policy(({ tool }) => (tool.permission === 'write' ? deny('no') : undefined));
  policy(async ({ mode }) => (mode === 'plan' ? 'deny' : 'ask'));
  // @ts-expect-error true is no verdict
  policy(() => true);
});
