import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findNodes } from './nodes/nodes.ts';

const folder = fileURLToPath(new URL('./conformance/', import.meta.url));
const helpers = ['main.mjs', 'random.mjs', 'support.mjs'];
const parts = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs') && !helpers.includes(name))
  .map((name) => name.replace(/\.mjs$/, ''));

/** What a part of the program prints under that Node, line by line. It fails when the program does, or writes a warning. */
async function printed(node: string, part: string): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)(node, ['--throw-deprecation', 'main.mjs', part], {
    cwd: folder,
    maxBuffer: 67_108_864,
    timeout: 100_000,
  });
  expect(stderr).toBe('');
  return stdout.split('\n');
}

const { found, missing } = findNodes();
const expected = new Map<string, Promise<string[]>>();

function here(part: string): Promise<string[]> {
  const known = expected.get(part) ?? printed(process.execPath, part);
  expected.set(part, known);
  return known;
}

// The built package, as it is installed: `npm test` builds it first.
describe(`what comes out of Node ${process.versions.node}`, { timeout: 120_000 }, () => {
  it('is the same twice, so that it can be compared', async () => {
    expect(await printed(process.execPath, 'batches')).toEqual(await here('batches'));
  });

  it('is thousands of results', async () => {
    const lines = await Promise.all(parts.map(here));
    expect(lines.flat().length).toBeGreaterThan(10_000);
  });

  for (const { version, path } of found) {
    it.each(parts)(`comes out of Node ${version}, byte by byte: %s`, async (part) => {
      const [one, other] = await Promise.all([here(part), printed(path, part)]);
      // Line by line, since a difference between megabytes cannot be shown.
      for (const [at, line] of one.entries()) expect(other[at]).toBe(line);
      expect(other).toHaveLength(one.length);
    });
  }

  for (const { release, reason } of missing) it.skip(`comes out of Node ${release} (skipped: ${reason})`, () => {});
});
