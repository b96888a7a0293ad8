import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtEntry } from '../lib/callgate.mjs';
import { run } from '../lib/child.mjs';

/** What inferring a tool's argument types from its literal JSON Schema costs the compiler. */
export const title = 'types';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const compiler = join(root, 'node_modules/typescript/bin/tsc');

const schema = (i) => `{
    type: 'object',
    properties: {
      keyword${i}: { type: 'string', minLength: 1 },
      limit: { type: 'integer', minimum: 1, default: 5 },
      order: { enum: ['newest', 'oldest', 'best'] },
      tags: { type: 'array', items: { type: 'string' } },
      range: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } }, required: ['from'] },
      exact: { type: 'boolean', default: false },
    },
    required: ['keyword${i}'],
    additionalProperties: false,
  }`;

const common = (i) => `name: 'search_${i}', description: 'Searches.', permission: 'read'`;

const inferred = (i) => `
export const tool${i} = defineTool({
  ${common(i)},
  parameters: ${schema(i)},
  handler: ({ keyword${i}, limit, order, tags, range, exact }) =>
    [keyword${i}.length + limit, order, tags?.length, range?.from, exact] as const,
});`;

const byHand = (i) => `
interface Arguments${i} {
  keyword${i}: string; limit: number; order?: 'newest' | 'oldest' | 'best'; tags?: string[];
  range?: { from: string; to?: string }; exact: boolean;
}
export const tool${i}: Tool<Arguments${i}> = {
  ${common(i)},
  parameters: ${schema(i)},
  handler: ({ keyword${i}, limit, order, tags, range, exact }) =>
    [keyword${i}.length + limit, order, tags?.length, range?.from, exact] as const,
};`;

async function diagnose(folder, name, write, count, entry) {
  const file = join(folder, `${name}.ts`);
  const body = Array.from({ length: count }, (_, i) => write(i)).join('\n');
  await writeFile(
    file,
    `import { defineTool, type Tool } from 'callgate';\nvoid defineTool; export type Any = Tool;\n${body}\n`,
  );
  const project = join(folder, `${name}.json`);
  const compilerOptions = {
    noEmit: true,
    noUnusedLocals: false,
    rootDir: root,
    paths: { callgate: [fileURLToPath(entry).replace(/\.js$/, '.d.ts')] },
  };
  await writeFile(
    project,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], exclude: [], files: [file] }),
  );
  const { status, text } = await run([compiler, '-p', project, '--extendedDiagnostics']);
  if (status !== 0) throw new Error(`the types bench does not compile:\n${text.slice(0, 600)}`);
  const figure = (label) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(text)?.[1]);
  return { instantiations: figure('Instantiations'), types: figure('Types'), check: figure('Check time') };
}

const many = 100;

export async function* rows({ entry = builtEntry }) {
  const group = title;
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'callgate-types-'));
  try {
    const none = await diagnose(folder, 'none', inferred, 0, entry);
    const tools = await diagnose(folder, 'inferred', inferred, many, entry);
    const hand = await diagnose(folder, 'hand', byHand, many, entry);
    const each = (found, name) => Math.round((found[name] - none[name]) / many);
    yield {
      group,
      key: 'inferred',
      what: 'one defineTool, six properties',
      value: each(tools, 'instantiations'),
      unit: 'instantiations',
    };
    yield {
      group,
      key: 'hand',
      what: 'the same tool, its types written by hand',
      value: each(hand, 'instantiations'),
      unit: 'instantiations',
    };
    yield {
      group,
      key: 'time',
      what: `checking ${many} defineTool calls`,
      against: 'types written by hand',
      value: tools.check / hand.check,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
