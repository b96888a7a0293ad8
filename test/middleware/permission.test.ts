import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowAll, type PermissionOptions, permission } from '../../middleware/permission.ts';
import { deny, policy } from '../../src/policy/policy.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { causeOf, type Failure } from '../../src/result.ts';
import { traitsOf } from '../../src/traits.ts';
import { look, readyFor, type Situation, toolOf } from '../policy/stand-in.ts';

const decide = (options: PermissionOptions, situation: Situation = {}) =>
  look(permission(options), readyFor(situation)) as Failure | undefined;

describe('permission by mode', () => {
  test.each([
    ['plan', 'read', undefined],
    ['plan', 'write', 'denied'],
    ['plan', undefined, 'denied'],
    ['auto', 'write', undefined],
    ['trusted', 'dangerous', undefined],
    ['trusted', undefined, undefined],
  ])('mode %s, level %s: %s', (mode, level, code) => {
    const tool = toolOf(level === undefined ? {} : { permission: level });
    expect(decide({}, { mode, tool })?.code).toBe(code);
  });

  test('a denial says which mode it was, what to do, and that nothing happened', () => {
    const failure = decide({}, { mode: 'plan', tool: toolOf({ permission: 'write' }) });
    expect(failure).toMatchObject({
      ok: false,
      code: 'denied',
      retryable: false,
      effect: 'none',
      details: { reason: 'policy', rule: 'mode plan' },
    });
    expect(failure?.error).toContain('mode "plan" does not allow tools of level "write"');
    expect(failure?.error).toContain('Do not repeat the call');
  });

  test.each(['yolo', '', '__proto__', 'Trusted'])('a mode that does not exist denies everything: %j', (mode) => {
    for (const options of [{}, { rules: [{ decision: 'allow' }] satisfies Rule[] }]) {
      expect(decide(options, { mode, tool: toolOf({ permission: 'read' }) })).toMatchObject({
        code: 'denied',
        details: { reason: 'unknown_mode' },
      });
    }
  });

  test('the mode is that of the call, so it can be changed at run time', () => {
    const stage = permission();
    const tool = toolOf({ permission: 'write' });
    expect(look(stage, readyFor({ tool, mode: 'auto' }))).toBeUndefined();
    expect(look(stage, readyFor({ tool, mode: 'plan' }))).toMatchObject({ code: 'denied' });
  });

  test('own modes', () => {
    const options = { modes: { review: { deploy: 'deny', default: 'allow' } } } as const;
    expect(decide(options, { mode: 'review', tool: toolOf({ permission: 'deploy' }) })?.code).toBe('denied');
    expect(decide(options, { mode: 'review' })).toBeUndefined();
  });
});

describe('permission by rule', () => {
  test.each(['plan', 'ask', 'auto', 'trusted'])('a deny holds in mode %s', (mode) => {
    const failure = decide({ rules: [{ decision: 'deny', reason: 'frozen' }, { decision: 'allow' }] }, { mode });
    expect(failure).toMatchObject({ code: 'denied', details: { reason: 'policy', rule: 'rule 0' } });
    expect(failure?.error).toContain('Denied: frozen.');
  });

  test('an allow stands in for the mode', () => {
    expect(decide({ rules: [{ decision: 'allow' }] }, { mode: 'plan' })).toBeUndefined();
  });

  test('no opinion leaves it to the mode', () => {
    const rules: Rule[] = [{ decision: 'allow', tool: 'other' }];
    expect(decide({ rules }, { mode: 'plan' })?.code).toBe('denied');
    expect(decide({ rules }, { mode: 'trusted' })).toBeUndefined();
  });

  test('rules and policies count together', () => {
    const options: PermissionOptions = {
      rules: [{ decision: 'allow' }],
      policies: [
        policy(() => undefined),
        policy(function night() {
          return deny('at night');
        }),
      ],
    };
    expect(decide(options)).toMatchObject({ code: 'denied', details: { rule: 'night' } });
  });

  test('a policy that throws has denied; its error stays private', () => {
    const error = new Error('token abc');
    const failure = decide(
      {
        policies: [
          policy(() => {
            throw error;
          }),
        ],
      },
      { mode: 'trusted' },
    ) as Failure;
    expect(failure.code).toBe('denied');
    expect(JSON.stringify(failure)).not.toContain('abc');
    expect(causeOf(failure)).toBe(error);
  });

  test('a rule that cannot read the arguments asks, and never lets pass what the mode denies', () => {
    const rules: Rule[] = [{ decision: 'deny', arguments: { command: { command: ['rm'] } } }];
    const args = { command: 'ls > head' };
    expect(decide({ rules }, { args, mode: 'plan' })?.code).toBe('denied');
    return expect(decide({ rules }, { args, mode: 'trusted' })).resolves.toMatchObject({ code: 'approval_required' });
  });

  test('one more deny never loosens a verdict, in any mode', async () => {
    const condition = fc.constantFrom<Partial<Rule>>(
      {},
      { tool: 'other' },
      { arguments: { path: { path: 'src/**' } } },
      { arguments: { command: { command: ['rm'] } } },
      { effects: { kind: 'fs.write' } },
    );
    const rule = (decision: fc.Arbitrary<Rule['decision']>) =>
      fc.tuple(decision, condition).map(([one, conditions]): Rule => ({ decision: one, ...conditions }));
    const order = [undefined, 'approval_required', 'denied'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule(fc.constantFrom('allow', 'ask', 'deny')), { maxLength: 5 }),
        rule(fc.constant('deny')),
        fc.constantFrom('plan', 'ask', 'auto', 'trusted'),
        fc.record({
          path: fc.constantFrom('src/a', '../a', 1),
          command: fc.constantFrom('ls', 'rm x', 'ls | rm', 'l|s'),
        }),
        async (rules, more, mode, args) => {
          const before = (await decide({ rules }, { mode, args }))?.code;
          const after = (await decide({ rules: [...rules, more] }, { mode, args }))?.code;
          expect(order.indexOf(after)).toBeGreaterThanOrEqual(order.indexOf(before));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('arguments that change while they are being judged are denied', async () => {
    const args = { path: 'a.txt' };
    const slow = policy(async () => 'allow' as const);
    const answer = decide({ policies: [slow] }, { args });
    args.path = '.env';
    expect(await answer).toMatchObject({ code: 'denied' });
    expect((await answer)?.error).toContain('changed while it was being judged');
  });

  test('what has no canonical form can be judged by code as well', async () => {
    const slow = policy(async () => 'allow' as const);
    expect(await decide({ policies: [slow] }, { args: { at: new Map() } })).toBeUndefined();
  });
});

describe('on the way of calls that need nothing', () => {
  test('it makes no promise and reads no signal', () => {
    const ctx = readyFor({ mode: 'trusted' });
    Object.defineProperty(ctx, 'signal', { get: () => expect.fail('the signal was read') });
    expect(look(permission(), ctx)).toBeUndefined();
    expect(look(permission({ rules: [{ decision: 'allow' }], approve: () => true }), ctx)).toBeUndefined();
    expect(look(permission({ rules: [{ decision: 'deny' }] }), ctx)).toMatchObject({ code: 'denied' });
  });
});

describe('the stage', () => {
  test.each([
    ['permission', permission()],
    ['allowAll', allowAll()],
  ])('%s is a guard and a step, and says what it needs', (_, stage) => {
    expect(traitsOf(stage)).toMatchObject({ guard: true, needs: ['tool', 'args'], step: expect.any(Function) });
    expect(traitsOf(stage).adds).toBeUndefined();
  });

  test('goes by its factory’s name', () => {
    expect([permission().name, allowAll().name]).toEqual(['permission', 'allowAll']);
  });

  test('allowAll lets everything through', () => {
    expect(look(allowAll(), readyFor({ mode: 'plan' }))).toBeUndefined();
  });

  test('knows what is worth offering', () => {
    const { offers } = permission({ rules: [{ decision: 'deny', tool: 'rm' }] });
    expect([offers(toolOf({ name: 'rm' }), 'trusted'), offers(toolOf(), 'trusted'), offers(toolOf(), 'plan')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(allowAll().offers(toolOf(), 'plan')).toBe(true);
  });
});

describe('misuse is refused when the stage is made', () => {
  test.each<[string, unknown, string]>([
    ['a mistyped option', { aprove: () => true }, 'permission() has no option "aprove"'],
    ['an approver that is no function', { approve: true }, 'permission({ approve }) must be a function'],
    ['a rule that is not well-formed', { rules: [{ decision: 'no' }] }, 'Rule 0: decision'],
    ['a bare function as a policy', { policies: [() => 'allow'] }, 'policies[0] is no policy; wrap a function'],
    ['policies that are no list', { policies: 5 }, 'must be a list of policies'],
    ['a mode without default', { modes: { mine: {} } }, 'Mode "mine" needs a table'],
    ['no time to decide', { decideTimeout: 0 }, 'permission({ decideTimeout })'],
    ['endless time to decide', { decideTimeout: Number.POSITIVE_INFINITY }, 'needs a limit'],
    ['a negative time to answer', { approveTimeout: -1 }, 'permission({ approveTimeout })'],
    ['NaN', { approveTimeout: Number.NaN }, 'permission({ approveTimeout })'],
    ['a clock that is none', { clock: Date }, 'permission({ clock }) must be a clock'],
    ['a store that is none', { approvals: { save() {}, load() {} } }, 'must be a store with save, load and use'],
    ['no options', null, 'takes an object of options'],
  ])('%s', (_, options, message) => {
    expect(() => permission(options as PermissionOptions)).toThrow(TypeError);
    expect(() => permission(options as PermissionOptions)).toThrow(message);
  });
});
