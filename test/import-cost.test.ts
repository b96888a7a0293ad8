import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
};

/** All that an import of one file loads before anything has run: own files by URL, the rest by name. */
function loadedBy(entry: URL): { readonly files: ReadonlySet<string>; readonly others: ReadonlySet<string> } {
  const files = new Set<string>();
  const others = new Set<string>();
  const waiting = [entry.href];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    // What is imported for its types only is gone from here on.
    const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(file), 'utf8'), { compilerOptions });
    for (const [, to = ''] of outputText.matchAll(/(?:^import|\bfrom)\s*["']([^"']+)["']/gm)) {
      if (to.startsWith('.')) waiting.push(new URL(to, file).href);
      else others.add(to);
    }
  }
  return { files, others };
}

// Figures of time are too noisy to assert; what is loaded decides them, and can be counted.
describe('importing the package', () => {
  const { files, others } = loadedBy(new URL('../src/index.ts', import.meta.url));

  it('loads no other package', () => {
    expect([...others].filter((name) => !name.startsWith('node:'))).toEqual([]);
  });

  it('loads of Node.js only what is there from its start, or is small', () => {
    const ready = ['diagnostics_channel', 'events', 'fs', 'module', 'os', 'path', 'process', 'timers', 'url', 'util'];
    expect([...others].filter((name) => !ready.includes(name.slice('node:'.length)))).toEqual([]);
  });

  it('loads nothing that only some calls need', () => {
    const later = [
      ...['policy/asking', 'policy/approval', 'policy/resume', 'policy/replace-file', 'capabilities/fs/operations'],
      ...['capabilities/fs/reading', 'capabilities/fs/writing', 'capabilities/fs/tree', 'capabilities/process/run'],
      ...['capabilities/process/granted-exec', 'capabilities/process/read-only', 'capabilities/net/hop'],
      ...['capabilities/net/fetcher', 'schema/engine', 'schema/check-arguments', 'providers/index'],
    ].map((name) => new URL(`../src/${name}.ts`, import.meta.url).href);
    for (const file of later) {
      expect(existsSync(fileURLToPath(file)), file).toBe(true);
      expect(files.has(file), file).toBe(false);
    }
  });
});
