import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildEnvironment } from '../../../src/capabilities/process/environment.ts';
import { findProgram } from '../../../src/capabilities/process/programs.ts';

const there = (...files: string[]) => ({
  path: ['/usr/local/bin', '/usr/bin'],
  writable: ['/space'],
  platform: 'linux' as const,
  find: (path: string) => (files.includes(path) ? path : undefined),
});

describe('a program is found', () => {
  test('by its plain name, in the first folder that has it', () => {
    expect(findProgram('ls', there('/usr/bin/ls'))).toBe('/usr/bin/ls');
    expect(findProgram('ls', there('/usr/bin/ls', '/usr/local/bin/ls'))).toBe('/usr/local/bin/ls');
    expect(findProgram('ls', there())).toBeUndefined();
  });

  test.skipIf(process.platform === 'win32')('past a folder of its name, and past what cannot be run', () => {
    const base = fs.realpathSync.native(fs.mkdtempSync(join(os.tmpdir(), 'programs-')));
    const path = ['folder', 'text', 'program'].map((name) => join(base, name));
    for (const folder of path) fs.mkdirSync(folder);
    fs.mkdirSync(join(base, 'folder/tool'));
    fs.writeFileSync(join(base, 'text/tool'), '', { mode: 0o644 });
    fs.writeFileSync(join(base, 'program/tool'), '', { mode: 0o755 });
    try {
      expect(findProgram('tool', { path, writable: [] })).toBe(join(base, 'program/tool'));
    } finally {
      fs.rmSync(base, { recursive: true });
    }
  });

  test.each(['./ls', '/usr/bin/ls', 'a/b', '..', '.', 'a\\b', '../ls'])('never as %s', (name) => {
    expect(() => findProgram(name, there(name, '/usr/bin/ls'))).toThrow(/by their plain names/);
  });

  test('never where a tool may have written it, also behind a link', () => {
    const search = { ...there(), find: () => '/space/bin/ls' };
    expect(() => findProgram('ls', search)).toThrow(/may write/);
    expect(() => findProgram('ls', { ...there('/space/ls'), path: ['/space'] })).toThrow(/may write/);
    expect(findProgram('ls', { ...there(), find: () => '/workshop/ls' })).toBe('/usr/local/bin/ls');
  });

  // A batch file's arguments are read again by the command interpreter, quotes or not.
  test.each(['x.bat', 'x.cmd', 'X.BAT', 'x.Cmd', 'x.bat.', 'x.cmd ', 'x.bat...'])(
    'never as %s on Windows (S60)',
    (name) => {
      const search = { ...there(), platform: 'win32' as const, find: (path: string) => path };
      expect(() => findProgram(name, search)).toThrow(/\.bat or \.cmd/);
    },
  );

  test('on Windows as a program file only', () => {
    const search = { path: ['C:/Windows/System32'], writable: [], platform: 'win32' as const };
    const find = (path: string) => (path.endsWith('where.exe') ? path : undefined);
    expect(findProgram('where', { ...search, find })).toBe('C:/Windows/System32/where.exe');
    expect(
      findProgram('where', { ...search, find: (path) => (path.endsWith('.cmd') ? path : undefined) }),
    ).toBeUndefined();
    expect(() => findProgram('x', { ...search, find: () => 'C:/npm/x.cmd' })).toThrow(/\.bat or \.cmd/);
  });
});

test('an environment has nothing of this process', () => {
  process.env['CALLGATE_TEST_SECRET'] = 'hush';
  const environment = buildEnvironment(['/usr/bin'], '/scratch', { MINE: '1' });
  delete process.env['CALLGATE_TEST_SECRET'];
  expect(environment).toMatchObject({ PATH: '/usr/bin', HOME: '/scratch', MINE: '1', GIT_CONFIG_GLOBAL: '/dev/null' });
  expect(Object.values(environment)).not.toContain('hush');
  expect(environment).not.toHaveProperty('NODE_OPTIONS');
});

test.each([
  'PATH',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'GIT_SSH_COMMAND',
  'GIT_EXTERNAL_DIFF',
  'GIT_CONFIG_GLOBAL',
  'NODE_OPTIONS',
  'BASH_ENV',
  'ENV',
  'PS4',
  'PROMPT_COMMAND',
  'IFS',
  'PYTHONSTARTUP',
  'PYTHONPATH',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'LESSOPEN',
  'RIPGREP_CONFIG_PATH',
  'BASH_FUNC_ls%%',
  'ld_preload',
])('no host hands on %s', (name) => {
  expect(() => buildEnvironment([], '/', { [name]: 'x' })).toThrow(TypeError);
});
