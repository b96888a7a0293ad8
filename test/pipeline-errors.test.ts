import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const program = `
import { defaultPipeline, type Found, type Stage } from ${JSON.stringify(join(root, 'src/index.ts'))};
const standard = defaultPipeline({ roots: ['.'] });
declare const stage: Stage;
declare const needsTool: Stage<Found>;
export const all = [
  standard.after('lokup', 'mine', stage),
  standard.replace('lokup', stage),
  standard.without('pathGuard'),
  standard.without('lookup'),
  standard.without('lokup'),
  standard.after('lookup', 'validate', stage),
  standard.before('lookup', 'mine', needsTool),
];
`;

/** What the compiler has to say of a program, an entry for each error. */
async function errorsOf(text: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'callgate-errors-'));
  try {
    const file = join(folder, 'program.ts');
    await writeFile(file, text);
    const flags = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck'];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--allowImportingTsExtensions'];
    const tsc = join(root, 'node_modules/typescript7/bin/tsc');
    const args = [tsc, ...flags, ...types, '--exactOptionalPropertyTypes', '--ignoreConfig', file];
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: root }, (_, stdout) => resolve(stdout.split(/^(?=\S)/m)));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('the compiler says of a wrong edit which names there are, what is missing, or why it cannot be', async () => {
  const errors = await errorsOf(program);
  expect(errors).toHaveLength(7);
  const every =
    '"commandGuard" | "concurrency" | "execute" | "locks" | "lookup" | "normalize" | "pathGuard" | "permission" | ' +
    '"timeout" | "urlGuard" | "validate"';
  expect(errors[0]).toContain(`'"lokup"' is not assignable to parameter of type '${every}'`);
  expect(errors[1]).toContain(`'"lokup"' is not assignable to parameter of type '${every}'`);
  expect(errors[2]).toContain('pathGuard\\" is a guard and cannot be left out. To switch it off: replace');
  expect(errors[3]).toContain('lookup\\" cannot be left out: it adds what other stages build on.');
  expect(errors[4]).toContain(`type '"concurrency" | "execute" | "locks" | "normalize" | "timeout"'`);
  expect(errors[5]).toContain('validate\\" is taken: names are used once in a pipeline');
  expect(errors[6]).toContain(`Property 'tool' is missing in type 'Call<unknown>'`);
}, 60_000);
