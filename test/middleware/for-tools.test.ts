import { describe, expect, it } from 'vitest';
import { forTools } from '../../middleware/for-tools.ts';
import type { ToolResult } from '../../src/result.ts';
import { guard, step, traitsOf, withTraits } from '../../src/traits.ts';
import type { Call, Maybe, Next, Stage } from '../../src/types.ts';
import { chainOf, contextFor } from '../support.ts';

const refusing: Stage = withTraits(
  function refusing(ctx: Call): Maybe<ToolResult> {
    return ctx.fail('denied', 'No.');
  },
  { needs: ['tool'] },
);
const end: Stage = (ctx: Call): Maybe<ToolResult> => ctx.ok('end');

describe('forTools', () => {
  const rows: [globs: string | string[], name: string, matches: boolean][] = [
    ['echo', 'echo', true],
    ['echo', 'echo2', false],
    ['Echo', 'echo', false],
    ['search_*', 'search_notes', true],
    ['search_*', 'research_notes', false],
    ['*', 'echo', true],
    ['*', 'files/read', false],
    ['files/*', 'files/read', true],
    ['files/*', 'files/a/b', false],
    ['files/**', 'files/a/b', true],
    ['**', 'files/a/b', true],
    ['*', '.hidden', true],
    ['{read,write}_file', 'write_file', true],
    [['echo', 'files/*'], 'files/read', true],
    [['echo', 'files/*'], 'add', false],
    ['!echo', 'add', false],
    ['#echo', 'echo', false],
    ['a.b', 'axb', false],
    ['*', 'x'.repeat(100_000), true],
  ];

  it.each(rows)('takes %j for %j: %s', (globs, name, matches) => {
    const chain = chainOf([forTools(globs, refusing), end]);
    expect(chain(contextFor(name))).toMatchObject({ ok: !matches });
    expect(chain(contextFor(name))).toMatchObject({ ok: !matches });
  });

  it("goes by the tool's own name once it is known, so that an alias is no way around", () => {
    const ctx = contextFor('alias');
    ctx.tool = { name: 'echo', description: '', parameters: {}, handler: () => 1 };
    expect(chainOf([forTools('echo', refusing), end])(ctx)).toMatchObject({ ok: false });
    expect(chainOf([forTools('alias', refusing), end])(ctx)).toMatchObject({ ok: true });
  });

  it('remembers no more names than it can hold', () => {
    const chain = chainOf([forTools('a*', refusing), end]);
    for (let at = 0; at < 3_000; at += 1) {
      expect(chain(contextFor(`${at % 2 ? 'a' : 'b'}${at}`))).toMatchObject({ ok: at % 2 === 0 });
    }
  });

  it('shows the name of the stage inside, and keeps its traits', () => {
    const stage = forTools('*', refusing);
    expect(stage.name).toBe('forTools(refusing)');
    expect(traitsOf(stage)).toEqual({ needs: ['tool'] });
  });

  it('refuses a stage that adds something, and a guard', () => {
    const adding = step(() => ({ tenant: 'a' }), { adds: ['tenant'] });
    expect(() => forTools('*', adding as never)).toThrow(/adds tenant/);
    expect(() => forTools('*', guard((_ctx: Call, next: Next) => next()) as never)).toThrow(/guard/);
  });

  it.each([[], '', [''], [1], undefined, 'x'.repeat(70_000)])('refuses %j for globs', (globs) => {
    expect(() => forTools(globs as never, refusing)).toThrow(TypeError);
  });
});
