import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callgate, folderWith, project, resultsIn } from './run-cli.ts';

const empty = (): string => folderWith({});

describe('callgate call', () => {
  it('makes one call and prints its result; 0 for ok, 1 for a failure', async () => {
    const good = await callgate(['call', 'add', '{"a":1,"b":2}', '--id', 'x'], { cwd: empty() });
    expect(good.status).toBe(0);
    expect(resultsIn(good.stdout)).toMatchObject([{ ok: true, data: 3, call_id: 'x' }]);
    const bad = await callgate(['call', 'add', '{"a":1}'], { cwd: empty() });
    expect(bad.status).toBe(1);
    expect(resultsIn(bad.stdout)).toMatchObject([{ ok: false, code: 'invalid_arguments' }]);
  });

  it('takes the arguments from standard input for -, and none when there are none', async () => {
    const piped = await callgate(['call', 'echo', '-'], { cwd: empty(), input: '{"text":"é☕"}' });
    expect(resultsIn(piped.stdout)).toMatchObject([{ data: 'é☕' }]);
    const without = await callgate(['call', 'list_files'], { cwd: empty() });
    expect(resultsIn(without.stdout)).toMatchObject([{ ok: true }]);
  });

  it('leaves broken arguments to the router', async () => {
    const ran = await callgate(['call', 'echo', '{"text":'], { cwd: empty() });
    expect(ran.status).toBe(1);
    expect(resultsIn(ran.stdout)).toMatchObject([{ code: 'invalid_json' }]);
  });

  it.each([
    ['no name', ['call'], 'Name the tool'],
    ['arguments that the shell took apart', ['call', 'add', '{a:', '1}'], 'put it in quotes'],
  ])('%s: ends with 2', async (_what, args, problem) => {
    expect(await callgate(args, { cwd: empty() })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(problem),
    });
  });
});

describe('the built-in tools', () => {
  it.each([
    ['add', '{"a":2,"b":3}', { ok: true, data: 5 }],
    ['multiply', '{"a":6,"b":7}', { ok: true, data: 42 }],
    ['echo', '{"text":"hi"}', { ok: true, data: 'hi' }],
    ['add', '{"a":1e308,"b":1e308}', { ok: false, code: 'tool_error' }],
    ['multiply', '{"a":1e308,"b":-1e308}', { ok: false, code: 'tool_error' }],
    ['add', '{"a":1,"b":2,"c":3}', { ok: false, code: 'invalid_arguments' }],
  ])('%s %s', async (name, args, expected) => {
    expect(resultsIn((await callgate(['call', name, args], { cwd: empty() })).stdout)).toMatchObject([expected]);
  });
});

interface Schema {
  readonly name?: string;
  readonly function?: { readonly name: string };
}

describe('callgate tools', () => {
  it('lists the tools with their levels and arguments', async () => {
    const { stdout, status } = await callgate(['tools'], { cwd: empty() });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^tool +level +arguments +description\n/);
    expect(stdout).toMatch(
      /^write_file +write +path, content, overwrite\? +Write a whole text file.*use edit_file\.$/m,
    );
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'tool',
      'echo',
      'add',
      'multiply',
      'read_file',
      'write_file',
      'list_files',
      '',
    ]);
  });

  it.each([
    ['openai', (tool: Schema) => tool.function?.name],
    ['anthropic', (tool: Schema) => tool.name],
    ['mcp', (tool: Schema) => tool.name],
  ])('prints the schemas as %s takes them', async (format, nameOf) => {
    const { stdout, status } = await callgate(['tools', '--format', format], { cwd: empty() });
    expect(status).toBe(0);
    expect((JSON.parse(stdout) as Schema[]).map(nameOf)).toContain('read_file');
  });

  it('offers no tool that the mode denies whatever the arguments', async () => {
    const { stdout } = await callgate(['tools', '-f', 'anthropic', '--mode', 'plan'], { cwd: empty() });
    const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toContain('read_file');
    expect(names).not.toContain('write_file');
  });

  it('names the formats there are', async () => {
    const ran = await callgate(['tools', '--format', 'antropic'], { cwd: empty() });
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean anthropic?') });
  });

  it('gives the list as JSON', async () => {
    const { stdout } = await callgate(['tools', '--json'], { cwd: empty() });
    expect(JSON.parse(stdout)[0]).toMatchObject({ name: 'echo', permission: 'read', parameters: { type: 'object' } });
  });
});

describe('callgate describe', () => {
  it('shows the chain in its order, the mode and the roots', async () => {
    const cwd = empty();
    const { stdout } = await callgate(['describe', '--mode', 'auto'], { cwd });
    expect(stdout).toMatch(/^mode +auto$/m);
    expect(stdout).toContain(cwd);
    const stages = [...stdout.matchAll(/^\d+ +(\w+)/gm)].map(([, name]) => name);
    expect(stages).toEqual([
      'normalize',
      'lookup',
      'validate',
      'pathGuard',
      'commandGuard',
      'urlGuard',
      'permission',
      'locks',
      'concurrency',
      'timeout',
      'execute',
    ]);
    expect(stdout).toMatch(
      /^4 +pathGuard +tool, args +args, effects, fs +guard, rewrites, provides fs, files [a-z-]+$/m,
    );
  });

  it('gives the same as JSON', async () => {
    const cwd = empty();
    const described = JSON.parse((await callgate(['describe', '--json'], { cwd })).stdout);
    expect(described).toMatchObject({ config: null, mode: 'ask', roots: [cwd], tools: 6 });
    expect(described.stages[1]).toMatchObject({ name: 'lookup', adds: ['tool'] });
  });
});

describe('callgate', () => {
  it('gives its version without loading the router', async () => {
    const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
    expect(await callgate(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    const loaded = [...staticImports(join(project, 'src/cli/main.ts'))].map((path) => path.slice(project.length));
    expect(loaded).not.toContain('src/router.ts');
    expect(loaded.length).toBeLessThan(15);
  });

  it.each(['run', 'call', 'tools', 'describe', 'gen'])('%s has its help', async (command) => {
    const ran = await callgate([command, '--help'], { cwd: empty() });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.stdout).toMatch(new RegExp(`^Usage: callgate ${command}`));
  });

  it('has a help of its own', async () => {
    for (const option of ['--help', '-h', 'help']) {
      expect((await callgate([option])).stdout).toMatch(/^Usage: callgate COMMAND/);
    }
  });

  it.each([
    [['rnu'], 'There is no command "rnu". Did you mean run?'],
    [['frobnicate'], 'The commands are: run, call, tools, describe, policy, mcp, gen.'],
    [['constructor'], 'There is no command "constructor"'],
    [['--json', 'run'], 'The command stands first'],
    [[], 'No command is given'],
    [['describe', 'x'], 'describe takes no argument x'],
    [['tools', '--strict'], '--strict goes with --format'],
  ])('%j ends with 2', async (args, problem) => {
    const ran = await callgate(args);
    expect(ran).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(problem) });
    expect(ran.stderr).toMatch(/\nUsage: callgate /);
  });
});

/** A file and all that it imports at once; types and what is loaded later are not counted. */
function staticImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const source = readFileSync(path, 'utf8');
  for (const [, from] of source.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';/gm)) {
    staticImports(join(dirname(path), from as string), found);
  }
  return found;
}
