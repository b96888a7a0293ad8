import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serveMcpHttp } from 'callgate/mcp';
import { describe, expect, test } from 'vitest';
import { fixtureRouter } from './conformance/fixtures.ts';

// The official suite drives a callgate server over HTTP. It needs a newer Node.js than the server does.

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const suites = {
  current: here('./conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js'),
  next: here('./conformance/node_modules/conformance-next/dist/index.js'),
};

const noPrompts = 'callgate serves tools, and no prompts';
const noResources = 'callgate serves tools, and no resources';
const notApplicable: Readonly<Record<string, string>> = {
  'completion-complete': 'completion is for prompts and resources',
  'resources-list': noResources,
  'resources-read-text': noResources,
  'resources-read-binary': noResources,
  'resources-templates-read': noResources,
  'resources-subscribe': noResources,
  'resources-unsubscribe': noResources,
  'sep-2164-resource-not-found': noResources,
  'prompts-list': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-with-image': noPrompts,
  'input-required-result-non-tool-request': noPrompts,
  caching: 'lists of prompts and resources are looked at as well; those of tools carry the hints',
  'server-sse-polling': 'streams cannot be resumed: callgate keeps no events',
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function newerNode(): string | undefined {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const modules = here('../nodes/node_modules');
  const [found] = existsSync(modules) ? readdirSync(modules).filter((name) => name.startsWith('node24-')) : [];
  const path = found === undefined ? undefined : join(modules, found, 'bin', 'node');
  return path !== undefined && existsSync(path) ? path : undefined;
}

const node = newerNode();
const isInstalled = Object.values(suites).every((suite) => existsSync(suite));
const missing =
  node === undefined
    ? 'Node.js 22 or later is missing: npm ci --prefix test/nodes'
    : isInstalled
      ? undefined
      : 'the suite is missing: npm ci --ignore-scripts --prefix test/mcp/conformance';
if (missing !== undefined) console.warn(`The conformance suite of MCP is skipped: ${missing}.`);

/** Runs all of a suite's server scenarios; gives the checks that count, by scenario. */
async function run(suite: string, options: readonly string[]): Promise<Map<string, readonly Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-conformance-'));
  await using serving = await serveMcpHttp(fixtureRouter());
  const args = [suite, 'server', '--url', serving.url, '--suite', 'all', '--output-dir', folder, ...options];
  // It ends with an error when any scenario fails, applicable or not; what counts is what it has written.
  await promisify(execFile)(node as string, args, { timeout: 60_000 }).catch(() => {});
  const byScenario = new Map<string, readonly Check[]>();
  for (const entry of readdirSync(folder)) {
    const name = entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    const checks: readonly Check[] = JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8'));
    byScenario.set(
      name,
      checks.filter(({ status }) => status !== 'INFO'),
    );
  }
  rmSync(folder, { recursive: true });
  return byScenario;
}

describe.skipIf(missing !== undefined).concurrent('the official conformance suite, server scenarios', () => {
  test.each([
    ['current', [], 19],
    ['next', ['--spec-version', '2025-11-25'], 20],
    ['next', ['--spec-version', '2026-07-28'], 27],
  ] as const)(
    '%s %j: all that apply to tools pass',
    // The suite itself waits for parts of a second, which a busy machine may not keep.
    { timeout: 90_000, retry: 2 },
    async (suite, options, least) => {
      const scenarios = await run(suites[suite], options);
      const applicable = [...scenarios].filter(([name]) => !Object.hasOwn(notApplicable, name));
      const failed = applicable.flatMap(([name, checks]) =>
        checks
          .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
          .map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage}`),
      );
      expect(failed).toEqual([]);
      const passed = applicable.filter(([, checks]) => checks.some(({ status }) => status === 'SUCCESS'));
      expect(passed.map(([name]) => name)).toEqual(applicable.map(([name]) => name));
      expect(passed.length).toBeGreaterThanOrEqual(least);
      if (process.env['CALLGATE_FULL'] !== undefined) {
        const reasons = [...scenarios.keys()].filter((name) => Object.hasOwn(notApplicable, name));
        console.info(reasons.map((name) => `not applicable: ${name}: ${notApplicable[name]}`).join('\n'));
      }
    },
  );
});
