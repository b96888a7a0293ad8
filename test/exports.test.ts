import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const json = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));

test('tests and examples find the source of every entry point', () => {
  const exported = json('package.json').exports as Record<string, string | { readonly types: string }>;
  const sources = Object.entries(exported).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [[`callgate${entry.slice(1)}`, [target.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, './$1.ts')]] as const],
  );
  expect(json('tsconfig.json').compilerOptions.paths).toEqual(Object.fromEntries(sources));
});

test('the names of the package', async () => {
  expect(Object.keys(await import('callgate')).sort()).toMatchInlineSnapshot(`
    [
      "ToolError",
      "content",
      "createRegistry",
      "createRouter",
      "defaultPipeline",
      "defineConfig",
      "defineTool",
      "errorCodes",
      "finish",
      "guard",
      "isContent",
      "isToolResult",
      "moduleHandler",
      "pipeline",
      "repeatable",
      "step",
      "systemClock",
      "toModelText",
      "traitsOf",
      "withTraits",
    ]
  `);
});

test('the names of callgate/middleware', async () => {
  expect(Object.keys(await import('callgate/middleware')).sort()).toMatchInlineSnapshot(`
    [
      "allowAll",
      "audit",
      "budget",
      "cache",
      "circuitBreaker",
      "commandGuard",
      "concurrency",
      "dedupe",
      "execute",
      "fallback",
      "forTools",
      "isolate",
      "locks",
      "logger",
      "lookup",
      "loopGuard",
      "normalize",
      "pathGuard",
      "permission",
      "rateLimit",
      "repair",
      "retry",
      "timeout",
      "urlGuard",
      "validate",
      "when",
    ]
  `);
});

test('the names of callgate/schema', async () => {
  expect(Object.keys(await import('callgate/schema')).sort()).toEqual([
    'cfworkerEngine',
    'checkForeignSchema',
    'createSchemaEngine',
    'lintSchema',
    'toLenientSchema',
  ]);
});

test('the names of callgate/testing', async () => {
  expect(Object.keys(await import('callgate/testing')).sort()).toEqual([
    'checkPipeline',
    'expectFailure',
    'expectOk',
    'expectOneEach',
    'fakeClock',
    'faults',
    'readRun',
    'recordRun',
    'recordedApprover',
    'replayRun',
    'replayTools',
    'stubTool',
    'withFaults',
  ]);
});

test('the names of callgate/mcp', async () => {
  expect(Object.keys(await import('callgate/mcp')).sort()).toMatchInlineSnapshot(`
    [
      "elicitApproval",
      "guessGuards",
      "mcpClient",
      "mcpServer",
      "mcpTools",
      "serveMcpHttp",
      "serveMcpStdio",
      "strayPaths",
    ]
  `);
});
