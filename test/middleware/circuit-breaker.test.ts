import { beforeAll, describe, expect, test } from 'vitest';
import { type BreakerChange, type CircuitBreakerOptions, circuitBreaker } from '../../middleware/circuit-breaker.ts';
import { retry } from '../../middleware/retry.ts';
import { defaultPipeline } from '../../src/default-pipeline.ts';
import { defineTool } from '../../src/define-tool.ts';
import { ToolError, type ToolErrorOptions } from '../../src/errors.ts';
import type { ToolResult } from '../../src/result.ts';
import { createRouter, type Router } from '../../src/router.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import { until, warmUp } from '../resilience/support.ts';

beforeAll(warmUp);

type Doing = ToolErrorOptions | 'works' | 'hangs';

interface Setup {
  readonly router: Router;
  readonly clock: FakeClock;
  readonly changes: string[];
  /** What the tool does from now on. */
  does(what: Doing): void;
  calls(): number;
  /** Makes calls, and gives what became of each: a code or `ok`. */
  make(count: number, principal?: string): Promise<string[]>;
}

function setup(options: CircuitBreakerOptions = {}, timeout = 15): Setup {
  const clock = fakeClock();
  const changes: string[] = [];
  let doing: Doing = 'works';
  let calls = 0;
  const service = defineTool({
    name: 'service',
    description: 'Asks a service.',
    parameters: { type: 'object', properties: { n: { type: 'number' } } },
    permission: 'read',
    timeout,
    handler: async () => {
      calls++;
      if (doing === 'works') return 'ok';
      if (doing === 'hangs') return new Promise(() => {});
      throw new ToolError('failed', doing);
    },
  });
  const onChange = ({ tool, from, to }: BreakerChange): void => void changes.push(`${tool}: ${from} to ${to}`);
  const stage = circuitBreaker({ clock, failures: 3, openFor: 1_000, onChange, ...options });
  const pipeline = defaultPipeline().before('timeout', 'circuitBreaker', stage);
  const router = createRouter({ tools: [service], mode: 'trusted', pipeline });
  return {
    router,
    clock,
    changes,
    does: (what) => {
      doing = what;
    },
    calls: () => calls,
    async make(count, principal) {
      const codes: string[] = [];
      for (let at = 0; at < count; at++) {
        const result = await router.call({ name: 'service' }, principal === undefined ? {} : { run: { principal } });
        codes.push(result.ok ? 'ok' : result.code);
      }
      return codes;
    },
  };
}

const down: Doing = { code: 'unavailable' };
const isOpen = (result: ToolResult): boolean =>
  !result.ok && (result.details as { reason?: string } | undefined)?.reason === 'circuit_open';

describe('circuitBreaker', () => {
  test('opens after failures in a row, and then nothing is called', async () => {
    const { router, make, does, calls, changes, clock } = setup();
    does(down);
    await make(5);
    expect(calls()).toBe(3);
    expect(changes).toEqual(['service: closed to open']);
    await clock.advance(400);
    expect(await router.call({ id: 'x', name: 'service' })).toEqual({
      ok: false,
      tool_name: 'service',
      data: null,
      error:
        'service has failed several times in a row and is not called for the next 600 ms. Take another way, or try again then.',
      call_id: 'x',
      meta: {},
      code: 'unavailable',
      retryable: true,
      effect: 'none',
      details: { reason: 'circuit_open', retry_after_ms: 600 },
    });
  });

  test('lets a probe through after its time, and closes when that succeeds', async () => {
    const { make, does, calls, changes, clock } = setup();
    does(down);
    await make(3);
    await clock.advance(1_000);
    expect(await make(2)).toEqual(['unavailable', 'unavailable']);
    expect(calls()).toBe(4);
    await clock.advance(1_000);
    does('works');
    expect(await make(3)).toEqual(['ok', 'ok', 'ok']);
    expect(changes).toEqual([
      'service: closed to open',
      'service: open to half-open',
      'service: half-open to open',
      'service: open to half-open',
      'service: half-open to closed',
    ]);
  });

  test('only so many probes at a time', async () => {
    const { router, make, does, calls, clock } = setup({ probes: 2 });
    does(down);
    await make(3);
    await clock.advance(1_000);
    does('works');
    const results = await Promise.all([1, 2, 3, 4].map(() => router.call({ name: 'service' })));
    expect(results.map(isOpen)).toEqual([false, false, true, true]);
    expect(calls()).toBe(5);
    expect(await make(2)).toEqual(['ok', 'ok']);
  });

  test('counts what takes longer than the tool may', async () => {
    const { router, make, does } = setup();
    does('hangs');
    expect(await make(3)).toEqual(['timeout', 'timeout', 'timeout']);
    expect(isOpen(await router.call({ name: 'service' }))).toBe(true);
  });

  test('does not count a caller who is in a hurry, or withdraws', async () => {
    const { router, make, does } = setup({ failures: 1 }, 30_000);
    does('hangs');
    expect(await router.call({ name: 'service' }, { deadline: 2 })).toMatchObject({ code: 'timeout' });
    expect(await router.call({ name: 'service' }, { signal: AbortSignal.timeout(2) })).toMatchObject({
      code: 'timeout',
    });
    const controller = new AbortController();
    const pending = router.call({ name: 'service' }, { signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ code: 'aborted' });
    does('works');
    expect(await make(1)).toEqual(['ok']);
  });

  test.each<[string, ToolErrorOptions]>([
    ['a failure of the tool itself', {}],
    ['a refusal by the service because of its own limits', { code: 'rate_limited' }],
    ['a denial', { code: 'denied' }],
  ])('does not count %s', async (_, failure) => {
    const { make, does } = setup({ failures: 1 });
    does(failure);
    await make(5);
    does('works');
    expect(await make(1)).toEqual(['ok']);
  });

  test('counts what codes says', async () => {
    const { router, make, does } = setup({ codes: ['tool_error'] });
    does(down);
    await make(5);
    does({});
    await make(3);
    expect(isOpen(await router.call({ name: 'service' }))).toBe(true);
  });

  test('nobody can take a tool away from another principal', async () => {
    const { make, does, changes } = setup();
    does(down);
    await make(10, 'mallory');
    does('works');
    expect(await make(1, 'ann')).toEqual(['ok']);
    expect(await make(1, 'mallory')).toEqual(['unavailable']);
    expect(changes).toHaveLength(1);
  });

  test('one host that is down does not take away a tool that reaches others', async () => {
    const tool = defineTool({
      name: 'fetch',
      description: 'Fetches.',
      parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
      permission: 'read',
      urls: ['url'],
      handler: async ({ url }) => {
        if (url.includes('down')) throw new ToolError('failed', { code: 'unavailable' });
        return url;
      },
    });
    const stage = circuitBreaker({ clock: fakeClock(), failures: 1 });
    const router = createRouter({ tools: [tool], pipeline: defaultPipeline().before('timeout', 'breaker', stage) });
    const get = async (url: string): Promise<string> => {
      const result = await router.call({ name: 'fetch', arguments: { url } });
      return result.ok ? 'ok' : isOpen(result) ? 'open' : result.code;
    };
    expect(await get('https://down.example.com/a')).toBe('unavailable');
    expect(await get('https://down.example.com/b')).toBe('open');
    expect(await get('https://up.example.com/')).toBe('ok');
  });

  test('unless the program wants to count them together', async () => {
    const { make, does } = setup({ key: ({ tool }) => tool.name });
    does(down);
    await make(2, 'ann');
    await make(1, 'bob');
    does('works');
    expect(await make(1, 'eve')).toEqual(['unavailable']);
  });

  test('wrong arguments never reach it', async () => {
    const { router, make } = setup({ failures: 1 });
    for (let at = 0; at < 3; at++) await router.call({ name: 'service', arguments: { n: 'x' } });
    expect(await make(1)).toEqual(['ok']);
  });

  test('a probe that is withdrawn, or hangs for ever, makes room for the next', async () => {
    const { router, make, does, clock, calls } = setup();
    does(down);
    await make(3);
    await clock.advance(1_000);
    does('hangs');
    const controller = new AbortController();
    const probe = router.call({ name: 'service' }, { signal: controller.signal });
    await until(() => calls() === 4);
    controller.abort();
    await probe;
    does('works');
    expect(await make(2)).toEqual(['ok', 'ok']);

    // Inside the timeout, the stage never hears of what hangs.
    const inner = fakeClock();
    let isHanging = true;
    let failing = 1;
    const tool = defineTool({
      name: 'service',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      timeout: 15,
      handler: async () => {
        if (failing-- > 0) throw new ToolError('down', { code: 'unavailable' });
        return isHanging ? new Promise(() => {}) : 'ok';
      },
    });
    const stage = circuitBreaker({ clock: inner, failures: 1, openFor: 1_000 });
    const pipeline = defaultPipeline().after('timeout', 'circuitBreaker', stage);
    const other = createRouter({ tools: [tool], pipeline });
    await other.call({ name: 'service' });
    await inner.advance(1_000);
    expect(await other.call({ name: 'service' })).toMatchObject({ code: 'timeout' });
    isHanging = false;
    expect(await other.call({ name: 'service' })).toMatchObject({ ok: true });
  });

  test('a listener that throws changes nothing', async () => {
    const { router, make, does } = setup({
      onChange: () => {
        throw new Error('listener');
      },
    });
    does(down);
    expect(await make(3)).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(isOpen(await router.call({ name: 'service' }))).toBe(true);
  });

  test('a retry outside of it waits as long as it says', async () => {
    const clock = fakeClock();
    let failures = 1;
    const tool = defineTool({
      name: 'service',
      description: '',
      parameters: { type: 'object' },
      permission: 'read',
      handler: async () => {
        if (failures-- > 0) throw new ToolError('down', { code: 'unavailable' });
        return 'ok';
      },
    });
    const pipeline = defaultPipeline()
      .before('timeout', 'retry', retry({ clock, random: () => 0 }))
      .before('timeout', 'circuitBreaker', circuitBreaker({ clock, failures: 1, openFor: 3_000 }));
    const pending = createRouter({ tools: [tool], pipeline }).call({ name: 'service' });
    await clock.advance(3_001);
    expect(await pending).toMatchObject({ ok: true, meta: { attempts: 3 } });
  });
});

test.each<[string, unknown]>([
  ['failures: 0', { failures: 0 }],
  ['probes: 0', { probes: 0 }],
  ['openFor without an end', { openFor: Number.POSITIVE_INFINITY }],
  ['within: 0', { within: 0 }],
  ['a denial among the codes', { codes: ['denied'] }],
  ['wrong arguments among the codes', { codes: ['invalid_arguments'] }],
  ['no codes', { codes: [] }],
  ['a key that is no function', { key: 'tool' }],
  ['onChange that is no function', { onChange: true }],
  ['an option that does not exist', { threshold: 3 }],
])('refuses %s', (_, options) => {
  expect(() => circuitBreaker(options as CircuitBreakerOptions)).toThrow(TypeError);
});
