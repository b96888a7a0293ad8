import { describe, expect, test } from 'vitest';
import * as middleware from '../middleware/index.ts';
import { pipeline } from '../src/pipeline.ts';
import { faults } from '../src/testing/faults.ts';
import { type AnyStage, finish, guard, repeatable, step, traitsOf, withTraits } from '../src/traits.ts';
import type { Stage } from '../src/types.ts';

const pass: Stage = (_, next) => next();
const named = (name: string): Stage => {
  const stage: Stage = (_, next) => next();
  return Object.defineProperty(stage, 'name', { value: name });
};

// biome-ignore lint/suspicious/noExplicitAny: these tests are JavaScript users, whom no type holds back
const untyped = (): any => pipeline();

describe('editing', () => {
  const three = pipeline().use('a', pass).use('b', pass).use('c', pass);

  test('use appends, and the first is outermost', () => {
    expect(three.names).toEqual(['a', 'b', 'c']);
  });

  test('before and after put the newest nearest its anchor', () => {
    expect(three.before('b', 'p', pass).before('b', 'q', pass).names).toEqual(['a', 'p', 'q', 'b', 'c']);
    expect(three.after('b', 'p', pass).after('b', 'q', pass).names).toEqual(['a', 'b', 'q', 'p', 'c']);
  });

  test('replace keeps the place', () => {
    const other = named('other');
    const edited = three.replace('b', other);
    expect(edited.names).toEqual(['a', 'b', 'c']);
    expect(edited.entries[1]?.stage).toBe(other);
  });

  test('without takes out', () => {
    expect(three.without('b').names).toEqual(['a', 'c']);
  });

  test('every edit leaves the pipeline it was made from as it was, and everything is frozen', () => {
    const before = three.names;
    three.use('d', pass);
    three.without('a');
    expect(three.names).toBe(before);
    expect(three.names).toEqual(['a', 'b', 'c']);
    expect(() => (three.names as string[]).push('x')).toThrow(TypeError);
    expect(() => (three.entries as unknown[]).pop()).toThrow(TypeError);
    expect(() => Object.assign(three, { names: [] })).toThrow(TypeError);
  });
});

describe('mistakes throw at once and list the names there are', () => {
  const two = () => untyped().use('lookup', pass).use('guard', pass);

  test.each([
    ['an unknown anchor of before', () => two().before('gaurd', 'x', pass)],
    ['an unknown anchor of after', () => two().after('gaurd', 'x', pass)],
    ['a missing target of replace', () => two().replace('gaurd', pass)],
    ['a missing target of without', () => two().without('gaurd')],
  ])('%s', (_, edit) => {
    expect(edit).toThrow('There is no stage "gaurd" here. The stages are: lookup, guard.');
  });

  test('a name used twice', () => {
    expect(() => two().use('guard', pass)).toThrow('"guard" is taken');
    expect(() => two().before('lookup', 'guard', pass)).toThrow('"guard" is taken');
  });

  test.each([undefined, null, {}, 'lookup'])('a stage that is %j', (stage) => {
    expect(() => two().use('x', stage)).toThrow('Stage "x" must be a function');
  });

  test.each(['', undefined, 3])('a name that is %j', (name) => {
    expect(() => two().use(name, pass)).toThrow('needs a name');
  });
});

describe('orders that cannot work or are not safe', () => {
  const finds = step(() => ({ tool: {} }), { adds: ['tool'] });
  const needsTool = step(() => undefined, { needs: ['tool'] });
  const judges = guard(step(() => undefined));
  const provides = guard(
    step(() => undefined),
    { provides: ['fs'], rewrites: true },
  );
  const rewrites = step(() => ({ args: {} }), { rewrites: true });
  const ends = withTraits<AnyStage>((ctx) => ctx.ok(1), { ends: true });

  test('a stage before what it needs', () => {
    expect(() => untyped().use('a', needsTool)).toThrow('"a" needs "tool", which no stage before it adds');
    expect(() => untyped().use('a', finds).use('b', needsTool).before('a', 'early', needsTool)).toThrow(
      '"early" needs',
    );
    expect(() => untyped().use('a', finds).use('b', needsTool).without('a')).toThrow('"b" needs "tool"');
  });

  test('a bare function may have added what is needed: only the types can tell', () => {
    expect(untyped().use('own', pass).use('b', needsTool).names).toEqual(['own', 'b']);
    expect(() =>
      untyped()
        .use(
          'out',
          finish((ctx) => ctx.ok(1)),
        )
        .use('b', needsTool),
    ).toThrow('needs "tool"');
  });

  test('a stage after one that answers every call', () => {
    expect(() => untyped().use('execute', ends).use('late', pass)).toThrow('"late" would never run');
  });

  test('a guard cannot be left out, only replaced', () => {
    const guarded = untyped().use('permission', judges).use('b', pass);
    expect(() => guarded.without('permission')).toThrow("replace('permission', allowAll())");
    expect(() => guarded.replace('permission', pass)).toThrow('what replaces it must be one: write guard(stage)');
    expect(guarded.replace('permission', guard(named('mine'))).names).toEqual(['permission', 'b']);
  });

  test('arguments are not rewritten after a guard has judged them', () => {
    expect(() => untyped().use('permission', judges).use('repair', rewrites)).toThrow('"repair" rewrites arguments');
    expect(() => untyped().use('pathGuard', provides).use('repair', rewrites)).toThrow('"repair" rewrites arguments');
    expect(untyped().use('repair', rewrites).use('permission', judges).names).toEqual(['repair', 'permission']);
  });

  test('a guard that finds out what a call means stands before the one that judges it', () => {
    expect(untyped().use('pathGuard', provides).use('urlGuard', provides).use('permission', judges).names).toHaveLength(
      3,
    );
    expect(() => untyped().use('permission', judges).use('pathGuard', provides)).toThrow('must stand before the guard');
  });

  test('a cache stands inside the guards, and so does a retry', () => {
    const stores = withTraits(named('cache'), { stores: true });
    expect(() => untyped().use('cache', stores).use('permission', judges)).toThrow('answer what the guard refuses');
    const retry = repeatable(named('retry'));
    expect(() => untyped().use('retry', retry).use('permission', judges)).toThrow('asked for again with every attempt');
    expect(untyped().use('permission', judges).use('retry', retry).use('cache', stores).names).toHaveLength(3);
  });
});

describe('what is meant for a stage', () => {
  const factories = Object.entries({ ...middleware, faults }).filter(([, made]) => typeof made === 'function');

  test.each(factories)('%s is refused where it was not called', (name, factory) => {
    const message = `itself, which makes stages and was not called: write ${name}()`;
    expect(() => untyped().use('own', factory)).toThrow(`Stage "own" is ${name} ${message}`);
    expect(() => untyped().use('own', pass).replace('own', factory)).toThrow(message);
    expect(() =>
      untyped()
        .use('own', guard(named('own')))
        .replace('own', factory),
    ).toThrow(message);
    expect(() => middleware.when(() => true, factory as never)).toThrow(message);
    expect(() => withTraits(factory as never, { guard: true })).toThrow(message);
  });

  test('a trait that nobody knows, or of another kind, is refused', () => {
    const given = (traits: object) => () => withTraits(named('own'), traits);
    expect(given({ store: true })).toThrow(/"store".* Did you mean stores\?/);
    expect(given({ stores: 'no' })).toThrow('withTraits({ stores }) must be true or false');
    expect(given({ needs: 'tool' })).toThrow('withTraits({ needs }) must be a list of texts');
    expect(() => guard(named('own'), { provide: ['fs'] } as never)).toThrow('Did you mean provides?');
  });

  test('a trait that is undefined takes nothing back', () => {
    const judges = guard(named('judges'), { needs: ['tool'] });
    withTraits(judges, { guard: undefined, needs: undefined } as never);
    expect(traitsOf(judges)).toMatchObject({ guard: true, needs: ['tool'] });
  });
});

test('describe says of a function without a name which form it has', () => {
  const stages = untyped()
    .use(
      'a',
      step(() => undefined),
    )
    .use(
      'b',
      finish((ctx) => ctx.ok(1)),
    )
    .use('c', (_: unknown, next: () => unknown) => next());
  const described = stages.describe().map(({ stage }: { stage: string }) => stage);
  expect(described).toEqual(['(anonymous step)', '(anonymous finish)', '(anonymous)']);
});

test('describe shows what runs, in which order, and what each stage is', () => {
  const look = step(
    function lookup() {
      return { tool: {} };
    },
    { adds: ['tool'] },
  );
  const ask = guard(
    step(function permission() {}, { needs: ['tool'] }),
    { provides: ['fs'] },
  );
  expect(untyped().use('lookup', look).use('permission', ask).describe()).toEqual([
    { name: 'lookup', stage: 'lookup', needs: [], adds: ['tool'], traits: [] },
    { name: 'permission', stage: 'permission', needs: ['tool'], adds: [], traits: ['guard', 'provides fs'] },
  ]);
});
