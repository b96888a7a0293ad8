import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createGenerator, type GenerateOptions } from './generate.ts';
import { type WriteOutcome, writeGenerated } from './write.ts';

export interface WatchOptions extends GenerateOptions {
  /** Called after each run, the first included. */
  onRun(run: WatchRun): void;
}

export type WatchRun =
  | ({ readonly ok: true; readonly milliseconds: number } & WriteOutcome)
  | { readonly ok: false; readonly milliseconds: number; readonly error: unknown };

export interface Watcher {
  /** Runs now, whether or not something was seen to change. */
  run(): void;
  close(): void;
}

// Editors write a file in several steps; this is enough for them and too short to be noticed. In milliseconds.
const settleTime = 15;

/** Generates, and again whenever a source changes. A run that fails is reported and leaves the file as it is. */
export async function watch({ onRun, ...options }: WatchOptions): Promise<Watcher> {
  const generator = await createGenerator(options);
  const out = resolve(options.cwd ?? process.cwd(), options.out);
  const folders = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;

  function run(): void {
    const begun = performance.now();
    const milliseconds = (): number => performance.now() - begun;
    let outcome: WriteOutcome;
    try {
      const result = generator.run();
      outcome = writeGenerated(out, result);
      watchFoldersOf(result.sources);
    } catch (error) {
      onRun({ ok: false, error, milliseconds: milliseconds() });
      return;
    }
    onRun({ ok: true, ...outcome, milliseconds: milliseconds() });
  }

  // Folders and not files: an editor that replaces a file would leave a watcher on the old one.
  function watchFoldersOf(files: readonly string[]): void {
    for (const folder of new Set(files.map((file) => dirname(file)))) {
      if (folders.has(folder)) continue;
      const watcher = watchFolder(folder, (_, name) => {
        if (name !== null && (!/\.[cm]?tsx?$/.test(name) || resolve(folder, name) === out)) return;
        clearTimeout(timer);
        timer = setTimeout(run, settleTime);
      });
      watcher.on('error', () => folders.delete(folder));
      folders.set(folder, watcher);
    }
  }

  watchFoldersOf(options.files.map((file) => resolve(options.cwd ?? process.cwd(), file)));
  run();
  return {
    run,
    close() {
      clearTimeout(timer);
      for (const watcher of folders.values()) watcher.close();
      generator.close();
    },
  };
}
