import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countsOf, goals } from './bench/groups/counts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
};

/**
 * Compiles the sources as the build does, so that what is counted is what is shipped and never a stale build: a test
 * runner's own module transform would allocate, too.
 */
async function compileTo(folder: string): Promise<string> {
  for (const part of ['src', 'middleware']) {
    const files = await readdir(join(root, part), { recursive: true });
    for (const file of files) {
      if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue;
      const source = await readFile(join(root, part, file), 'utf8');
      const target = join(folder, part, file.replace(/\.ts$/, '.js'));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, ts.transpileModule(source, { compilerOptions, fileName: file }).outputText);
    }
  }
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  return pathToFileURL(join(folder, 'src', 'index.js')).href;
}

describe('what one call through the whole default chain makes', () => {
  let folder = '';
  let entry = '';

  beforeAll(async () => {
    const cache = join(root, 'node_modules', '.cache');
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, 'callgate-counts-'));
    entry = await compileTo(folder);
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('counts the hand-written floor as three promises and two turns, so the counting itself is right', async () => {
    expect(await countsOf('floor, by hand', { entry })).toMatchObject({ promises: 3, turns: 2, timers: 0, signals: 0 });
  }, 60_000);

  for (const subject of [
    'default chain, async handler',
    'default chain, arguments as JSON text',
    'sync handler',
    'invalid arguments',
  ]) {
    it(`stays within the budget of promises, turns, timers, signals and bytes: ${subject}`, async () => {
      const found = await countsOf(subject, { entry });
      expect(found.promises).toBeLessThanOrEqual(goals.promises);
      expect(found.turns).toBeLessThanOrEqual(goals.turns);
      expect(found.timers).toBe(0);
      expect(found.signals).toBe(0);
      expect(found.immediatesInOneTurn).toBeLessThanOrEqual(1);
      expect(found.bytes).toBeLessThanOrEqual(goals.bytes);
    }, 60_000);
  }

  it('makes one promise, the answer, and needs one turn where nothing is asynchronous', async () => {
    for (const subject of ['sync handler', 'invalid arguments', 'denied by permission']) {
      expect(await countsOf(subject, { entry })).toMatchObject({ promises: 1, turns: 1, immediatesInOneTurn: 0 });
    }
  }, 60_000);
});
