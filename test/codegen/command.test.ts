import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { genCommand } from '../../src/codegen/command.ts';
import { ours } from '../../src/codegen/tags.ts';
import { makeProject, writeFiles } from './project.ts';

const notes = `/** Finds notes. */\nexport function searchNotes(keyword: string, limit = 5) { return [keyword, limit]; }\n`;
const folder = makeProject({ 'notes.ts': notes, 'bad.ts': `export function f(done: () => void) {}\n` });
const out = join(folder, 'tools.gen.ts');

async function gen(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' };
  const code = await genCommand(['--typescript', 'typescript7', ...argv], {
    stdout: (text) => {
      output.stdout += text;
    },
    stderr: (text) => {
      output.stderr += text;
    },
    cwd: folder,
  });
  return { code, ...output };
}

afterEach(() => {
  vi.unstubAllEnvs();
  writeFiles(folder, { 'notes.ts': notes });
  rmSync(out, { force: true });
});

describe('callgate gen', () => {
  it('writes the file, and leaves it alone when nothing has changed', async () => {
    expect(await gen('notes.ts', '--out', 'tools.gen.ts')).toEqual({
      code: 0,
      stdout: 'tools.gen.ts: 1 tool\n',
      stderr: '',
    });
    expect(readFileSync(out, 'utf8')).toContain("name: 'search_notes'");
    expect((await gen('notes.ts', '--out', 'tools.gen.ts')).stdout).toBe('tools.gen.ts: 1 tool, unchanged\n');
  });

  it('makes the folder that the file goes to', async () => {
    expect((await gen('notes.ts', '-o', 'deep/er/tools.gen.ts')).code).toBe(0);
    expect(readFileSync(join(folder, 'deep/er/tools.gen.ts'), 'utf8')).toContain("from '../../notes.ts'");
  });

  it('writes other endings, another package and only tagged functions on request, and names the flags', async () => {
    writeFiles(folder, { 'notes.ts': `${notes}/** Adds.\n * @tool */\nexport const add = (a: number) => a;\n` });
    const flags = ['--tagged', '--extension', 'js', '--import-from', '#callgate'];
    expect((await gen('notes.ts', '--out', 'tools.gen.ts', ...flags)).code).toBe(0);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain("import { defineTool } from '#callgate';\nimport { add } from './notes.js';");
    expect(text).toContain(
      'callgate gen notes.ts --out tools.gen.ts --tagged --extension js --import-from #callgate\n',
    );
    expect(text).not.toContain('search_notes');
    await gen('notes.ts', '--out', 'tools.gen.ts', '--extension', 'none');
    expect(readFileSync(out, 'utf8')).toContain("from './notes';");
  });

  it('warns of a function that nobody has described', async () => {
    writeFiles(folder, { 'notes.ts': 'export function sendHTTPRequest(a: string) {}' });
    const { code, stderr } = await gen('notes.ts', '--out', 'tools.gen.ts');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: notes\.ts: sendHTTPRequest has no description\./);
    expect(readFileSync(out, 'utf8')).toContain("name: 'send_http_request',\n  description: 'Send http request.',");
  });
});

describe('callgate gen --check', () => {
  it('agrees with a file that is up to date, whatever the order of the arguments', async () => {
    writeFiles(folder, { 'more.ts': '/** More. */\nexport const more = () => 1;\n' });
    await gen('notes.ts', 'more.ts', '--out', 'tools.gen.ts');
    expect(await gen('--check', 'more.ts', './notes.ts', '--out', './tools.gen.ts')).toEqual({
      code: 0,
      stdout: './tools.gen.ts: 2 tools, up to date\n',
      stderr: '',
    });
  });

  it('fails with a diff when the function has changed, and writes nothing', async () => {
    await gen('notes.ts', '--out', 'tools.gen.ts');
    const before = readFileSync(out, 'utf8');
    writeFiles(folder, { 'notes.ts': notes.replace('limit = 5', 'most = 6') });
    const { code, stdout, stderr } = await gen('notes.ts', '--out', 'tools.gen.ts', '--check');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^--- tools\.gen\.ts\n\+\+\+ tools\.gen\.ts \(as it should be\)\n@@ -\d+,\d+ \+\d+,\d+ @@\n/,
    );
    expect(stdout).toContain(
      "\n-  properties: { keyword: { type: 'string' }, limit: { type: 'number', default: 5 } },\n",
    );
    expect(stdout).toContain(
      "\n+  properties: { keyword: { type: 'string' }, most: { type: 'number', default: 6 } },\n",
    );
    expect(stderr).toBe('tools.gen.ts has drifted from the functions. Run callgate gen again.\n');
    expect(readFileSync(out, 'utf8')).toBe(before);
  });

  it('fails on a single byte, and on a missing file', async () => {
    await gen('notes.ts', '--out', 'tools.gen.ts');
    writeFileSync(out, `${readFileSync(out, 'utf8')} `);
    expect((await gen('notes.ts', '--out', 'tools.gen.ts', '--check')).code).toBe(1);
    rmSync(out);
    const missing = await gen('notes.ts', '--out', 'tools.gen.ts', '--check');
    expect([missing.code, missing.stderr]).toEqual([1, 'tools.gen.ts is missing. Run callgate gen again.\n']);
  });
});

describe('callgate gen answers 2', () => {
  it('to a function that cannot be expressed, with file and line, and writes nothing', async () => {
    const { code, stderr, stdout } = await gen('notes.ts', 'bad.ts', '--out', 'tools.gen.ts');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^bad\.ts:1:19 - parameter `done`: a function cannot come from JSON\. /);
    expect(() => readFileSync(out)).toThrow();
  });

  it.each([
    ['no output', ['notes.ts'], /^Say which file to write: --out/],
    ['no input', ['--out', 'x.ts'], /^Name at least one TypeScript file/],
    ['a missing file', ['nots.ts', '--out', 'x.ts'], /^There is no file nots\.ts\./],
    ['a file that is no source', ['tsconfig.json', '--out', 'x.ts'], /^tsconfig\.json is no TypeScript source file\./],
    ['declarations', ['notes.d.ts', '--out', 'x.ts'], /^notes\.d\.ts is no TypeScript source file\./],
    [
      'an output that is an input',
      ['notes.ts', '--out', 'notes.ts'],
      /^notes\.ts is an input and the output at once\./,
    ],
    ['an unknown option', ['notes.ts', '--out', 'x.ts', '--chek'], /'--chek'[\s\S]*Usage: callgate gen/],
    ['an unknown ending', ['notes.ts', '--out', 'x.ts', '--extension', 'mjs'], /^--extension is ts, js or none/],
    ['check and watch at once', ['notes.ts', '--out', 'x.ts', '--check', '--watch'], /do not go together/],
    ['a missing tsconfig', ['notes.ts', '--out', 'x.ts', '--tsconfig', 'no.json'], /^There is no no\.json here\./],
    [
      'nothing to export',
      ['notes.ts', '--out', 'x.ts', '--tagged'],
      /^There is no exported function with @tool in notes/,
    ],
  ] as const)('to %s', async (_, argv, message) => {
    const { code, stderr } = await gen(...argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('to two tools of one name', async () => {
    writeFiles(folder, {
      'again.ts': `/** Again. */\nexport const again = () => 1;\n/** @toolname again */\nexport const two = () => 2;\n`,
    });
    const { code, stderr } = await gen('again.ts', '--out', 'tools.gen.ts');
    expect(code).toBe(2);
    expect(stderr).toBe(
      'again.ts:4:14 - function `two`: the tool name again is taken by `again` in again.ts. Give one of them another with @toolname.\n',
    );
  });

  it('to a compiler that is missing or unknown, naming what to install', async () => {
    const missing = await gen('notes.ts', '--out', 'x.ts', '--typescript', 'no-such-package');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(
      /this project has no package "no-such-package".*npm install --save-dev typescript@/s,
    );
    writeFiles(folder, { 'node_modules/old-typescript/package.json': '{"version":"5.4.2"}' });
    const old = await gen('notes.ts', '--out', 'x.ts', '--typescript', 'old-typescript');
    expect(old.stderr).toMatch(/^callgate gen does not know TypeScript 5\.4\.2 .*npm install/);
    writeFiles(folder, { 'node_modules/bare-typescript/package.json': '{"version":"7.9.0"}' });
    const bare = await gen('notes.ts', '--out', 'x.ts', '--typescript', 'bare-typescript');
    expect(bare.stderr).toMatch(/^The package "bare-typescript" has no synchronous API\./);
  });
});

describe('the compiler', () => {
  it('is named by the environment when no option names it', async () => {
    vi.stubEnv('CALLGATE_TYPESCRIPT', 'no-such-package');
    const stderr = vi.fn();
    const io = { stdout: vi.fn(), stderr, cwd: folder };
    expect(await genCommand(['notes.ts', '--out', 'x.ts'], io)).toBe(2);
    expect(stderr.mock.lastCall?.[0]).toContain('no package "no-such-package"');
  });
});

describe('callgate gen --help', () => {
  it('shows the options, and every tag that there is', async () => {
    const { code, stdout } = await gen('--help');
    expect(code).toBe(0);
    for (const option of ['--out', '--check', '--watch', '--tagged', '--typescript']) expect(stdout).toContain(option);
    for (const tag of ours) expect(stdout).toContain(`@${tag}`);
  });
});
