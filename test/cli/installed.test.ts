import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, project } from './run-cli.ts';

// As npm installs it, but without the optional tsx.
const dependencies = ['ajv', 'ajv-formats', 'minimatch', 'p-timeout'];

it('a configuration in TypeScript without tsx is loaded by Node, or ends with 2 and says what to install', () => {
  const folder = folderWith({ 'callgate.config.ts': "export default { roots: ['.' as string] };" });
  const installed = join(folder, 'node_modules/callgate');
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(project, 'package.json'), join(installed, 'package.json'));
  cpSync(join(project, 'dist'), join(installed, 'dist'), { recursive: true });
  for (const name of dependencies) {
    symlinkSync(join(project, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
  }
  const ran = spawnSync(process.execPath, [join(installed, 'dist/src/cli/main.js'), 'tools'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if ((process.features as { typescript?: unknown }).typescript) {
    expect(ran.status).toBe(0);
  } else {
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/is TypeScript.*npm install --save-dev tsx/);
  }
});
