import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a tool with a schema of a dozen parts may cost the compiler, in type instantiations. Measured: 1,365. */
const mostEach = 2_500;

function toolSource(index: number): string {
  return `
export const tool${index} = defineTool({
  name: 'tool_${index}',
  description: '',
  parameters: {
    type: 'object',
    properties: {
      path${index}: { type: 'string' },
      limit: { type: 'integer', default: 5 },
      kind: { enum: ['a', 'b', 'c${index}'] },
      where: { type: 'object', properties: { line: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } } } },
      target: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }] },
    },
    required: ['path${index}', 'where'],
  },
  output: { type: 'object', properties: { found${index}: { type: 'array', items: { type: 'string' } } }, required: ['found${index}'] },
  handler: ({ path${index}, limit }) => ({ found${index}: [path${index}.slice(0, limit)] }),
});`;
}

async function instantiations(folder: string, tools: number): Promise<number> {
  const file = join(folder, `tools-${tools}.ts`);
  const sources = Array.from({ length: tools }, (_, index) => toolSource(index));
  await writeFile(
    file,
    `import { defineTool } from ${JSON.stringify(join(root, 'src/index.ts'))};\n${sources.join('')}`,
  );
  const flags = [
    '--noEmit',
    '--extendedDiagnostics',
    '--strict',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
    '--skipLibCheck',
    '--exactOptionalPropertyTypes',
    '--allowImportingTsExtensions',
  ];
  const tsc = join(root, 'node_modules/typescript7/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...flags, '--ignoreConfig', file], {
    cwd: root,
  });
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
}

test('a program of 100 tools keeps within its budget of type instantiations', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'callgate-types-'));
  try {
    const [one, all] = [await instantiations(folder, 1), await instantiations(folder, 101)];
    const each = (all - one) / 100;
    console.info(`${Math.round(each)} type instantiations a tool, ${all} in all`);
    expect(each).toBeGreaterThan(0);
    expect(each).toBeLessThan(mostEach);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
