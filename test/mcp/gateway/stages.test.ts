import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/mcp/gateway/config.ts';
import { parseGatewayConfig } from '../../../src/mcp/gateway/read-config.ts';
import { gatewayRouter } from '../../../src/mcp/gateway/router.ts';
import { createRegistry } from '../../../src/registry.ts';
import { folderWith } from '../../cli/run-cli.ts';
import { endedWithTest, scripted, servedConfig } from './serve.ts';

const started = endedWithTest();

/** A gateway with these stages, and how often its server was called for a tool. */
async function start(stages: object, more: object = {}, answer?: () => 'accept') {
  const diary = join(folderWith({ diary: '' }), 'diary');
  const mcpServers = { s: scripted({ diary }) };
  const config = { mcpServers, mode: 'trusted', stages, ...more };
  const one = await started(servedConfig('2.x', config, answer === undefined ? {} : { answer }));
  const callsOf = (tool: string): number =>
    readFileSync(diary, 'utf8')
      .split('\n')
      .filter((line) => line === `call ${tool}`).length;
  return { driver: one.driver, callsOf };
}

const textOf = (result: Record<string, unknown>): string => JSON.stringify(result['content']);
const reading = { guards: { 's.*': { permission: 'read' } } };

describe('a gateway', () => {
  it('limits how many calls of a tool there are in a time', async () => {
    const { driver, callsOf } = await start({
      rateLimit: [
        { tools: ['s.p*'], perHour: 1 },
        { tools: ['s.lie'], perHour: 2 },
      ],
    });
    expect(await driver.call('s.pid')).not.toHaveProperty('isError', true);
    expect(textOf(await driver.call('s.pid'))).toContain('the limit is 1 an hour');
    for (let count = 0; count < 3; count++) await driver.call('s.steps');
    for (let count = 0; count < 3; count++) await driver.call('s.lie', { result: { content: [] } });
    expect([callsOf('pid'), callsOf('steps'), callsOf('lie')]).toEqual([1, 3, 2]);
  });

  it('tries again what may be called twice, and nothing else', async () => {
    const stages = { retry: { attempts: 2, delay: 1 } };
    const reads = await start(stages, { ...reading, timeout: 250 });
    expect(await reads.driver.call('s.hang')).toHaveProperty('isError', true);
    expect(reads.callsOf('hang')).toBe(2);
    const unknown = await start(stages, { timeout: 250 });
    await unknown.driver.call('s.hang');
    expect(unknown.callsOf('hang')).toBe(1);
    const declared = await start({ retry: { ...stages.retry, safe: ['s.h*'] } }, { timeout: 250 });
    await declared.driver.call('s.hang');
    expect(declared.callsOf('hang')).toBe(2);
  });

  it('leaves alone what has failed, and asks for every attempt', async () => {
    const { driver, callsOf } = await start(
      { retry: { attempts: 3, delay: 1, maxDelay: 5 }, circuitBreaker: { failures: 2, tools: ['s.hang'] } },
      { ...reading, timeout: 250 },
    );
    expect(textOf(await driver.call('s.hang'))).toContain('has failed several times in a row');
    expect(textOf(await driver.call('s.hang'))).toContain('has failed several times in a row');
    expect(callsOf('hang')).toBe(2);
    expect(await driver.call('s.pid')).not.toHaveProperty('isError', true);
  });

  it('keeps answers of what only reads, until something may have changed', async () => {
    const { driver, callsOf } = await start(
      { cache: { ttl: 60_000 } },
      { guards: { 's.pid': { permission: 'read' }, 's.steps': { permission: 'write' } } },
    );
    const first = textOf(await driver.call('s.pid'));
    expect(textOf(await driver.call('s.pid'))).toBe(first);
    expect(callsOf('pid')).toBe(1);
    await driver.call('s.steps');
    expect(textOf(await driver.call('s.pid'))).toBe(first);
    expect(callsOf('pid')).toBe(2);
  });

  it('asks about a call although its answer is kept', async () => {
    let asked = 0;
    const answer = (): 'accept' => {
      asked++;
      return 'accept';
    };
    const policy = { rules: [{ decision: 'ask', tool: 's.pid' }] };
    const { driver, callsOf } = await start({ cache: {}, dedupe: {}, retry: {} }, { ...reading, policy }, answer);
    await driver.call('s.pid');
    await driver.call('s.pid');
    expect([asked, callsOf('pid')]).toEqual([2, 1]);
  });

  it('does once what is called twice', async () => {
    const { driver, callsOf } = await start({ dedupe: { window: 60_000 } });
    const [first, second] = await Promise.all([driver.call('s.pid'), driver.call('s.pid')]);
    expect(textOf(second)).toBe(textOf(first));
    expect(callsOf('pid')).toBe(1);
  });

  it('lets so many calls be at work at a time', async () => {
    const { driver, callsOf } = await start({ concurrency: { perTool: { 's.hang': 1 }, queue: 0 } }, { timeout: 400 });
    const [first, second] = await Promise.all([driver.call('s.hang'), driver.call('s.hang')]);
    expect([textOf(first), textOf(second)].join()).toMatch(/did not finish in the time/);
    expect(callsOf('hang')).toBe(1);
    expect(await driver.call('s.pid')).not.toHaveProperty('isError', true);
  });

  it('asks nobody where approvals are to be denied', async () => {
    let asked = 0;
    const answer = (): 'accept' => {
      asked++;
      return 'accept';
    };
    const { driver, callsOf } = await start({}, { mode: 'ask', approvals: 'deny' }, answer);
    expect(await driver.call('s.pid')).toHaveProperty('isError', true);
    expect([asked, callsOf('pid')]).toEqual([0, 0]);
  });
});

const origin = { name: 'callgate.json', folder: folderWith({}), environment: {} };
const parse = (stages: object) =>
  parseGatewayConfig(JSON.stringify({ mcpServers: { s: { command: 'x' } }, stages }), origin);

it('each stage stands behind permission, what counts attempts inside of what makes them', () => {
  const config = parse({
    audit: 'audit.jsonl',
    budget: { calls: 9 },
    loopGuard: {},
    rateLimit: [{ perSecond: 1 }, { perHour: 100, shared: true, maxWait: 0 }],
    circuitBreaker: { codes: ['unavailable'] },
    retry: {},
    cache: {},
    dedupe: {},
    concurrency: { total: 4, perTool: 2, wait: 1_000 },
  });
  const names = gatewayRouter(config, { registry: createRegistry() })
    .describe()
    .map(({ name }) => name);
  expect(names.slice(names.indexOf('permission'))).toEqual([
    'permission',
    'budget',
    'locks',
    'concurrency',
    'dedupe',
    'cache',
    'retry',
    'circuitBreaker',
    'rateLimit',
    'rateLimit2',
    'timeout',
    'execute',
  ]);
});

it.each([
  ['has no rate', { rateLimit: {} }, /one of "perSecond", "perMinute" and "perHour"/],
  ['has two rates', { rateLimit: [{ perSecond: 1, perHour: 1 }] }, /one of "perSecond"/],
  ['has a mistyped option', { retry: { attemps: 2 } }, /did you mean "attempts"/],
  ['has an option that only code can give', { cache: { vary: 1 } }, /vary/],
  ['limits to nothing', { concurrency: { total: 0 } }, /total/],
  ['is for no tools', { dedupe: { tools: [] } }, /tools/],
  ['counts failures that do not exist', { circuitBreaker: { codes: ['timeouts'] } }, /codes/],
])('a stage that %s starts nothing', (_problem, stages, message) => {
  expect(() => parse(stages)).toThrow(ConfigError);
  expect(() => parse(stages)).toThrow(message);
});
