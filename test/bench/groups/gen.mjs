import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtEntry } from '../lib/callgate.mjs';
import { inChild, run } from '../lib/child.mjs';
import { median, ratio } from '../lib/statistics.mjs';

/** Schemas from the signatures of plain functions: the first run, and a run after an edit with the compiler still loaded. */
export const title = 'gen';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const fileCount = 5;
const functionsEach = 10;

const source = (file) =>
  Array.from(
    { length: functionsEach },
    (_, i) => `
export interface Filter${i} { tags?: string[]; from?: string; order: 'newest' | 'oldest' }

/**
 * Searches the notes, way ${i}.
 * @param keyword What to look for.
 * @param limit How many to give.
 */
export async function search${file}x${i}(keyword: string, limit = 5, filter?: Filter${i}): Promise<string[]> {
  return [keyword, String(limit), filter?.order ?? ''];
}`,
  ).join('\n');

async function withProject(act) {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'callgate-gen-'));
  try {
    const files = Array.from({ length: fileCount }, (_, i) => join(folder, `notes-${i}.ts`));
    for (const [i, file] of files.entries()) await writeFile(file, source(i));
    const compilerOptions = { strict: true, noEmit: true, target: 'es2023', module: 'nodenext', types: [] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    return await act(folder, files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const codegen = (entry = builtEntry) => import(new URL('./codegen/index.js', entry).href);

/** In ms of wall time: of a compiler in a process of its own, no more can be had. */
async function timed(act) {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

function complete({ tools }) {
  if (tools.length !== fileCount * functionsEach) throw new Error(`${tools.length} tools were generated`);
}

export const cases = {
  cold: ({ entry, folder, files }) =>
    timed(async () => {
      const { generate } = await codegen(entry);
      complete(await generate({ files, out: join(folder, 'tools.gen.ts'), cwd: folder }));
    }),
  tsc: ({ folder }) =>
    timed(async () => {
      const { status, text } = await run([compiler, '-p', folder]);
      if (status !== 0) throw new Error(text);
    }),
  warm: async ({ entry, folder, files, edits }) => {
    const { createGenerator } = await codegen(entry);
    const generator = await createGenerator({ files, out: join(folder, 'tools.gen.ts'), cwd: folder });
    complete(generator.run());
    const walls = [];
    for (let edit = 0; edit < edits; edit++) {
      await appendFile(files[edit % files.length], `\n// edit ${edit}\nexport type Edit${edit} = ${edit};\n`);
      walls.push(await timed(() => complete(generator.run())));
    }
    generator.close();
    return { walls };
  },
};

export async function* rows({ entry, processes }) {
  const group = title;
  const tools = `${fileCount * functionsEach} functions`;
  const { walls, samples } = await withProject(async (folder, files) => {
    const samples = { cold: [], tsc: [] };
    for (let round = 0; round < processes; round++) {
      for (const name of ['cold', 'tsc']) {
        samples[name].push(await inChild(import.meta.url, name, { entry, folder, files }));
      }
    }
    const { walls } = await inChild(import.meta.url, 'warm', { entry, folder, files, edits: processes * 2 });
    return { walls, samples };
  });
  const { value, low, high } = ratio(samples.cold, samples.tsc);
  const what = `generating from ${tools}, cold: wall`;
  yield { group, key: 'cold', what, against: 'tsc --noEmit on them', value, low, high, wall: value };
  yield {
    group,
    key: 'warm',
    what: 'the same again after an edit: wall',
    value: median(walls),
    unit: 'ms',
    atMost: 100,
  };
}
