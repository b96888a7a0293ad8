import { resolve } from 'node:path';
import { createGenerator, type GenerateOptions, type Generator } from './generate.ts';
import { writeGenerated } from './write.ts';

/** The same as for `generate`. */
export type PluginOptions = GenerateOptions;

/** The part of a Rollup, Rolldown or Vite plug-in that is used here. */
export interface Plugin {
  readonly name: string;
  buildStart(this: PluginContext): Promise<void>;
  watchChange(this: PluginContext, id: string): void;
  closeBundle(): void;
}

interface PluginContext {
  addWatchFile?(file: string): void;
  warn?(message: string): void;
}

/**
 * A plug-in for Vite, Rollup, Rolldown and vitest that writes the generated file before a build, and again whenever a
 * source changes. A function that cannot be expressed fails the build, with file and line; under a development server
 * it is a warning, and the old file stays.
 *
 * @example
 * // vite.config.ts
 * import { callgateGen } from 'callgate/codegen';
 * import { defineConfig } from 'vite';
 *
 * export default defineConfig({ plugins: [callgateGen({ files: ['src/notes.ts'], out: 'src/tools.gen.ts' })] });
 */
export function callgateGen(options: PluginOptions): Plugin {
  const out = resolve(options.cwd ?? process.cwd(), options.out);
  let generator: Generator | undefined;
  let sources: readonly string[] = [];
  const run = (): void => {
    if (!generator) return;
    const { result } = writeGenerated(out, generator.run());
    sources = result.sources;
  };
  return {
    name: 'callgate-gen',
    async buildStart() {
      generator ??= await createGenerator(options);
      run();
      for (const source of sources) this.addWatchFile?.(source);
    },
    watchChange(id) {
      if (!sources.includes(id)) return;
      try {
        run();
      } catch (error) {
        // Thrown from here it would end a development server; where a build follows, `buildStart` fails it.
        this.warn?.((error as Error).message);
      }
    },
    closeBundle() {
      generator?.close();
      generator = undefined;
    },
  };
}
