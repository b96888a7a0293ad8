import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GenerateResult, generate } from '../../src/codegen/index.ts';
import { writeGenerated } from '../../src/codegen/write.ts';
import { compile } from '../../src/schema/engine.ts';
import type { Tool } from '../../src/tool.ts';
import { compilers, makeProject } from './project.ts';

const count = Number(process.env['CALLGATE_PARITY_FUNCTIONS'] ?? 100);
const seed = Number(process.env['CALLGATE_PARITY_SEED'] ?? 20);

// Types that the random ones are made of; the order of members and properties is as unalphabetical as it gets.
const preamble = `
export enum Color { Red = 'red', Blue = 'blue', Amber = 'amber' }
export enum Rank { Ten = 10, Two = 2, One = 1 }
type Sort = 'new' | 'old' | 'best';
type Wide = Sort | 7 | 3 | null;
const levels = ['low', 'high', 'critical'] as const;
interface Base { zeta: string; alpha?: number; mid: Sort }
interface Note extends Base { title: string; /** @minimum 1 */ size?: number; color: Color | null; when: Date }
interface Tree { value: string; children: Tree[]; parent?: Tree | null }
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Box<T> = { content: T; more?: Box<T>[] };
`;

const version = '`v$' + '{number}`';
const leaf = fc.constantFrom(
  'string',
  'number',
  'boolean',
  'unknown',
  "'z' | 'm' | 'a'",
  '3 | 1 | 2',
  'Sort',
  'Wide',
  'Color',
  'Rank',
  'Color.Blue | Color.Red',
  '(typeof levels)[number]',
  'keyof Note',
  'Base',
  'Tree',
  'Json',
  'Box<Sort>',
  'Box<number>',
  "Exclude<Sort, 'old'>",
  "Pick<Note, 'title' | 'alpha'>",
  'Partial<Base>',
  "Omit<Note, 'when'>",
  version,
  "Extract<keyof Note, 'zeta' | 'color'>",
  'Readonly<Base>',
  'Record<Sort, number>',
  'NonNullable<Wide>',
  'string & { readonly __brand: 1 }',
); // prettier-ignore

const type = fc.letrec<{ type: string }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('type').map((inner) => `(${inner})[]`),
    tie('type').map((inner) => `Record<string, ${inner}>`),
    tie('type').map((inner) => `(${inner}) | null`),
    tie('type').map((inner) => `Box<${inner}>`),
    fc.tuple(tie('type'), tie('type')).map(([one, other]) => `(${one}) | (${other})`),
    fc.tuple(tie('type'), tie('type')).map(([one, other]) => `[${one}, (${other})?]`),
    fc.tuple(tie('type'), tie('type')).map(([one, other]) => `{ zoo: ${one}; ant?: ${other} }`),
    fc.tuple(tie('type'), tie('type')).map(([one, other]) => `Base & { own: ${one}; bee?: ${other} }`),
  ),
})).type;

// A Date beside other types is refused at its declaration, which all functions share; so it stands alone here.
const dated = fc.oneof(
  { weight: 5, arbitrary: type },
  {
    weight: 1,
    arbitrary: fc.constantFrom('Date', 'Date[]', 'Note', 'Note[] | null', 'Record<string, Date>', '[Date, string?]'),
  },
);

const parameters = fc
  .tuple(dated, dated, fc.boolean())
  .map(([one, other, optional]) => `zed: ${one}, abe${optional ? '?' : ''}: ${other}`);

describe('random signatures', () => {
  it('give the same bytes under every compiler, and schemas that compile', async () => {
    const functions = fc
      .sample(parameters, { numRuns: count, seed })
      .map((list, index) => `/** F. */\nexport function f${index}(${list}) {}\n`);
    const folder = makeProject({ 'f.ts': preamble + functions.join('') });
    const results: GenerateResult[] = [];
    for (const typescript of compilers) {
      results.push(await generate({ cwd: folder, files: ['f.ts'], out: 'tools.gen.ts', typescript }));
    }
    const [first] = results as [GenerateResult];
    for (const { text } of results) expect(text).toBe(first.text);
    const out = `${folder}/tools.gen.ts`;
    writeGenerated(out, first);
    const { tools } = (await import(out)) as { tools: readonly Tool[] };
    expect(tools.length).toBe(count);
    for (const tool of tools) expect(() => compile(tool.parameters)).not.toThrow();
  }, 120_000);
});
