import { type Call, createRegistry, createRouter, defaultPipeline, defineTool, type Pipeline } from 'callgate';
import { budget, concurrency, forTools, logger, rateLimit, when } from 'callgate/middleware';
import { checkPipeline } from 'callgate/testing';
import { describe, expect, test } from 'vitest';

const tool = (name: string, tags: readonly string[] = []) =>
  defineTool({ name, description: '', parameters: { type: 'object' }, permission: 'read', tags, handler: () => name });
const tools = [tool('run_tests'), tool('send_mail', ['outbound'])];

type Standard = ReturnType<typeof defaultPipeline>;
type Change = (standard: Standard) => Pick<Pipeline<unknown, never, never>, 'entries'>;
const withStage =
  (stage: unknown): Change =>
  (standard) =>
    standard.before('timeout', 'extra', stage as never) as never;

const quiet = { debug() {}, info() {}, warn() {}, error() {} } as never;
const cases: readonly (readonly [what: string, right: Change, wrong: Change, text: string])[] = [
  [
    'a limit',
    (standard) => standard.replace('concurrency', concurrency({ perTool: { run_tests: 1 } })) as never,
    (standard) => standard.replace('concurrency', concurrency({ perTool: { run_test: 1 } })) as never,
    'concurrency({ perTool }) names "run_test", which stands for none of the tools. Did you mean run_tests?',
  ],
  [
    'a budget',
    withStage(budget({ perTool: { send_mail: 3 } })),
    withStage(budget({ perTool: { send_mail: 3, sendmail: 3 } })),
    'budget({ perTool }) names "sendmail", which stands for none of the tools. Did you mean send_mail?',
  ],
  [
    'a name for a stage',
    withStage(forTools('send_mail', logger(quiet))),
    withStage(forTools(['send_mail', 'send_mial'], logger(quiet))),
    'forTools() names "send_mial", which stands for none of the tools. Did you mean send_mail?',
  ],
  [
    'a pattern for a stage',
    withStage(forTools(['run_*', 'send_{mail,sms}'], logger(quiet))),
    withStage(forTools('r[ua]_*', logger(quiet))),
    'forTools() names "r[ua]_*", which stands for none of the tools.',
  ],
  [
    'a tag',
    withStage(rateLimit({ perHour: 2, tag: 'outbound' })),
    withStage(rateLimit({ perHour: 2, tag: 'outbuond' })),
    'rateLimit({ tag }) names "outbuond", which stands for none of the tools.',
  ],
  [
    'what stands in a condition',
    withStage(when(() => true, forTools('*', rateLimit({ perHour: 2, tag: 'outbound' })))),
    withStage(when(() => true, forTools('*', rateLimit({ perHour: 2, tag: 'out' })))),
    'rateLimit({ tag }) names "out", which stands for none of the tools.',
  ],
];

describe.each(cases)('%s that is meant for no tool', (_, right, wrong, text) => {
  test('is refused where the tools are given, and only there', () => {
    const made = (change: Change, options: object) =>
      createRouter({ pipeline: change(defaultPipeline()), ...options } as never);
    expect(() => made(right, { tools })).not.toThrow();
    expect(() => made(wrong, { tools })).toThrow(TypeError);
    expect(() => made(wrong, { tools: new Set(tools) })).toThrow(
      `${text} Tools that come later are added to a registry: createRouter({ registry }).`,
    );
    expect(() => made(wrong, { registry: createRegistry(tools) })).not.toThrow();
  });
});

test('the limits of the default pipeline are looked at as well', () => {
  expect(() => createRouter({ tools, limits: { perTool: { run_tests: 1, send_mail: 2 } } })).not.toThrow();
  expect(() => createRouter({ tools, limits: { perTool: 5 } })).not.toThrow();
  expect(() => createRouter({ tools, limits: { perTool: { run_test: 1 } } })).toThrow(
    'limits.perTool names "run_test", which stands for none of the tools. Did you mean run_tests?',
  );
});

test('in front of the lookup a stage may be meant for names that models make up', async () => {
  const renamed = (ctx: Call) => ctx.fail('unknown_tool', 'It is called run_tests now.');
  const pipeline = defaultPipeline().before('lookup', 'renamed', forTools('test', renamed));
  const router = createRouter({ tools, pipeline });
  expect(await router.call({ name: 'test' })).toMatchObject({ error: 'It is called run_tests now.' });
  expect(() =>
    createRouter({ tools, pipeline: defaultPipeline().after('lookup', 'x', forTools('test', renamed)) }),
  ).toThrow('forTools() names "test", which stands for none of the tools.');
});

test('a router may be allowed tools that it has not', async () => {
  const router = createRouter({ tools, allowed: ['run_tests', 'run_shell'] });
  expect(await router.call({ name: 'run_tests' })).toMatchObject({ ok: true });
});

test('a pipeline that names tools can be checked without them', async () => {
  const make = () => defaultPipeline({ limits: { perTool: { run_tests: 1 } } });
  await checkPipeline(make, { runs: 3 });
});
