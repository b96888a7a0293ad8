import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callgateGen, GenerateError, watch } from '../../src/codegen/index.ts';
import type { WatchRun } from '../../src/codegen/watch.ts';
import { compilers, makeProject, writeFiles } from './project.ts';

const source = (type: string): string =>
  `import type { Sort } from './sort.ts';\n/** Finds. */\nexport function find(word: ${type}, sort: Sort) {}\n`;

/** Runs in the order they come; waits for the next one. */
function collector(): { onRun: (run: WatchRun) => void; next: () => Promise<WatchRun> } {
  const runs: WatchRun[] = [];
  const waiting: ((run: WatchRun) => void)[] = [];
  return {
    onRun(run) {
      const taker = waiting.shift();
      if (taker) taker(run);
      else runs.push(run);
    },
    next: () =>
      new Promise((resolve) => {
        const run = runs.shift();
        if (run) resolve(run);
        else waiting.push(resolve);
      }),
  };
}

describe('watching', () => {
  it.each(compilers)(
    'writes again when a source, or what it imports, has changed: %s',
    async (typescript) => {
      const folder = makeProject({ 'notes.ts': source('string'), 'sort.ts': `export type Sort = 'b' | 'a';\n` });
      const { onRun, next } = collector();
      const read = (): string => readFileSync(join(folder, 'tools.gen.ts'), 'utf8');
      const watcher = await watch({ cwd: folder, files: ['notes.ts'], out: 'tools.gen.ts', typescript, onRun });
      const times: number[] = [];
      const until = async (text: string): Promise<void> => {
        // One save may be seen as several changes, and so be several runs.
        for (;;) {
          const run = await next();
          times.push(run.milliseconds);
          if (run.ok && read().includes(text)) return;
          if (!run.ok) throw run.error;
        }
      };
      try {
        await until("enum: ['b', 'a']");
        writeFiles(folder, { 'notes.ts': source('number') });
        await until("word: { type: 'number' }");
        writeFiles(folder, { 'sort.ts': `export type Sort = 'c' | 'b' | 'a';\n` });
        await until("enum: ['c', 'b', 'a']");
        const [cold = 0, ...warm] = times;
        console.info(
          `${typescript}: first run ${cold.toFixed(0)} ms, later ${warm.map((ms) => ms.toFixed(0)).join(', ')} ms`,
        );
      } finally {
        watcher.close();
      }
    },
    60_000,
  );

  it('reports a mistake, keeps the old file, and goes on', async () => {
    const folder = makeProject({ 'notes.ts': source('string'), 'sort.ts': `export type Sort = 'a';\n` });
    const { onRun, next } = collector();
    const out = join(folder, 'tools.gen.ts');
    const options = { cwd: folder, files: ['notes.ts'], out, typescript: 'typescript7', onRun };
    const watcher = await watch(options);
    try {
      expect(await next()).toMatchObject({ ok: true, written: true });
      const before = readFileSync(out, 'utf8');
      writeFiles(folder, { 'notes.ts': source('symbol') });
      let run = await next();
      while (run.ok) run = await next();
      expect(run.error).toBeInstanceOf(GenerateError);
      expect(readFileSync(out, 'utf8')).toBe(before);
      writeFiles(folder, { 'notes.ts': source('boolean') });
      while (!run.ok || !run.written) run = await next();
      expect(readFileSync(out, 'utf8')).toContain("word: { type: 'boolean' }");
    } finally {
      watcher.close();
    }
  }, 60_000);
});

describe('the plug-in', () => {
  it('writes before a build and when a source changes, and watches what was read', async () => {
    const folder = makeProject({ 'notes.ts': source('string'), 'sort.ts': `export type Sort = 'a';\n` });
    const out = join(folder, 'tools.gen.ts');
    const plugin = callgateGen({ cwd: folder, files: ['notes.ts'], out, typescript: 'typescript7' });
    const watched: string[] = [];
    const warnings: string[] = [];
    const context = {
      addWatchFile: (file: string) => void watched.push(file),
      warn: (message: string) => void warnings.push(message),
    };
    try {
      await plugin.buildStart.call(context);
      expect(watched.sort()).toEqual([join(folder, 'notes.ts'), join(folder, 'sort.ts')]);
      expect(readFileSync(out, 'utf8')).toContain("word: { type: 'string' }");
      writeFiles(folder, { 'notes.ts': source('number') });
      plugin.watchChange.call(context, join(folder, 'notes.ts'));
      expect(readFileSync(out, 'utf8')).toContain("word: { type: 'number' }");
      rmSync(out);
      plugin.watchChange.call(context, join(folder, 'unrelated.ts'));
      expect(() => readFileSync(out)).toThrow();
      writeFiles(folder, { 'notes.ts': source('symbol') });
      plugin.watchChange.call(context, join(folder, 'notes.ts'));
      expect(warnings).toEqual([expect.stringContaining('parameter `word`: a symbol cannot come from JSON.')]);
      await expect(plugin.buildStart.call(context)).rejects.toThrow(GenerateError);
    } finally {
      plugin.closeBundle();
    }
  }, 60_000);

  it('runs in a real build', async () => {
    const { build } = await import('vite');
    const folder = makeProject({
      'notes.ts': `/** Finds. */\nexport function find(word: string) { return word; }\n`,
      'main.ts': `import { findParameters } from './tools.gen.ts';\nconsole.log(findParameters);\n`,
    });
    const plugin = callgateGen({ cwd: folder, files: ['notes.ts'], out: 'tools.gen.ts', typescript: 'typescript7' });
    await build({
      root: folder,
      logLevel: 'silent',
      configFile: false,
      plugins: [plugin],
      build: { lib: { entry: 'main.ts', formats: ['es'] }, rollupOptions: { external: ['callgate'] } },
    });
    expect(readFileSync(join(folder, 'tools.gen.ts'), 'utf8')).toContain("name: 'find'");
  }, 60_000);
});
