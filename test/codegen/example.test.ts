import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { genCommand } from '../../src/codegen/command.ts';
import { compilers } from './project.ts';

const folder = fileURLToPath(new URL('../../examples/gen/', import.meta.url));

describe('the example', () => {
  it.each(compilers)(
    'has not drifted, by the word of %s',
    async (typescript) => {
      let output = '';
      const note = (text: string): void => {
        output += text;
      };
      const argv = ['notes.ts', '--out', 'tools.gen.ts', '--check', '--typescript', typescript];
      const code = await genCommand(argv, { stdout: note, stderr: note, cwd: folder });
      expect([code, output]).toEqual([0, 'tools.gen.ts: 3 tools, up to date\n']);
    },
    60_000,
  );

  it('runs and holds what it asserts', async () => {
    await promisify(execFile)(process.execPath, ['--import', 'tsx', 'main.ts'], { cwd: folder, timeout: 60_000 });
  }, 60_000);
});
