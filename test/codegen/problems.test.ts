import { beforeAll, describe, expect, it } from 'vitest';
import { GenerateError, generate, type Problem } from '../../src/codegen/index.ts';
import { problemCases } from './problem-cases.ts';
import { compilers, makeProject } from './project.ts';

const fileOf = (index: number): string => `case${String(index).padStart(2, '0')}.ts`;
const folder = makeProject(Object.fromEntries(problemCases.map(([, source], index) => [fileOf(index), source])));
const problems = new Map<string, readonly Problem[]>();

beforeAll(async () => {
  const files = problemCases.map((_, index) => fileOf(index));
  for (const typescript of compilers) {
    const error: unknown = await generate({ cwd: folder, files, out: 'tools.gen.ts', typescript }).catch((e) => e);
    if (!(error instanceof GenerateError)) throw error;
    problems.set(typescript, error.problems);
  }
}, 60_000);

const inFile = (typescript: string, index: number): string[] =>
  (problems.get(typescript) ?? [])
    .filter((problem) => problem.file === fileOf(index))
    // All cases are read in one run, and so many functions `f` are one more problem.
    .filter((problem) => !problem.message.includes('the tool name f is taken'))
    .map(({ line, column, message }) => `${line}:${column} - ${message}`)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));

describe('refused, with the place and what to do:', () => {
  it.each(problemCases.map(([title, , ...expected], index) => [title, index, expected] as const))(
    '%s',
    (_, index, expected) => {
      const found = inFile('typescript', index);
      expect(found.map((line, at) => line.slice(0, expected[at]?.length))).toEqual(expected);
    },
  );
});

describe('every compiler', () => {
  // What is wrong with the syntax is told in the compiler's own words.
  const own = problemCases.length - 1;
  it.each(compilers)('says the same: %s', (typescript) => {
    for (let index = 0; index < own; index++) expect(inFile(typescript, index)).toEqual(inFile('typescript', index));
    expect(inFile(typescript, own)[0]).toMatch(/^1:22 - /);
  });
});
