import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith, jsonLines, main, project } from './run-cli.ts';

const { stdout: scriptVersion, error } = spawnSync('script', ['--version'], { encoding: 'utf8' });
const hasTerminal = error === undefined && scriptVersion.includes('util-linux');
if (!hasTerminal) console.warn('Skipped: a pseudo-terminal needs the program script of util-linux.');

const sessions: ChildProcess[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.kill('SIGKILL');
});

/** The command line on a terminal of its own, with somebody who types. */
function onTerminal(args: string, { cwd = project, columns = 100, env = {}, before = 'exec' } = {}) {
  const command = `stty cols ${columns} rows 40; ${before} ${process.execPath} ${main} ${args}`;
  const session = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '', SHELL: '/bin/sh', ...env },
  });
  sessions.push(session);
  let shown = '';
  session.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const status = new Promise<number | null>((resolve) => session.on('close', resolve));
  return {
    status,
    get shown() {
      return shown;
    },
    sees: (text: string) => expect.poll(() => stripVTControlCharacters(shown), { timeout: 15_000 }).toContain(text),
    types: (text: string) => void session.stdin.write(text),
  };
}

const write = { id: 'w', name: 'write_file', arguments: { path: 'new.txt', content: 'hello\n' } };
const add = { id: 'a', name: 'add', arguments: { a: 2, b: 3 } };

describe.skipIf(!hasTerminal)('on a terminal', () => {
  it('shows the recorded run: every call with its way, then the summary, within the width', async () => {
    const folder = 'examples/recorded-run';
    const terminal = onTerminal(`run ${folder}/calls.jsonl --config ${folder}/callgate.config.mjs`, { columns: 70 });
    expect(await terminal.status).toBe(0);
    expect(terminal.shown).toContain('\u001b[32m✓\u001b[39m');
    // The progress line is written and taken away again while a slow tool works.
    const written = terminal.shown.split('\r\u001b[2K').slice(1, -1);
    expect(written.filter((line) => /^[^\n]*under way[^\n]*$/.test(line))).not.toEqual([]);
    const text = stripVTControlCharacters(terminal.shown).replaceAll('\u00a0', ' ');
    expect(text).toMatch(/lookup ✓ validate ✓ pathGuard ✗/);
    expect(text).toContain('permission ↻');
    expect(text).toMatch(/calls +37/);
    expect(text).toMatch(/path_denied +6/);
    expect(text).toMatch(/slowest/);
    expect(text).not.toContain('{"ok":');
  });

  it('shows what a tool says of how far it has come, by yields and by progress()', async () => {
    const config = `
      import { existsSync } from 'node:fs';
      import { setTimeout as wait } from 'node:timers/promises';
      const until = async (file) => {
        while (!existsSync(new URL(file, import.meta.url))) await wait(10);
      };
      export default {
        mode: 'auto',
        tools: [{
          name: 'crawl',
          description: 'Says how far it has come.',
          parameters: { type: 'object' },
          permission: 'read',
          async *handler(_, { progress }) {
            yield { progress: 1, total: 4, message: 'page one' };
            await until('first');
            progress({ progress: 2, total: 4, message: 'page two' });
            await until('second');
            return 'all';
          },
        }],
      };`;
    const calls = jsonLines([{ id: 'c', name: 'crawl', arguments: {} }]);
    const cwd = folderWith({ 'callgate.config.mjs': config, 'calls.jsonl': calls });
    const terminal = onTerminal('run calls.jsonl', { cwd });
    await terminal.sees('25 % page one');
    writeFileSync(join(cwd, 'first'), '');
    await terminal.sees('50 % page two');
    writeFileSync(join(cwd, 'second'), '');
    expect(await terminal.status).toBe(0);
    expect(stripVTControlCharacters(terminal.shown)).toContain('2 progress reports');
  });

  it('has no colours when NO_COLOR is set', async () => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([add]) });
    const terminal = onTerminal('run calls.jsonl', { cwd, env: { NO_COLOR: '1' } });
    expect(await terminal.status).toBe(0);
    expect(terminal.shown).toContain('→ 5');
    expect(terminal.shown).not.toContain('\u001b[3');
  });

  it('prints JSON lines with --json, and no summary with --quiet', async () => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([add]) });
    const terminal = onTerminal('run calls.jsonl --json --quiet', { cwd });
    expect(await terminal.status).toBe(0);
    expect(JSON.parse(terminal.shown)).toMatchObject({ data: 5 });
    const quiet = onTerminal('run calls.jsonl --quiet', { cwd });
    expect(await quiet.status).toBe(0);
    expect(quiet.shown).not.toContain('total time');
  });

  it('asks before a write, with the preview, and writes after a yes', async () => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([add, write]) });
    const terminal = onTerminal('run calls.jsonl', { cwd });
    await terminal.sees('e edit the arguments');
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
    expect(terminal.shown).toContain('May this run?');
    expect(terminal.shown).toContain('+hello');
    terminal.types('y\r');
    expect(await terminal.status).toBe(0);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('hello\n');
  });

  it('takes nothing for a yes that was typed before the question was shown', async () => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([write, { ...write, id: 'w2' }]) });
    const terminal = onTerminal('run calls.jsonl', { cwd });
    terminal.types('y\ry\r');
    await terminal.sees('e edit the arguments');
    // A second return, of a hand that trembles, is for no question that comes after it.
    terminal.types('n\ry\r');
    await expect
      .poll(() => terminal.shown.split('e edit the arguments').length, { timeout: 15_000 })
      .toBeGreaterThanOrEqual(3);
    terminal.types('n\r');
    expect(await terminal.status).toBe(0);
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
  });

  it.each([1, 4])('with %i at a time, shows nothing else while somebody is asked', async (concurrency) => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([add, add, write, add, add]) });
    const terminal = onTerminal(`run calls.jsonl -j ${concurrency}`, { cwd });
    await terminal.sees('e edit the arguments');
    terminal.types('n\r');
    expect(await terminal.status).toBe(0);
    const text = stripVTControlCharacters(terminal.shown);
    const question = text.slice(text.indexOf('May this run?'), text.indexOf('e edit the arguments'));
    expect(question).not.toMatch(/[✓✗]|under way/);
    const order = [...text.matchAll(/^ +(\d) [✓✗]/gm)].map(([, ordinal]) => ordinal);
    expect(order).toEqual(['1', '2', '3', '4', '5']);
    if (concurrency === 1) expect(text.slice(0, text.indexOf('May this run?')).match(/→ 5/g)).toHaveLength(2);
  });

  it('asks once for what is allowed always, and shows the rule before it is written', async () => {
    const again = { ...write, id: 'w2', arguments: { ...write.arguments, content: 'again\n' } };
    const files = {
      'calls.jsonl': jsonLines([write, again]),
      'callgate.config.mjs': "export default { roots: ['.'], policy: 'callgate.rules.json' };",
      'callgate.rules.json': '{"rules":[]}',
    };
    const cwd = folderWith(files);
    const terminal = onTerminal('run calls.jsonl', { cwd });
    await terminal.sees('a always]');
    terminal.types('a\r');
    await terminal.sees('p for this project');
    expect(terminal.shown).toContain('"path": "new.txt"');
    expect(readFileSync(join(cwd, 'callgate.rules.json'), 'utf8')).toBe(files['callgate.rules.json']);
    terminal.types('p\r');
    expect(await terminal.status).toBe(0);
    expect(terminal.shown.match(/May this run/g)).toHaveLength(1);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('again\n');
    const { rules } = JSON.parse(readFileSync(join(cwd, 'callgate.rules.json'), 'utf8'));
    expect(rules).toMatchObject([{ decision: 'allow', tool: 'write_file', arguments: { path: 'new.txt' } }]);
  });

  it('takes no yes to what is too long to be shown, until it has been shown', async () => {
    const long = Array.from({ length: 90 }, (_, n) => `line ${n}`).join('\n');
    const cwd = folderWith({ 'calls.jsonl': jsonLines([{ ...write, arguments: { path: 'new.txt', content: long } }]) });
    const terminal = onTerminal('run calls.jsonl', { cwd });
    await terminal.sees('s show all of it');
    terminal.types('y\r');
    await terminal.sees('There is more than is shown');
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
    terminal.types('s\r');
    await terminal.sees('+line 89');
    await terminal.sees('y yes');
    terminal.types('y\r');
    expect(await terminal.status).toBe(0);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe(long);
  });

  it('writes nothing after a no', async () => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([write]) });
    const terminal = onTerminal('run calls.jsonl', { cwd });
    await terminal.sees('e edit the arguments');
    terminal.types('n\r');
    expect(await terminal.status).toBe(0);
    expect(terminal.shown).toContain('denied');
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
  });

  it('writes what the person edited it to', async () => {
    const cwd = folderWith({});
    const terminal = onTerminal(`call write_file '${JSON.stringify(write.arguments)}'`, { cwd });
    await terminal.sees('e edit the arguments');
    terminal.types('e\r');
    await terminal.sees('arguments: ');
    terminal.types('\u0015{"path":"other.txt","content":"mine"}\r');
    expect(await terminal.status).toBe(0);
    expect(readFileSync(join(cwd, 'other.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
  });

  it('asks on the terminal although the calls come through a pipe', async () => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([write]) });
    const terminal = onTerminal('run -', { cwd, before: 'cat calls.jsonl |' });
    await terminal.sees('e edit the arguments');
    terminal.types('y\r');
    expect(await terminal.status).toBe(0);
    expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('hello\n');
  });

  it('takes Ctrl-C at a question for the end of the run', async () => {
    const cwd = folderWith({ 'calls.jsonl': jsonLines([add, write, add]) });
    const terminal = onTerminal('run calls.jsonl', { cwd });
    await terminal.sees('e edit the arguments');
    terminal.types('\u0003');
    expect(await terminal.status).toBe(130);
    const text = stripVTControlCharacters(terminal.shown);
    expect(text).toContain('aborted');
    expect(text).toMatch(/calls +2/);
  });
});
