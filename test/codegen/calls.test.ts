import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRouter, type Router, type Tool } from 'callgate';
import { beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../src/codegen/index.ts';
import { writeGenerated } from '../../src/codegen/write.ts';
import { makeProject, writeFiles } from './project.ts';

const source = `
import type { ToolContext } from 'callgate';

export enum Level { Low = 'low', High = 'high' }

/**
 * Finds notes.
 *
 * @param keyword - the word to look for
 * @integer limit
 * @minimum limit 1
 * @permission read
 * @timeout 5000
 * @readOnly
 * @idempotent
 * @openWorld false
 * @title Find notes
 * @tag notes
 * @tag search, text
 */
export async function searchNotes(keyword: string, limit = 5): Promise<string[]> {
  return [keyword, typeof limit, String(limit)];
}

/** Fields of one parameter. */
export function bag(first: string, { size = 3, ...rest }: { size?: number; color?: string; level: Level }) {
  return { first, size, rest };
}

interface Event { title: string; at: Date; next?: Event | null; seen: (Date | null)[] }

/** Dates everywhere. */
export function dates(
  day: Date,
  until: Date | undefined,
  event: Event,
  span: [Date, string, ...Date[]],
  named: Record<string, Date>,
  { from }: { from?: Date },
) {
  const show = (value: unknown): unknown => (value instanceof Date ? \`Date \${value.toISOString().slice(0, 10)}\` : value);
  return [
    show(day), show(until), event.title, show(event.at), event.seen.map(show), event.next && show(event.next.at),
    span.map(show), Object.values(named).map(show), show(from),
  ];
}

/** Gives what the router injects. */
export const injected = (word: string, context: ToolContext) => [word, context.signal instanceof AbortSignal, context.call.name];

/** Takes a signal. */
export const stoppable = ({ signal }: { signal?: AbortSignal }, own: AbortSignal) => [signal === own, own.aborted];

/** Takes the rest. */
export function join(separator: string, ...parts: (string | number)[]) { return parts.join(separator); }

/**
 * Declares what its arguments are.
 * @path file read
 * @path others write
 * @path options.deep read
 * @path lists read
 * @url page
 * @command line
 * @command argv
 * @destructive
 * @permission execute
 * @toolname files.declare
 */
export function declare(
  file: string, others: string[], options: { deep: string }, lists: string[][], page: string, line: string, argv: string[],
) { return [file, others, options, lists, page, line, argv].length; }

/** Of two signatures, one is chosen. */
export function twice(value: string): string;
/**
 * Doubles a number.
 * @tool
 */
export function twice(value: number): number;
export function twice(value: string | number): string | number { return typeof value === 'number' ? value * 2 : value + value; }

function local(x: number) { return x + 1; }
/** Not seen, because the constant has it. */
export { local as increment };
export default async function* counting(to: number) { for (let n = 1; n <= to; n++) yield n; return 'counted'; }

export const notAFunction = 3;
export type NotAFunction = () => void;
/** @description Other letters. @toolname similar */
export const \u00e4hnlich = (text: string) => text;
const odd = (n: number) => n;
export { odd as 'odd name' };
function notExported(callback: () => void) { callback(); }
notExported(() => {});
`;

// The same names again: the generated file must keep them apart.
const other = `
/** @toolname other_join */
export function join(context: string, args: string, tools = 1) { return \`\${context}\${args}\${tools}\`; }
/** @toolname delete_it */
export function defineTool(id: 'a-b' | "it's") { return id; }
`;

const folder = makeProject({ 'notes.ts': source, "lib/it's other.ts": other });
const out = join(folder, 'src/tools.gen.ts');
let text: string;
let tools: readonly Tool[];
let router: Router;

beforeAll(async () => {
  const result = await generate({
    cwd: folder,
    files: ['notes.ts', "lib/it's other.ts"],
    out,
    typescript: 'typescript7',
  });
  ({ text } = result);
  writeGenerated(out, result);
  ({ tools } = (await import(out)) as { tools: readonly Tool[] });
  router = createRouter({ tools: tools.filter((tool) => tool.name !== 'files.declare'), mode: 'trusted' });
}, 60_000);

const call = async (name: string, args: unknown): Promise<unknown> => {
  const result = await router.call({ id: '1', name, arguments: args });
  return result.ok ? result.data : `${result.code}: ${result.error}`;
};
const named = (name: string): Tool => tools.find((tool) => tool.name === name) as Tool;

describe('a generated tool', () => {
  it('calls the function with positional arguments, defaults filled in', async () => {
    expect(await call('search_notes', { keyword: 'rag' })).toEqual(['rag', 'number', '5']);
    expect(await call('search_notes', '{"keyword":"rag","limit":7}')).toEqual(['rag', 'number', '7']);
  });

  it('refuses what the signature and its tags refuse', async () => {
    expect(await call('search_notes', { limit: 3 })).toMatch(/^invalid_arguments: /);
    expect(await call('search_notes', { keyword: 'a', limit: 0 })).toMatch(/^invalid_arguments: .*limit/);
    expect(await call('search_notes', { keyword: 'a', limit: 1.5 })).toMatch(/^invalid_arguments: .*limit/);
    expect(await call('search_notes', { filename: 'a' })).toMatch(/^invalid_arguments: /);
  });

  it('carries what the tags declare', () => {
    expect(named('search_notes')).toMatchObject({
      description: 'Finds notes.',
      permission: 'read',
      timeout: 5000,
      tags: ['notes', 'search', 'text'],
      annotations: { readOnly: true, idempotent: true, openWorld: false, title: 'Find notes' },
    });
    expect(named('files.declare')).toMatchObject({
      permission: 'execute',
      annotations: { destructive: true },
      paths: { file: 'read', '/others/*': 'write', '/options/deep': 'read', '/lists/*/*': 'read' },
      urls: ['page'],
      commands: ['line', 'argv'],
    });
  });

  it('gathers the fields of a destructured parameter, and leaves absent ones absent', async () => {
    expect(await call('bag', { first: 'x', level: 'high' })).toEqual({ first: 'x', size: 3, rest: { level: 'high' } });
    expect(await call('bag', { first: 'x', level: 'low', color: 'red', size: 1 })).toEqual({
      first: 'x',
      size: 1,
      rest: { level: 'low', color: 'red' },
    });
  });

  it('revives Dates wherever they are', async () => {
    const [one, two] = ['2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z'];
    const args = {
      day: one,
      event: { title: 't', at: two, seen: [one, null], next: { title: 'n', at: one, seen: [], next: null } },
      span: [one, two, two],
      named: { a: two },
    };
    const [first, second] = ['Date 2026-01-01', 'Date 2026-02-02'];
    expect(await call('dates', args)).toEqual([
      first,
      null,
      't',
      second,
      [first, null],
      first,
      [first, two, second],
      [second],
      null,
    ]);
    expect(await call('dates', { ...args, until: two, from: one })).toMatchObject({ 1: second, 8: first });
    expect(await call('dates', { ...args, day: 'yesterday' })).toMatch(/^invalid_arguments: .*day/);
  });

  it('is given the context and the signal, which the model never sees', async () => {
    expect(await call('injected', { word: 'w' })).toEqual(['w', true, 'injected']);
    expect(await call('stoppable', {})).toEqual([true, false]);
    expect(Object.keys(named('injected').parameters.properties ?? {})).toEqual(['word']);
    expect(Object.keys(named('stoppable').parameters.properties ?? {})).toEqual([]);
  });

  it('spreads a rest parameter', async () => {
    expect(await call('join', { separator: '-', parts: ['a', 1] })).toBe('a-1');
    expect(await call('join', { separator: '-' })).toBe('');
  });

  it('has the chosen one of several signatures', async () => {
    expect(await call('twice', { value: 4 })).toBe(8);
    expect(await call('twice', { value: 'a' })).toMatch(/^invalid_arguments: /);
    expect(named('twice').description).toBe('Doubles a number.');
  });

  it('is made from renamed and default exports and from generators, not from what is no exported function', async () => {
    expect(tools.map((tool) => tool.name)).toEqual([
      'other_join',
      'delete_it',
      'search_notes',
      'bag',
      'dates',
      'injected',
      'stoppable',
      'join',
      'files.declare',
      'twice',
      'increment',
      'counting',
      'similar',
      'odd_name',
    ]);
    expect(await call('increment', { x: 1 })).toBe(2);
    expect(await call('counting', { to: 2 })).toBe('counted');
    expect(await call('similar', { text: 'x' })).toBe('x');
    expect(await call('odd_name', { n: 3 })).toBe(3);
    expect(named('similar').description).toBe('Other letters.');
  });

  it('keeps names apart that two files share', async () => {
    expect(await call('other_join', { context: 'c', args: 'a' })).toBe('ca1');
    expect(await call('delete_it', { id: "it's" })).toBe("it's");
  });
});

describe('the generated file', () => {
  it('imports the sources as they are written, and says how to write it again', () => {
    expect(text).toContain("from '../notes.ts';");
    expect(text).toContain("from '../lib/it\\'s other.ts';");
    expect(text).toContain('//   callgate gen "../lib/it\'s other.ts" ../notes.ts --out tools.gen.ts\n');
  });

  it('is checked by the compiler together with the functions', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const mistake =
      "import { searchNotesTool } from './tools.gen.ts';\n// @ts-expect-error limit is a number\nsearchNotesTool.handler({ keyword: 'a', limit: 'b' }, {} as never);\n";
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { rootDir: root, erasableSyntaxOnly: false },
      include: ['./**/*.ts'],
    };
    writeFiles(folder, { 'src/use.ts': mistake, 'tsconfig.json': JSON.stringify(config) });
    const tsc = join(root, 'node_modules/typescript7/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    // Only what stands in this folder: the package has tests of its own.
    expect(stdout.split('\n').filter((line) => /^(src|lib|notes)/.test(line))).toEqual([]);
  }, 60_000);
});
