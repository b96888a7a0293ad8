import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { generate } from '../../src/codegen/index.ts';
import { compilers, writeFiles } from './project.ts';

// Outside this project: no tsconfig.json and no callgate can be found from there, and only the compilers that are put there.
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'callgate-gen-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const require = createRequire(import.meta.url);
mkdirSync(join(folder, 'node_modules'));
for (const name of compilers) {
  symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(folder, 'node_modules', name), 'junction');
}

const source = `import type { ToolContext } from 'callgate';
import type { Sort } from './sort.js';
/** Finds. */
export function find(word: string | null, sort: Sort, context: ToolContext) {}
/** Stops. */
export function stop(signal?: AbortSignal) {}
`;
writeFiles(folder, { 'notes.ts': source, 'sort.ts': `export type Sort = 'up' | 'down';\n` });

it('refuses an option that does not exist: without its filter, every function would become a tool', async () => {
  const options = { cwd: folder, files: ['notes.ts'], out: 'tools.gen.ts', onlyTagged: true };
  await expect(generate(options)).rejects.toThrow(
    'generate() has no option "onlyTagged". Its options are: files, out,',
  );
});

describe('a project elsewhere', () => {
  it.each(compilers)(
    'is read without a tsconfig and before callgate is installed: %s',
    async (typescript) => {
      const options = { cwd: folder, files: ['notes.ts'], out: 'tools.gen.ts', typescript };
      const { text, tools, sources } = await generate(options);
      expect(tools).toEqual(['find', 'stop']);
      expect(text).toContain("word: { type: ['string', 'null'] }, sort: { type: 'string', enum: ['up', 'down'] } },");
      expect(text).toContain('handler: (_args, context) => stop(context.signal),');
      expect([...sources].sort()).toEqual([join(folder, 'notes.ts'), join(folder, 'sort.ts')]);
    },
    60_000,
  );

  it.each(compilers)(
    'imports its sources as its settings allow: %s',
    async (typescript) => {
      const importOf = async (settings: object, more: object = {}): Promise<string | undefined> => {
        const tsconfig = { compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, ...settings } };
        writeFiles(folder, { 'endings/tsconfig.json': JSON.stringify(tsconfig), 'endings/notes.ts': source });
        writeFiles(folder, { 'endings/sort.ts': `export type Sort = 'x' | 'y';\n` });
        const options = { cwd: join(folder, 'endings'), files: ['notes.ts'], out: 'tools.gen.ts', typescript };
        const { text } = await generate({ ...options, ...more });
        return `${/--extension \w+/.exec(text)?.[0] ?? ''}${/'\.\/notes.*'/.exec(text)?.[0]}`;
      };
      expect(await importOf({})).toBe("'./notes.js'");
      expect(await importOf({ noEmit: true, allowImportingTsExtensions: true })).toBe("'./notes.ts'");
      expect(await importOf({ rewriteRelativeImportExtensions: true })).toBe("'./notes.ts'");
      expect(await importOf({}, { extension: 'ts' })).toBe("--extension ts'./notes.ts'");
      expect(await importOf({}, { extension: 'js' })).toBe("'./notes.js'");
    },
    60_000,
  );

  it('has its own settings: path aliases, and strictness that is off', async () => {
    const tsconfig = {
      compilerOptions: { strict: false, module: 'preserve', target: 'es2022', paths: { '#sort': ['./sort.ts'] } },
    };
    writeFiles(folder, {
      'loose/tsconfig.json': JSON.stringify(tsconfig),
      'loose/sort.ts': `export type Sort = 'x' | 'y';\n`,
      'loose/notes.ts': source.replace('./sort.js', '#sort'),
    });
    const { text } = await generate({
      cwd: join(folder, 'loose'),
      files: ['notes.ts'],
      out: 'tools.gen.ts',
      typescript: 'typescript7',
    });
    expect(text).toContain("word: { type: ['string', 'null'] }, sort: { type: 'string', enum: ['x', 'y'] } },");
  }, 60_000);
});
