import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const top = fileURLToPath(new URL('..', import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(top, join(entry.parentPath, entry.name)));
}

/** The modules a file imports: relative ones as paths from the top, packages by name. */
function imports(file: string): string[] {
  const text = readFileSync(join(top, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, to = '']) =>
    to.startsWith('.') ? normalize(join(dirname(file), to)) : to,
  );
}

describe('a stage can do no more than a stage of yours', () => {
  const stages = sources('middleware').filter((file) => file !== 'middleware/index.ts');
  // What each stage fronts, beside the leaves that anybody may use.
  const leaves =
    /^src\/(types|traits|errors|failure|result|tool|clock|basics\/.*|observing\/stage-events|chain\/(conditional|named-tools)|concurrency\/waiting-room|definition\/argument-places)\.ts$/;
  const engines: Record<string, RegExp> = {
    'middleware/validate.ts': /^src\/schema\//,
    'middleware/execute.ts': /^src\/(call\/handler-run|schema\/.*)\.ts$/,
    'middleware/isolate.ts': /^src\/(call\/handler-run|schema\/.*|isolation\/.*)\.ts$/,
    'middleware/retry.ts': /^src\/resilience\//,
    'middleware/cache.ts': /^src\/resilience\//,
    'middleware/rate-limit.ts': /^src\/resilience\//,
    'middleware/circuit-breaker.ts': /^src\/resilience\//,
    'middleware/fallback.ts': /^src\/resilience\//,
    'middleware/dedupe.ts': /^src\/(resilience\/.*|policy\/per-run)\.ts$/,
    'middleware/lookup.ts': /^src\/offered-names\.ts$/,
    'middleware/timeout.ts': /^src\/call\/deadline\.ts$/,
    'middleware/locks.ts': /^src\/(locking\/.*|call\/nesting)\.ts$/,
    'middleware/concurrency.ts': /^src\/(concurrency\/.*|call\/nesting)\.ts$/,
    'middleware/budget.ts': /^src\/policy\//,
    'middleware/loop-guard.ts': /^src\/policy\//,
    'middleware/permission.ts': /^src\/policy\//,
    'middleware/path-guard.ts': /^src\/capabilities\/fs\//,
    'middleware/command-guard.ts': /^src\/capabilities\/(process|fs)\//,
    'middleware/url-guard.ts': /^src\/capabilities\/net\//,
    'middleware/normalize.ts': /^src\/(output\/.*|content)\.ts$/,
    'middleware/for-tools.ts': /^src\/policy\/names\.ts$/,
    'middleware/repair.ts': /^src\/providers\/arguments\//,
    'middleware/audit.ts': /^src\/output\//,
    'middleware/logger.ts': /^src\/output\//,
  };

  test.each(stages)('%s imports only leaves and the one engine it fronts', (file) => {
    const foreign = imports(file).filter(
      (to) => to.startsWith('node:') === false && !leaves.test(to) && !engines[file]?.test(to),
    );
    expect(foreign).toEqual([]);
  });

  test('no stage imports another stage, nor the whole package', () => {
    for (const file of stages) {
      expect(imports(file).filter((to) => to.startsWith('middleware/') || to === 'src/index.ts')).toEqual([]);
    }
  });
});

test('src imports middleware only where a pipeline is put together', () => {
  const importing = sources('src').filter((file) => imports(file).some((to) => to.startsWith('middleware/')));
  expect(importing.filter((file) => !file.startsWith('src/cli/'))).toEqual([
    'src/default-pipeline.ts',
    'src/mcp/gateway/router.ts',
    'src/mcp/gateway/stages.ts',
  ]);
});

test('shipped code imports no package that a user may not have, except on first use', () => {
  const allowed = new Set(['ajv', 'ajv-formats', 'minimatch', 'p-timeout']);
  for (const file of [...sources('src'), ...sources('middleware')]) {
    const text = readFileSync(join(top, file), 'utf8');
    const loaded = [...text.matchAll(/^import (?!type)[^;]*? from '([^'.][^']*)'/gm)].map(([, name = '']) => name);
    const packages = loaded.filter((name) => !name.startsWith('node:'));
    // Even the four dependencies are loaded on first use only, and by then not by an import statement.
    expect({ file, packages }).toEqual({ file, packages: [] });
    for (const name of packages) expect(allowed.has(name)).toBe(true);
  }
});
