// Runs the tests under every other release of Node.js that is here, one after the other: `npm run test:nodes`. What is
// said after `--` names the files (`test` for all there are). With `--outputFile FILE` the counts of all releases together
// are written there, in the form of vitest's own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findNodes, type OtherNode } from './nodes.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Left out unless files are named: what looks at the sources or at other programs, and so comes to the same under each; and
 * what takes long and has its share in test/conformance.
 */
const elsewhere = [
  ...['test/nodes.test.ts', 'test/bench-counts.test.ts', 'test/boundaries.test.ts', 'test/exports.test.ts'],
  ...['test/import-cost.test.ts', 'test/codegen/**', 'test/cli/**', 'test/schema/**', 'test/tools/**'],
  ...['test/providers/corpus.test.ts', 'test/soak/**'],
];

interface Counts {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  numPendingTests: number;
}

const { values, positionals } = parseArgs({ options: { outputFile: { type: 'string' } }, allowPositionals: true });
const excluded = positionals.length === 0 ? elsewhere : [];
const { found, missing } = findNodes();
for (const { release, reason } of missing) console.log(`Node ${release} is left out: ${reason}`);

const all: Counts = { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 0, numPendingTests: 0 };
for (const node of found) {
  console.log(`--- Node ${node.version}`);
  const counts = testsUnder(node);
  for (const key of Object.keys(all) as (keyof Counts)[]) all[key] += counts[key];
  console.log(`Node ${node.version}: ${textOf(counts)}`);
}
if (values.outputFile !== undefined) writeFileSync(values.outputFile, JSON.stringify(all));
console.log(textOf(all));
process.exitCode = failuresOf(all) > 0 ? 1 : 0;

function testsUnder({ path }: OtherNode): Counts {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-nodes-'));
  const report = join(folder, 'report.json');
  // The long forms ran already; what tests start by the name `node` is to be this one, too.
  const { CALLGATE_FULL: _, ...env } = process.env;
  try {
    const { status } = spawnSync(
      path,
      [
        ...['node_modules/vitest/vitest.mjs', 'run', ...positionals, '--reporter=default'],
        ...['--reporter=json', `--outputFile.json=${report}`, ...excluded.map((file) => `--exclude=${file}`)],
      ],
      { cwd: project, env: { ...env, PATH: `${dirname(path)}${delimiter}${env['PATH'] ?? ''}` }, stdio: 'inherit' },
    );
    const counts = JSON.parse(readFileSync(report, 'utf8')) as Counts;
    // Such as an error that no test was there to catch.
    if (status !== 0 && failuresOf(counts) === 0) return { ...counts, numFailedTestSuites: 1 };
    return counts;
  } catch (error) {
    console.error(error);
    return { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1, numPendingTests: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As many as there are, and one at least when something failed that is no test. */
function failuresOf({ numFailedTests, numFailedTestSuites }: Counts): number {
  return numFailedTests > 0 ? numFailedTests : numFailedTestSuites;
}

function textOf(counts: Counts): string {
  return `${counts.numPassedTests} passed, ${failuresOf(counts)} failed, ${counts.numPendingTests} skipped`;
}
