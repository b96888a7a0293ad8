import { describe, expect, test } from 'vitest';
import { urlGuard } from '../../middleware/url-guard.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { compose } from '../../src/chain/compose.ts';
import type { ToolResult } from '../../src/result.ts';
import { createRouter } from '../../src/router.ts';
import type { Tool } from '../../src/tool.ts';
import { finish, repeatable, step, withTraits } from '../../src/traits.ts';
import type { Call, Stage } from '../../src/types.ts';
import { chainOf, contextFor } from '../support.ts';

const end: Stage = (ctx) => ctx.ok('end');

describe('order', () => {
  test('the first stage is outermost, on the way in and on the way out', async () => {
    const seen: string[] = [];
    const layer =
      (name: string): Stage =>
      async (_, next) => {
        seen.push(`> ${name}`);
        const result = await next();
        seen.push(`< ${name}`);
        return result;
      };
    await chainOf([layer('a'), layer('b'), layer('c'), end])(contextFor());
    expect(seen).toEqual(['> a', '> b', '> c', '< c', '< b', '< a']);
  });

  test('steps, finishing stages and plain stages keep their places among each other', () => {
    const seen: string[] = [];
    const look = (name: string) => step(() => void seen.push(name));
    const out = (name: string) =>
      finish((_, outcome) => {
        seen.push(name);
        return outcome as ToolResult;
      });
    const plain = (name: string): Stage => {
      return (_, next) => {
        seen.push(name);
        return next();
      };
    };
    chainOf([look('1'), look('2'), out('6'), plain('3'), look('4'), out('5'), end])(contextFor());
    expect(seen).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('a chain of synchronous stages gives its answer without a promise', () => {
    const result = chainOf([(_, next) => next(), step(() => undefined), end])(contextFor());
    expect(result).toMatchObject({ ok: true, data: 'end', call_id: 'c1', tool_name: 'echo' });
  });
});

describe('additions', () => {
  test('what a stage hands to next() is on the context of those after it', () => {
    const adds: Stage<Call, { tenant: string }> = (_, next) => next({ tenant: 'acme' });
    const chain = chainOf([adds, step((ctx: Call & { tenant: string }) => ({ twice: ctx.tenant + ctx.tenant })), end]);
    const ctx = contextFor();
    chain(ctx);
    expect(ctx).toMatchObject({ tenant: 'acme', twice: 'acmeacme' });
  });

  test('an asynchronous step adds, answers or lets pass like any other', async () => {
    const chain = chainOf([
      step(async () => ({ tenant: 'acme' })),
      step(async () => undefined),
      step(async (ctx: Call & { tenant?: string }) =>
        ctx.tenant === 'acme' ? ctx.fail('denied', 'not acme') : undefined,
      ),
      end,
    ]);
    expect(await chain(contextFor())).toMatchObject({ ok: false, code: 'denied', error: 'not acme', effect: 'none' });
  });

  test('adding something called signal or ok cannot replace what the context is', () => {
    const chain = chainOf([step(() => ({ signal: 'mine' })), end]);
    expect(() => chain(contextFor())).toThrow(TypeError);
  });
});

describe('steps that concern certain tools', () => {
  const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
    name,
    description: name,
    parameters: { type: 'object' },
    handler: () => name,
    ...more,
  });
  const files = tool('files', { paths: { '/path': 'read' } });
  const plain = tool('plain');
  const other = tool('other');

  function watched(): { readonly chain: Chain; readonly seen: string[]; readonly asked: string[] } {
    const seen: string[] = [];
    const asked: string[] = [];
    const find = step((ctx: Call) => ({ tool: ctx.registry.get(ctx.call.name) }));
    const always = step((ctx: Call) => void seen.push(`always ${ctx.call.name}`));
    const guarding = step((ctx: Call) => void seen.push(`paths ${ctx.call.name}`), {
      concerns: ({ name, paths }) => {
        asked.push(name);
        return paths !== undefined;
      },
    });
    return { chain: chainOf([find, always, guarding, end]), seen, asked };
  }

  test('are run for those and no others, and asked once a tool', () => {
    const { chain, seen, asked } = watched();
    for (const { name } of [files, plain, other, files, plain]) {
      expect(chain(contextFor(name, {}, [files, plain, other]))).toMatchObject({ ok: true });
    }
    expect(seen).toEqual([
      'always files',
      'paths files',
      'always plain',
      'always other',
      'always files',
      'paths files',
      'always plain',
    ]);
    expect(asked).toEqual(['files', 'plain', 'other']);
  });

  test('are run where no tool is known, and where they do not say', () => {
    const { chain, seen } = watched();
    chain(contextFor('missing'));
    expect(seen).toEqual(['always missing', 'paths missing']);
    const unsure = step(() => ({ ran: true }), { concerns: (() => undefined) as unknown as () => boolean });
    const ctx = contextFor('plain', {}, [plain]);
    chainOf([step(() => ({ tool: plain })), unsure, end])(ctx);
    expect(ctx).toMatchObject({ ran: true });
  });

  test.each([true, false])(
    'are chosen anew when a step puts another tool in the place of the first (later: %s)',
    async (later) => {
      const seen: string[] = [];
      const find = step((ctx: Call) => ({ tool: ctx.registry.get(ctx.call.name) }));
      const about = (what: string, wanted: Tool) =>
        step(() => void seen.push(what), { concerns: (asked) => asked === wanted });
      const swap = step(() => (later ? Promise.resolve({ tool: other }) : { tool: other }));
      const stages = [find, about('a', plain), about('b', other), swap, about('c', plain), about('d', other), end];
      const chain = chainOf(stages);
      for (let round = 0; round < 2; round++)
        expect(await chain(contextFor('plain', {}, [plain]))).toMatchObject({ ok: true });
      expect(seen).toEqual(['a', 'd', 'a', 'd']);
    },
  );

  test('are told apart, whatever they are called', () => {
    const seen: string[] = [];
    const about = (name: string) =>
      step(() => void seen.push(name), { concerns: (asked) => asked.name === 'both' || asked.name === name });
    const stages = [about('plain'), about('other')];
    for (const names of [
      ['same', 'same'],
      ['a', 'a,a'],
    ] as const) {
      const find = step((ctx: Call) => ({ tool: ctx.registry.get(ctx.call.name) }));
      const entries = [find, ...stages, end].map((stage, at) => ({ name: names[at - 1] ?? `s${at}`, stage }));
      const chain = compose(entries);
      for (const each of [plain, other, tool('both')]) chain(contextFor(each.name, {}, [each]));
    }
    expect(seen).toEqual(['plain', 'other', 'plain', 'other', 'plain', 'other', 'plain', 'other']);
  });

  test('a tool that is changed behind the back of a guard does not run unguarded', async () => {
    const changed = tool('changed');
    const router = createRouter({ tools: [changed], mode: 'trusted', roots: [import.meta.dirname] });
    expect(await router.call({ id: 'c1', name: 'changed', arguments: {} })).toMatchObject({ ok: true });
    (changed as { paths?: Tool['paths'] }).paths = { '/path': 'read' };
    expect(await router.call({ id: 'c2', name: 'changed', arguments: { path: '/etc/passwd' } })).toMatchObject({
      code: 'internal',
      effect: 'none',
    });
  });

  test('what a guard says of itself is not said by others', () => {
    expect(() => withTraits(urlGuard(), { concerns: () => false })).toThrow('is a guard: which tools it concerns');
  });
});

describe('mistakes', () => {
  test('a second next() fails and names the stage, whether or not it waited for the first', async () => {
    const twice: Stage = (_, next) => {
      next();
      return next();
    };
    expect(() => chainOf([twice, end])(contextFor())).toThrow('Stage "twice" called next() twice.');
    const again: Stage = async (_, next) => {
      await next();
      return next();
    };
    await expect(chainOf([again, end])(contextFor())).rejects.toThrow('Stage "again" called next() twice.');
  });

  test('a stage that answers nothing fails, and is never a pass', () => {
    const silent = (() => undefined) as unknown as Stage;
    expect(() => chainOf([silent, end])(contextFor())).toThrow('answered nothing');
  });

  test.each([true, false, 0, 'yes', null])('a step that returns %j fails, and is never a pass', (value) => {
    const odd = step((() => value) as unknown as () => undefined);
    expect(() => chainOf([odd, end])(contextFor())).toThrow(`returned ${value}`);
  });

  test('calling next() in the last stage says that there is nothing after it', () => {
    const last: Stage = (_, next) => next();
    expect(() => chainOf([last])(contextFor())).toThrow('it is the last');
  });

  test('strict names the asynchronous stage that answers nothing', async () => {
    const forgets = (async (_: Call, next: () => unknown) => {
      await next();
    }) as unknown as Stage;
    await expect(chainOf([forgets, end], { strict: true })(contextFor())).rejects.toThrow(
      'Stage "forgets" answered nothing',
    );
  });

  test('strict names the stage that succeeds before its own next() has settled', async () => {
    const never: Stage = () => new Promise(() => {});
    const hasty: Stage = async (ctx, next) => {
      void next();
      return ctx.ok('already');
    };
    await expect(chainOf([hasty, never], { strict: true })(contextFor())).rejects.toThrow('before its own next()');
    const hastySync: Stage = (ctx, next) => {
      void next();
      return ctx.ok('already');
    };
    expect(() => chainOf([hastySync, never], { strict: true })(contextFor())).toThrow('before its own next()');
  });

  test('strict lets a stage fail before its own next() has settled, as a timeout does', async () => {
    const never: Stage = () => new Promise(() => {});
    const impatient: Stage = async (ctx, next) => {
      void next();
      return ctx.fail('timeout', 'too slow');
    };
    expect(await chainOf([impatient, never], { strict: true })(contextFor())).toMatchObject({ code: 'timeout' });
  });
});

describe('finish', () => {
  test('sees a result, and whatever was thrown or rejected', async () => {
    const seen: unknown[] = [];
    const keeper = finish((ctx, outcome, threw) => {
      seen.push([outcome, threw]);
      return ctx.ok('kept');
    });
    const fault = new Error('fault');
    const throws: Stage = () => {
      throw fault;
    };
    const rejects: Stage = async () => {
      throw fault;
    };
    expect(chainOf([keeper, throws])(contextFor())).toMatchObject({ data: 'kept' });
    expect(await chainOf([keeper, rejects])(contextFor())).toMatchObject({ data: 'kept' });
    expect(seen).toEqual([
      [fault, true],
      [fault, true],
    ]);
  });

  test('as a plain function behaves as in a chain', async () => {
    const keeper = finish((ctx, _, threw) => ctx.ok(threw));
    const ctx = contextFor();
    expect(keeper(ctx, () => ctx.ok(1))).toMatchObject({ data: false });
    expect(await keeper(ctx, async () => Promise.reject(new Error('x')))).toMatchObject({ data: true });
  });
});

describe('repeatable', () => {
  test('gives every attempt a fork: own signal, nothing of the last one', async () => {
    const signals: AbortSignal[] = [];
    const tries: unknown[] = [];
    const retry = repeatable<Stage>(async (_, next) => {
      await next();
      return next();
    });
    const attempt: Stage<Call & { mark?: number }> = async (ctx) => {
      tries.push(ctx.mark);
      Object.assign(ctx, { mark: tries.length });
      signals.push(ctx.signal);
      ctx.abort('spoiled');
      return ctx.ok(tries.length);
    };
    const ctx = contextFor();
    expect(await chainOf([retry, attempt])(ctx)).toMatchObject({ data: 2 });
    expect(tries).toEqual([undefined, undefined]);
    expect(signals[0]).not.toBe(signals[1]);
    expect(ctx.aborted).toBe(false);
  });

  test('hands an abort of the call on to the attempt under way', async () => {
    let seen: AbortSignal | undefined;
    const once = repeatable<Stage>((_, next) => next());
    const waits: Stage = (ctx) => {
      seen = ctx.signal;
      return new Promise((resolve) => ctx.onAbort((reason) => resolve(ctx.fail('aborted', String(reason)))));
    };
    const ctx = contextFor();
    const answer = chainOf([once, waits])(ctx);
    ctx.abort('enough');
    expect(await answer).toMatchObject({ code: 'aborted', error: 'enough' });
    expect(seen?.aborted).toBe(true);
  });

  test('an attempt that began a handler makes the effect of the whole call unknown', async () => {
    const once = repeatable<Stage>((_, next) => next());
    const begins: Stage = (ctx) => {
      ctx.began();
      ctx.ended();
      throw new Error('x');
    };
    const ctx = contextFor();
    expect(() => chainOf([once, begins])(ctx)).toThrow('x');
    expect(ctx.fail('internal', 'after').effect).toBe('unknown');
  });
});
