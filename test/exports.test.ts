import { expect, test } from 'vitest';

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
