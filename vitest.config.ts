import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests import the package by its public names, so that they walk the public paths.
    alias: [
      { find: /^callgate$/, replacement: here('./src/index.ts') },
      { find: /^callgate\/middleware$/, replacement: here('./middleware/index.ts') },
      { find: /^callgate\/middleware\/(.*)$/, replacement: here('./middleware/$1.ts') },
      { find: /^callgate\/policy\/cedar$/, replacement: here('./src/policy/cedar.ts') },
      {
        find: /^callgate\/(tools|schema|providers|policy|codegen|testing|mcp)$/,
        replacement: here('./src/$1/index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', '**/node_modules/**'],
    // One core less is the default; but many tests wait for processes.
    maxWorkers: availableParallelism(),
    testTimeout: 20_000,
    typecheck: {
      enabled: false,
      include: ['test/**/*.test-d.ts'],
      checker: here('./node_modules/typescript7/bin/tsc'),
      tsconfig: here('./tsconfig.json'),
      ignoreSourceErrors: false,
    },
  },
});
