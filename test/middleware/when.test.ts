import { describe, expect, it } from 'vitest';
import { when } from '../../middleware/when.ts';
import type { ToolResult } from '../../src/result.ts';
import { guard, repeatable, step, traitsOf, withTraits } from '../../src/traits.ts';
import type { Call, Maybe, Next, Stage } from '../../src/types.ts';
import { chainOf, contextFor } from '../support.ts';

const marking: Stage = async function marking(_ctx: Call, next: Next): Promise<ToolResult> {
  const result = await next();
  return { ...result, meta: { marked: true } };
};
const end: Stage = (ctx: Call): Maybe<ToolResult> => ctx.ok('end');

describe('when', () => {
  it('runs the stage for the calls that fulfil the condition, and only for them', async () => {
    const chain = chainOf([when((ctx) => ctx.call.name === 'a', marking), end]);
    expect((await chain(contextFor('a'))).meta).toEqual({ marked: true });
    expect((await chain(contextFor('b'))).meta).toEqual({});
  });

  it('waits for a condition that has to be looked up', async () => {
    const chain = chainOf([when(async (ctx) => ctx.call.name === 'a', marking), end]);
    expect((await chain(contextFor('a'))).meta).toEqual({ marked: true });
    expect((await chain(contextFor('b'))).meta).toEqual({});
  });

  it('stays synchronous where condition and stage are', () => {
    const passing: Stage = (_ctx: Call, next: Next) => next();
    expect(chainOf([when(() => true, passing), end])(contextFor())).toMatchObject({ data: 'end' });
  });

  it('fails the call when the condition throws', () => {
    const chain = chainOf([
      when(() => {
        throw new Error('no');
      }, marking),
      end,
    ]);
    expect(() => chain(contextFor())).toThrow('no');
  });

  it('runs a step like any other stage', () => {
    const refusing = step((ctx: Call) => ctx.fail('denied', 'No.'));
    const chain = chainOf([when((ctx) => ctx.call.name === 'a', refusing), end]);
    expect(chain(contextFor('a'))).toMatchObject({ ok: false, code: 'denied' });
    expect(chain(contextFor('b'))).toMatchObject({ ok: true });
  });

  it('shows the name of the stage inside', () => {
    expect(when(() => true, marking).name).toBe('when(marking)');
  });

  it('keeps the traits that still hold, and no others', () => {
    const stage = repeatable(
      withTraits((_ctx: Call, next: Next) => next(), { needs: ['tool'], provides: ['fs'], ends: true }),
    );
    expect(traitsOf(when(() => true, stage))).toEqual({ needs: ['tool'], repeats: true });
  });

  it('refuses a stage that adds something, since later stages need it for every call', () => {
    const adding = step(
      function tenant() {
        return { tenant: 'a' };
      },
      { adds: ['tenant'] },
    );
    expect(() => when(() => true, adding as never)).toThrow(/"tenant", which adds tenant/);
  });

  it('refuses a guard, since one that can be skipped guards nothing', () => {
    const guarding = guard(function office(_ctx: Call, next: Next) {
      return next();
    });
    expect(() => when(() => true, guarding as never)).toThrow(/guard "office"/);
  });

  it('refuses what is no condition or no stage', () => {
    expect(() => when(true as never, marking)).toThrow(TypeError);
    expect(() => when(() => true, undefined as never)).toThrow(TypeError);
  });
});
