import { describe, expect, test } from 'vitest';
import { type LoopGuardOptions, loopGuard } from '../../middleware/loop-guard.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError } from '../../src/errors.ts';
import { createRouter } from '../../src/router.ts';
import type { RouterOptions } from '../../src/router-options.ts';
import type { Tool } from '../../src/tool.ts';

/** A tool that answers what the test says. */
function scripted(name: string, answer: (n: number) => unknown, over: Partial<Tool> = {}): Tool {
  let n = 0;
  return {
    ...defineTool({
      name,
      description: name,
      parameters: { type: 'object' },
      permission: 'read',
      handler: () => answer(n++),
    }),
    ...over,
  };
}

function routerWith(tools: Tool[], options: LoopGuardOptions = {}, more: object = {}) {
  const pipeline = defaultPipeline(more).before('permission', 'loopGuard', loopGuard(options));
  return createRouter({ tools, pipeline, mode: 'trusted' } as RouterOptions);
}

/** What becomes of these calls, one after another: `ok`, or the code. */
async function outcomes(router: ReturnType<typeof createRouter>, calls: string[]): Promise<string[]> {
  const all: string[] = [];
  for (const text of calls) {
    const [name = '', args = '{}'] = text.split(' ');
    const result = await router.call({ name, arguments: args });
    all.push(result.ok ? 'ok' : result.code);
  }
  return all;
}

describe('loopGuard', () => {
  test('stops a call that gave the same three times, and says what to do', async () => {
    const router = routerWith([scripted('look', () => ({ found: [] }))]);
    expect(await outcomes(router, ['look', 'look', 'look', 'look', 'look'])).toEqual([
      'ok',
      'ok',
      'ok',
      'denied',
      'denied',
    ]);
    expect(await router.call({ name: 'look' })).toMatchObject({
      code: 'denied',
      retryable: false,
      effect: 'none',
      error: expect.stringMatching(/same result 3 times.*change the arguments/),
      details: { reason: 'loop', repeats: 3 },
    });
  });

  test('counts the same failure as well, returned or thrown, now or later', async () => {
    const fail = (): never => {
      throw new Error('no such note');
    };
    for (const answer of [fail, async () => fail()]) {
      const router = routerWith([scripted('look', answer)], { repeats: 2 });
      expect(await outcomes(router, ['look', 'look', 'look'])).toEqual(['tool_error', 'tool_error', 'denied']);
    }
  });

  test('spares people the same question again and again', async () => {
    const asked: unknown[] = [];
    const router = createRouter({
      tools: [scripted('send', () => 'sent', { permission: 'network' })],
      pipeline: defaultPipeline({ approve: (request) => asked.push(request) > 99 }).before(
        'permission',
        'loopGuard',
        loopGuard(),
      ),
    });
    await outcomes(router, ['send', 'send', 'send', 'send', 'send']);
    expect(asked).toHaveLength(3);
  });

  test('lets pass other arguments, other results, other runs and calls in between that lead nowhere', async () => {
    const other = routerWith([scripted('look', () => 1)]);
    const paged = [1, 2, 3, 4].flatMap((page) => [`look {"page":${page}}`, `look {"page":${page}}`]);
    expect(await outcomes(other, paged)).not.toContain('denied');
    expect(await outcomes(routerWith([scripted('look', (n) => n)]), Array(9).fill('look'))).not.toContain('denied');
    const alternating = routerWith([scripted('a', () => 1), scripted('b', () => 2)]);
    expect(await outcomes(alternating, ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'])).toEqual([
      ...Array(6).fill('ok'),
      'denied',
      'denied',
    ]);
    const run = (id: string) => other.call({ name: 'look' }, { run: { id } });
    expect((await Promise.all(['1', '2', '3', '4'].map(run))).every(({ ok }) => ok)).toBe(true);
    const principals = ['ada', 'bob', 'carol', 'dave'];
    const of = (principal: string) => other.call({ name: 'look' }, { run: { id: 'one', principal } });
    expect((await Promise.all(principals.map(of))).every(({ ok }) => ok)).toBe(true);
  });

  test('the order of arguments does not make another call', async () => {
    const router = routerWith([scripted('look', () => 1)], { repeats: 1 });
    expect(await outcomes(router, ['look {"a":1,"b":2}', 'look {"b":2,"a":1}'])).toEqual(['ok', 'denied']);
  });

  test('begins anew when something has changed: tests after every edit', async () => {
    const tools = [
      scripted('run_tests', () => '1 failed', { permission: 'execute' }),
      scripted('edit', (n) => `edit ${n}`, { permission: 'write' }),
    ];
    const calls = Array(6).fill(['edit {"n":1}', 'run_tests']).flat() as string[];
    expect(await outcomes(routerWith(tools), calls)).toEqual(Array(12).fill('ok'));
    const stuck = [scripted('run_tests', () => '1 failed'), scripted('edit', () => 'edited', { permission: 'write' })];
    expect(await outcomes(routerWith(stuck), calls)).toContain('denied');
  });

  test('lets tools poll that are meant to: by their tag, or as you say', async () => {
    const calls = Array(6).fill('status') as string[];
    const tagged = routerWith([scripted('status', () => 'working', { tags: ['polling'] })]);
    expect(await outcomes(tagged, calls)).not.toContain('denied');
    const named = routerWith([scripted('status', () => 'working')], { exempt: ({ name }) => name === 'status' });
    expect(await outcomes(named, calls)).not.toContain('denied');
    const own = routerWith([scripted('status', () => 'working', { tags: ['polling'] })], { exempt: () => false });
    expect(await outcomes(own, calls)).toContain('denied');
  });

  test('remembers so many calls and no more', async () => {
    const router = routerWith([scripted('look', () => 1)], { repeats: 1 });
    const many = Array.from({ length: 257 }, (_, n) => `look {"n":${n}}`);
    expect(await outcomes(router, many)).not.toContain('denied');
    expect(await outcomes(router, ['look {"n":256}', 'look {"n":0}'])).toEqual(['denied', 'ok']);
  });

  test('a failure that may go away by itself may be tried again', async () => {
    const busy = (): never => {
      throw new ToolError('busy', { code: 'unavailable' });
    };
    expect(await outcomes(routerWith([scripted('look', busy)]), Array(5).fill('look'))).not.toContain('denied');
  });

  test('what cannot be compared is never a repetition', async () => {
    const router = routerWith([scripted('look', () => new Map())], { repeats: 1 });
    expect(await outcomes(router, ['look', 'look'])).toEqual(['ok', 'ok']);
  });

  test('reads what comes of a promise of another library', async () => {
    const foreign = (answer: unknown): never =>
      // biome-ignore lint/suspicious/noThenProperty: this is what such a promise is
      ({ then: (done: () => void) => Promise.resolve(answer).then(done) }) as never;
    const pipeline = defaultPipeline()
      .before('permission', 'loopGuard', loopGuard({ repeats: 2 }))
      .after('loopGuard', 'foreign', (_, next) => foreign(next()));
    const router = createRouter({ tools: [scripted('look', (n) => n)], pipeline, mode: 'trusted' });
    expect(await outcomes(router, ['look', 'look', 'look', 'look'])).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  test('is refused where it would see other arguments than those that run', () => {
    expect(() => defaultPipeline({ roots: ['.'] }).before('pathGuard', 'loopGuard', loopGuard())).toThrow(
      /rewrites arguments/,
    );
    expect(() => defaultPipeline().before('lookup', 'loopGuard', loopGuard() as never)).toThrow(/needs "tool"/);
  });

  test.each<[object, RegExp]>([
    [{ repeats: 0 }, /whole number from 1/],
    [{ exempt: 'polling' }, /must be a function/],
    [{ repeat: 3 }, /no option "repeat"/],
  ])('misuse is refused: %j', (options, message) => {
    expect(() => loopGuard(options as LoopGuardOptions)).toThrow(message);
  });
});
