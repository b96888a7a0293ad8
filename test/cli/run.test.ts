import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callgate, ended, folderWith, jsonLines, outcomesIn, resultsIn, start } from './run-cli.ts';

const twoCalls = jsonLines([
  { id: 'a', name: 'add', arguments: { a: 2, b: 3 } },
  { id: 'b', name: 'divide', arguments: '{}' },
]);

/** Tools that wait, go on for ever, or leave a mess; plain objects, so that they need no package. */
const waitingTools = `
const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
const tool = (name, handler) => ({ name, description: name, parameters, permission: 'read', handler });
export const tools = [
  tool('number', ({ n }) => n),
  tool('wait', (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))),
  tool('hang', () => { console.error('hanging'); return new Promise(() => { setInterval(() => {}, 1000); }); }),
  tool('later', ({ n }) => new Promise((resolve) => setTimeout(resolve, n, n))),
  tool('chatty', () => { console.log('{"ok":true}'); return 'quiet'; }),
  tool('explode', () => { setTimeout(() => { throw new Error('in a timer'); }, 5); return new Promise(() => {}); }),
  tool('stray', () => { Promise.reject(new Error('forgotten')); return 'done'; }),
];
export default { tools };
`;

const waiting = (): string => folderWith({ 'callgate.config.mjs': waitingTools });

describe('callgate run', () => {
  it('prints one result a line, in the order of the calls, and exits with 0 although calls failed', async () => {
    const ran = await callgate(['run', 'calls.jsonl'], { cwd: folderWith({ 'calls.jsonl': twoCalls }) });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(resultsIn(ran.stdout)).toMatchObject([
      { ok: true, tool_name: 'add', data: 5, error: null, call_id: 'a' },
      { ok: false, tool_name: 'divide', data: null, code: 'unknown_tool', call_id: 'b' },
    ]);
  });

  it('reads standard input for -', async () => {
    const ran = await callgate(['run', '-'], { cwd: folderWith({}), input: twoCalls });
    expect(ran.status).toBe(0);
    expect(outcomesIn(ran.stdout)).toEqual(['ok', 'unknown_tool']);
  });

  it('prints nothing for no calls', async () => {
    expect(await callgate(['run', '-'], { cwd: folderWith({}), input: '\n\n' })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('answers a call before the next one has come', async () => {
    const child = start(['run', '-'], { cwd: folderWith({}) });
    const first = new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
    child.stdin.write('{"name":"add","arguments":{"a":1,"b":1}}\n');
    expect(outcomesIn(await first)).toEqual(['ok']);
    child.stdin.end();
    expect((await ended(child)).status).toBe(0);
  });

  it('works in the folders that --root names, and nowhere else', async () => {
    const cwd = folderWith({ 'one/a.txt': 'A', 'two/b.txt': 'B', 'c.txt': 'C' });
    const calls = ['a.txt', '../c.txt', join(cwd, 'two/b.txt'), 'c.txt'].map((path) => ({
      name: 'read_file',
      arguments: { path },
    }));
    const ran = await callgate(['run', '-', '--root', 'one', '-r', 'two'], { cwd, input: jsonLines(calls) });
    expect(outcomesIn(ran.stdout)).toEqual(['ok', 'path_denied', 'ok', 'tool_error']);
  });

  it('asks nobody where there is no terminal, and does nothing then', async () => {
    const cwd = folderWith({});
    const calls = jsonLines([{ name: 'write_file', arguments: { path: 'new.txt', content: 'x' } }]);
    const ran = await callgate(['run', '-'], { cwd, input: calls });
    expect(ran.status).toBe(0);
    expect(outcomesIn(ran.stdout)).toEqual(['approval_required']);
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
    expect(outcomesIn((await callgate(['run', '-', '--mode', 'plan'], { cwd, input: calls })).stdout)).toEqual([
      'denied',
    ]);
    expect(outcomesIn((await callgate(['run', '-', '--mode', 'auto'], { cwd, input: calls })).stdout)).toEqual(['ok']);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('x');
  });

  it('takes recorded answers, each for exactly the call it was given for', async () => {
    const answers = [
      { call_id: 'w', tool: 'write_file', arguments: { path: 'x', content: '1', overwrite: true }, answer: 'allow' },
    ];
    const cwd = folderWith({ 'answers.json': JSON.stringify(answers) });
    const write = (id: string, content: string): object => ({
      id,
      name: 'write_file',
      arguments: { path: 'x', content },
    });
    const input = jsonLines([write('w', '2'), write('v', '1'), write('w', '1')]);
    const ran = await callgate(['run', '-', '--answers', 'answers.json'], { cwd, input });
    expect(outcomesIn(ran.stdout)).toEqual(['denied', 'denied', 'ok']);
  });

  it('stops slow tools after --timeout', async () => {
    const ran = await callgate(['run', '-', '--timeout', '50ms'], { cwd: waiting(), input: '{"name":"hang"}\n' });
    expect(ran.status).toBe(0);
    expect(outcomesIn(ran.stdout)).toEqual(['timeout']);
  });

  it('runs as many calls side by side as --concurrency says, and keeps their order', async () => {
    const delays = [400, 1, 200, 1, 400, 1];
    const input = jsonLines(delays.map((n) => ({ name: 'later', arguments: { n } })));
    const ran = await callgate(['run', '-', '--concurrency', '6'], { cwd: waiting(), input });
    expect(resultsIn(ran.stdout).map(({ data }) => data)).toEqual(delays);
    const hanging = jsonLines([...Array(4).fill({ name: 'hang' }), { name: 'number', arguments: { n: 1 } }]);
    const stuck = await callgate(['run', '-', '-j', '4', '-t', '100ms'], { cwd: waiting(), input: hanging });
    expect(outcomesIn(stuck.stdout)).toEqual(['timeout', 'timeout', 'timeout', 'timeout', 'ok']);
  });

  it('outlives a promise that a tool rejects and forgets, and says so', async () => {
    const input = jsonLines([{ name: 'stray' }, { name: 'later', arguments: { n: 20 } }, { name: 'stray' }]);
    const ran = await callgate(['run', '-'], { cwd: waiting(), input });
    expect(ran.status).toBe(0);
    expect(outcomesIn(ran.stdout)).toEqual(['ok', 'ok', 'ok']);
    expect(ran.stderr).toBe('callgate: a tool left a rejected promise behind: forgotten\n');
  });

  it('keeps standard output for results, whatever tools log', async () => {
    const ran = await callgate(['run', '-'], { cwd: waiting(), input: '{"name":"chatty"}\n' });
    expect(resultsIn(ran.stdout)).toMatchObject([{ data: 'quiet', tool_name: 'chatty' }]);
    expect(ran.stderr).toBe('{"ok":true}\n');
  });

  it('answers what is under way when a tool brings the process down, and exits with 1', async () => {
    const input = jsonLines([{ name: 'number', arguments: { n: 1 } }, { name: 'explode' }, { name: 'number' }]);
    const ran = await callgate(['run', '-'], { cwd: waiting(), input });
    expect(ran.status).toBe(1);
    expect(outcomesIn(ran.stdout)).toEqual(['ok', 'aborted']);
    expect(ran.stderr).toBe('callgate: a tool threw an error outside of its call, so the run ends: in a timer\n');
  });

  it('reads a long stream in little memory', async () => {
    const cwd = folderWith({
      'callgate.config.mjs': `${waitingTools}\nprocess.on('exit', () => console.error(process.memoryUsage().heapUsed));`,
    });
    const line = jsonLines([{ name: 'number', arguments: { n: 1 } }]);
    const ran = await callgate(['run', '-', '-j', '8'], { cwd, input: line.repeat(20_000) });
    expect(ran.status).toBe(0);
    expect(ran.stdout.split('\n')).toHaveLength(20_001);
    expect(Number(ran.stderr)).toBeLessThan(120 * 1024 * 1024);
  });
});

describe('callgate run: input that cannot be used', () => {
  it('answers the calls before the unusable line, then ends with 2, with file, line and column', async () => {
    const cwd = folderWith({ 'calls.jsonl': `${twoCalls}\n{"name":"add",}\n${twoCalls}` });
    const ran = await callgate(['run', 'calls.jsonl'], { cwd });
    expect(ran.status).toBe(2);
    expect(outcomesIn(ran.stdout)).toEqual(['ok', 'unknown_tool']);
    expect(ran.stderr).toBe('callgate: calls.jsonl:4:15: there is a comma too many before "}"\n');
  });

  it('waits for slow calls before it tells of the unusable line', async () => {
    const input = `${jsonLines([{ name: 'later', arguments: { n: 150 } }])}nonsense\n`;
    const ran = await callgate(['run', '-', '-j', '4'], { cwd: waiting(), input });
    expect(outcomesIn(ran.stdout)).toEqual(['ok']);
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('<stdin>:2:1: ') });
  });

  it.each([
    ['a file that is not there', ['run', 'nothing.jsonl'], 'There is no file nothing.jsonl'],
    ['a folder', ['run', '.'], 'could not be read'],
    ['no file', ['run'], 'Name the file of calls'],
    ['two files', ['run', 'a', 'b'], 'One file of calls at a time'],
    ['a root that is not there', ['run', '-', '--root', 'nowhere'], 'is not an existing folder'],
    ['an unknown option', ['run', '-', '--concurency', '2'], 'Did you mean --concurrency?'],
    ['an option without its value', ['run', '-', '--root', '--json'], '--root needs a value: --root FOLDER'],
    ['a value too many', ['run', '-', '--json=yes'], '--json takes no value'],
    ['an option twice', ['run', '-', '--mode', 'plan', '--mode', 'auto'], '--mode is given twice'],
    ['a mode that does not exist', ['run', '-', '--mode', 'trustd'], 'Did you mean trusted?'],
    ['a time that is none', ['run', '-', '--timeout', 'soon'], '--timeout must be a time above 0'],
    ['no time', ['run', '-', '--timeout', '0s'], '--timeout must be a time above 0'],
    ['a time without its unit', ['run', '-', '--timeout', '30'], 'with its unit, such as 500ms, 30s or 2m; it is "30"'],
    ['a concurrency of 0', ['run', '-', '--concurrency', '0'], 'whole number from 1'],
    ['answers that are not there', ['run', '-', '--answers', 'no.json'], 'no.json could not be read'],
    ['a configuration that is not there', ['run', '-', '--config', 'no.mjs'], 'There is no configuration no.mjs'],
  ])('%s: ends with 2 and says what is wrong', async (_what, args, problem) => {
    const ran = await callgate(args, { cwd: folderWith({}), input: twoCalls });
    expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(problem) });
    expect(ran.stderr).toMatch(/^callgate: /);
    expect(ran.stderr).not.toMatch(/\n\s+at /);
  });

  it('does not let a line act on the terminal through its error', async () => {
    const ran = await callgate(['run', '-'], { cwd: folderWith({}), input: '{"name":"x","\\u001b[2J":1}\n' });
    expect(ran.status).toBe(2);
    expect(ran.stderr).not.toContain('\u001b');
  });
});

describe.skipIf(process.platform === 'win32')('callgate run: interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s aborts the calls under way, prints their results and exits with %i', async (name, status) => {
    const input = jsonLines([
      { id: 'first', name: 'number', arguments: { n: 1 } },
      { id: 'slow', name: 'hang' },
      { id: 'never', name: 'number' },
    ]);
    const child = start(['run', '-'], { cwd: waiting() });
    const result = ended(child);
    child.stdin.write(input);
    child.stderr.once('data', () => child.kill(name));
    const ran = await result;
    expect(ran.status).toBe(status);
    expect(resultsIn(ran.stdout)).toMatchObject([
      { call_id: 'first', ok: true },
      { call_id: 'slow', ok: false, code: 'aborted', effect: 'unknown' },
    ]);
  });

  const stubborn = (): string =>
    folderWith({
      'callgate.config.mjs': `
        const parameters = { type: 'object' };
        const say = (word) => process.stderr.write(word);
        const owner = Object.assign((ctx, next) => next(), { closes: () => new Promise((resolve) => {
          say('CLOSING');
          setTimeout(resolve, 1_000);
        }) });
        export default { mode: 'auto', close: () => say('CLOSED'),
          pipeline: (standard) => standard.before('lookup', 'owner', owner), tools: [
          { name: 'quick', description: '', parameters, permission: 'read', handler: () => 'done' },
          { name: 'deaf', description: '', parameters, permission: 'read', timeout: 50, handler: () => new Promise(() => {
            setInterval(() => {}, 1_000);
            say('WORKING');
          }) },
        ] };`,
    });

  it('waits for a handler that went on after its deadline only for a moment, and says nothing of it', async () => {
    const begun = performance.now();
    const ran = await callgate(['run', '-'], { cwd: stubborn(), input: jsonLines([{ name: 'deaf' }]) });
    expect(ran.status).toBe(0);
    expect(outcomesIn(ran.stdout)).toEqual(['timeout']);
    expect(ran.stderr).toBe('WORKINGCLOSINGCLOSED');
    expect(performance.now() - begun).toBeLessThan(9_000);
  });

  it('while it gives up what it started, ends with the status of the interruption; at once with the second', async () => {
    const once = start(['run', '-'], { cwd: stubborn() });
    const onceEnded = ended(once);
    once.stdin.end(jsonLines([{ name: 'quick' }]));
    once.stderr.once('data', () => once.kill('SIGINT'));
    const twice = start(['run', '-'], { cwd: stubborn() });
    const twiceEnded = ended(twice);
    twice.stdin.write(jsonLines([{ name: 'deaf', id: 'endless' }]));
    twice.stderr.on('data', () => twice.kill('SIGTERM'));
    const [first, second] = await Promise.all([onceEnded, twiceEnded]);
    expect(first).toMatchObject({ status: 130, stderr: 'CLOSINGCLOSED' });
    expect(outcomesIn(first.stdout)).toEqual(['ok']);
    expect(second).toMatchObject({ status: 143, stderr: 'WORKINGCLOSING' });
  });

  it('ends quietly when the reader of its output has left, without waiting for what is under way', async () => {
    const child = start(['run', '-'], { cwd: waiting() });
    child.stdin.on('error', () => {});
    const done = ended(child);
    child.stdout.once('data', () => {
      child.stdout.destroy();
      child.stdin.write(jsonLines([{ name: 'number', arguments: { n: 2 } }, ...Array(50).fill({ name: 'number' })]));
    });
    child.stdin.write(jsonLines([{ name: 'number', arguments: { n: 1 } }]));
    expect(await done).toMatchObject({ status: 141, stderr: '' });
  });
});
