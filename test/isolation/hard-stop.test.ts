import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiledPackage } from '../compiled.ts';
import { isAlive } from '../is-alive.ts';
import { callgate, goneOf, hostile, isolated, kinds, routerWith } from './support.ts';

const nothing = { type: 'object' } as const;

describe.each(kinds)('what does not stop by itself, in a %s', (kind) => {
  it.each(['loop', 'explode', 'hang'])(
    '%s is answered at its deadline and ended, while 50 others go on',
    async (name) => {
      const tool = isolated(kind, name, { timeout: 500 });
      const plain = callgate.defineTool({
        name: 'plain',
        description: '',
        parameters: nothing,
        permission: 'read',
        handler: () => new Promise((resolve) => setImmediate(() => resolve('well'))),
      });
      const router = routerWith([tool, plain, isolated(kind, 'add')], { isolation: { threads: 3, processes: 3 } });
      // Warm, as starting one counts towards the deadline, and may outlast it where the machine is busy.
      await router.call({ name: 'add', arguments: { a: 1, b: 1 } });
      const order: string[] = [];
      const ended = new Promise<void>((resolve) => {
        router.on('late', () => {
          order.push('ended');
          resolve();
        });
      });
      let others: Promise<unknown[]> | undefined;
      const stuck = router.call(
        { name, arguments: { text: `${'a'.repeat(40)}!` } },
        {
          onProgress: () => {
            others = Promise.all(
              Array.from({ length: 50 }, (_, at) =>
                at % 5 === 0
                  ? router.call({ name: 'add', arguments: { a: at, b: 1 } })
                  : router.call({ name: 'plain', arguments: {} }),
              ),
            );
          },
        },
      );
      const result = await stuck;
      order.push('answered');
      expect(result).toMatchObject({ code: 'timeout', effect: 'unknown', retryable: true });
      await ended;
      expect(order).toEqual(['answered', 'ended']);
      const results = (await others) as { ok: boolean }[];
      expect(results.length).toBe(50);
      expect(results.filter(({ ok }) => !ok)).toEqual([]);
    },
  );

  it('a withdrawn call is ended just the same', async () => {
    const router = routerWith([isolated(kind, 'loop')]);
    const withdrawal = new AbortController();
    const late = new Promise((resolve) => router.on('late', resolve));
    const result = await router.call(
      { name: 'loop' },
      { signal: withdrawal.signal, onProgress: () => withdrawal.abort() },
    );
    expect(result).toMatchObject({ code: 'aborted', effect: 'unknown' });
    await late;
  });

  it.each([
    ['exit', 'crashed'],
    ['uncaught', 'crashed'],
    ['unhandled', 'crashed'],
    ['blowHeap', 'out-of-memory'],
    ...(kind === 'process'
      ? [
          ['abort', 'crashed'],
          ['crash', 'crashed'],
        ]
      : []),
  ])('a crash costs one call: %s', async (name, reason) => {
    const router = routerWith([isolated(kind, name as string), isolated(kind, 'add')], {
      isolation: { threads: 2, processes: 2, memory: 32 * 1_048_576 },
    });
    const [crashed, ...others] = await Promise.all([
      router.call({ name: name as string }),
      ...Array.from({ length: 5 }, () => router.call({ name: 'add', arguments: { a: 1, b: 1 } })),
    ]);
    expect(crashed).toMatchObject({ code: 'unavailable', effect: 'unknown', retryable: true, details: { reason } });
    expect(others.map(({ data }) => data)).toEqual([2, 2, 2, 2, 2]);
  });
});

describe('buffers of a process', () => {
  it.runIf(process.platform === 'linux')('are bounded with its heap, so that asking for more fails in it', async () => {
    const router = routerWith([isolated('process', 'blowBuffers')], { isolation: { memory: 32 * 1_048_576 } });
    const result = await router.call({ name: 'blowBuffers' });
    expect(result.ok).toBe(false);
    expect(result).toMatchObject({ code: expect.stringMatching(/tool_error|unavailable/) });
  });
});

describe.each(kinds)('a pool of %ses', (kind) => {
  const one = { isolation: { threads: 1, processes: 1 } };

  it('lets calls wait their turn, and refuses what is too many', async () => {
    const router = routerWith([isolated(kind, 'polite', { timeout: Number.POSITIVE_INFINITY })], {
      isolation: { threads: 1, processes: 1, queue: 1 },
    });
    const withdrawal = new AbortController();
    const { signal } = withdrawal;
    let third: Promise<unknown> | undefined;
    let second: Promise<unknown> | undefined;
    await router.call(
      { name: 'polite' },
      {
        signal,
        onProgress: async () => {
          second = router.call({ name: 'polite' }, { signal });
          third = router.call({ name: 'polite' }, { signal });
          expect(await third).toMatchObject({ code: 'rate_limited', effect: 'none', details: { reason: 'queue' } });
          withdrawal.abort();
        },
      },
    );
    // Withdrawn while it waited: it never started.
    expect(await second).toMatchObject({ code: 'aborted', effect: 'none' });
    expect(third).toBeDefined();
  });

  it('reuses what is warm for tools of one module, and for those only', async () => {
    const router = routerWith(
      [isolated(kind, 'count'), isolated(kind, 'add'), isolated(kind, 'good', {}, hostile)],
      one,
    );
    const count = async () => (await router.call({ name: 'count' })).data;
    expect([await count(), await count()]).toEqual([1, 2]);
    await router.call({ name: 'add', arguments: { a: 1, b: 1 } });
    expect(await count()).toBe(3);
    // The only place goes to another module, and what was in memory is gone.
    expect(await router.call({ name: 'good' })).toMatchObject({ data: 'good' });
    expect(await count()).toBe(1);
  });

  it('gives each call a fresh one where that is wanted', async () => {
    const router = routerWith([isolated(kind, 'count')], { isolation: { reuse: false } });
    const results = [await router.call({ name: 'count' }), await router.call({ name: 'count' })];
    expect(results.map(({ data }) => data)).toEqual([1, 1]);
  });

  it('lets a module rest that cannot be loaded again and again', async () => {
    let now = 0;
    const clock = { ...timers, now: () => now };
    const broken = 'data:text/javascript,throw new Error("broken module")';
    const router = routerWith([isolated(kind, 'run', {}, broken)], { isolation: { clock } });
    const call = () => router.call({ name: 'run' });
    expect(await call()).toMatchObject({
      code: 'internal',
      effect: 'none',
      error: expect.stringContaining('broken module'),
      details: { reason: 'unloadable' },
    });
    expect(await call()).toMatchObject({ code: 'internal' });
    expect(await call()).toMatchObject({ code: 'unavailable', effect: 'none', details: { reason: 'resting' } });
    now = 300;
    expect(await call()).toMatchObject({ code: 'internal' });
    now = 700;
    expect(await call()).toMatchObject({ code: 'unavailable', details: { reason: 'resting' } });
  });

  it('costs one call each when a module crashes as it is loaded, and then lets it rest', async () => {
    const router = routerWith([isolated(kind, 'run', {}, 'data:text/javascript,process.exit(5)')]);
    const codes = [];
    for (let times = 0; times < 3; times++) codes.push(await router.call({ name: 'run' }));
    expect(codes.map((result) => [result.ok || result.code, result.ok || result.details])).toMatchObject([
      ['unavailable', { reason: 'crashed' }],
      ['unavailable', { reason: 'crashed' }],
      ['unavailable', { reason: 'resting' }],
    ]);
    expect(codes.every((result) => !result.ok && result.effect === 'none')).toBe(true);
  });

  it('says what is wrong with a module', async () => {
    const router = routerWith([
      isolated(kind, 'nowhere'),
      isolated(kind, 'typed', {}, new URL('../compiled.ts', import.meta.url)),
      isolated(kind, 'package', {}, 'no-such-package'),
      isolated(kind, 'missing', {}, new URL('./no-such-file.mjs', import.meta.url)),
    ]);
    const error = async (name: string) => (await router.call({ name })).error;
    expect(await error('nowhere')).toMatch(/no function "nowhere" among its exports. They are: abort, add/);
    expect(await error('package')).toMatch(/no package "no-such-package".*import\.meta\.resolve/);
    expect(await error('missing')).toMatch(/cannot be loaded: .*no-such-file\.mjs/);
    const typescript = (process.features as { typescript?: unknown }).typescript;
    if (!typescript) expect(await error('typed')).toMatch(/is TypeScript.*--import', 'tsx'/);
  });

  it('is ended by the stage’s closes, calls and all, and starts again', async () => {
    const router = routerWith([isolated(kind, 'hang'), isolated(kind, 'add')], one);
    const stage = router.pipeline.entries.at(-1)?.stage as unknown as { closes: () => Promise<void> };
    let closed: Promise<void> | undefined;
    const [hanging, waiting] = await Promise.all([
      router.call({ name: 'hang' }, { onProgress: () => (closed = stage.closes()) }),
      router.call({ name: 'add', arguments: { a: 1, b: 1 } }),
    ]);
    await closed;
    expect(hanging).toMatchObject({ code: 'unavailable', effect: 'unknown', details: { reason: 'stopped' } });
    expect(waiting).toMatchObject({ code: 'unavailable', effect: 'none' });
    expect(await router.call({ name: 'add', arguments: { a: 1, b: 1 } })).toMatchObject({ data: 2 });
  });

  it('ends what has been idle for too long', async () => {
    const idle: (() => void)[] = [];
    const clock = {
      ...timers,
      setTimeout: (callback: () => void, milliseconds: number) =>
        milliseconds === 12_345 ? idle.push(callback) : timers.setTimeout(callback, milliseconds),
    };
    const router = routerWith([isolated(kind, 'count'), isolated(kind, 'pid')], { isolation: { clock, idle: 12_345 } });
    const { data: pid } = await router.call({ name: 'pid' });
    await router.call({ name: 'count' });
    expect(idle.length).toBe(2);
    idle.at(-1)?.();
    if (kind === 'process') await goneOf(pid as number);
    expect(await router.call({ name: 'count' })).toMatchObject({ data: 1 });
  });
});

describe('processes and their group', () => {
  it('are ended with the children they have started', async () => {
    const router = routerWith([
      isolated('process', 'leavesChildren', { timeout: 500 }, hostile),
      isolated('process', 'good', {}, hostile),
    ]);
    await router.call({ name: 'good' });
    let child = 0;
    await router.call({ name: 'leavesChildren' }, { onProgress: (pid) => (child = pid as number) });
    expect(child).toBeGreaterThan(0);
    await goneOf(child);
  });

  it.each(['exits', 'is killed'])('end when the router’s process %s, whatever keeps them busy', async (how) => {
    const entry = pathToFileURL(`${await compiledPackage()}/src/index.js`).href;
    const program = fileURLToPath(new URL('../fixtures/isolation/busy-router.mjs', import.meta.url));
    const router = spawn(process.execPath, [program, entry, how === 'exits' ? 'exit' : 'stay'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(router, 'exit');
    const [line] = (await once(router.stdout, 'data')) as [Buffer];
    const pids = String(line).trim().split(' ').map(Number);
    expect(pids.length).toBe(2);
    if (how === 'is killed') router.kill('SIGKILL');
    await exited;
    for (const pid of pids) await goneOf(pid);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it.each(kinds)('an idle %s keeps no program from ending', async (kind) => {
    const entry = pathToFileURL(`${await compiledPackage()}/src/index.js`).href;
    const program = fileURLToPath(new URL('../fixtures/isolation/one-call.mjs', import.meta.url));
    const router = spawn(process.execPath, [program, entry, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    router.stdout.on('data', (chunk: Buffer) => {
      text += String(chunk);
    });
    const [code] = await once(router, 'close');
    expect([code, text]).toEqual([0, '3\n']);
  });

  it.runIf(process.platform === 'linux')('start through a launcher, such as a sandbox', async () => {
    const router = routerWith([isolated('process', 'environment')], {
      isolation: { launcher: ['/usr/bin/env', 'LAUNCHED=yes'] },
    });
    expect(await router.call({ name: 'environment' })).toMatchObject({ data: { LAUNCHED: 'yes' } });
  });

  it('that cannot be started are an answer', async () => {
    const router = routerWith([isolated('process', 'add')], { isolation: { launcher: ['/no/such/program'] } });
    expect(await router.call({ name: 'add', arguments: { a: 1, b: 1 } })).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      details: { reason: 'crashed' },
    });
  });
});

const timers = {
  now: () => performance.now(),
  setTimeout: (callback: () => void, milliseconds: number): unknown => setTimeout(callback, milliseconds),
  clearTimeout: (timer: unknown): void => clearTimeout(timer as NodeJS.Timeout),
};
