import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter } from 'node:path';

/** A program that tests can be run under. */
export interface OtherNode {
  readonly version: string;
  readonly path: string;
}

/** A release that tests should be run under and cannot be. */
export interface MissingNode {
  readonly release: string;
  readonly reason: string;
}

const releases = ['22', '24'];

/**
 * Finds the releases of Node.js that tests run under beside the one at hand: those that
 * `npm ci --prefix test/nodes --ignore-scripts` installs where npm has builds for this system, and the programs that
 * CALLGATE_NODES names, separated as in PATH.
 */
export function findNodes(): { readonly found: readonly OtherNode[]; readonly missing: readonly MissingNode[] } {
  const found: OtherNode[] = [];
  const missing: MissingNode[] = [];
  for (const path of (process.env['CALLGATE_NODES'] ?? '').split(delimiter)) {
    if (path === '') continue;
    const version = versionOf(path);
    if (version !== undefined) found.push({ version, path });
    else missing.push({ release: path, reason: 'CALLGATE_NODES names it, and it does not run' });
  }
  for (const release of releases) {
    const isRelease = (version: string): boolean => version.startsWith(`${release}.`);
    if (isRelease(process.versions.node) || found.some(({ version }) => isRelease(version))) continue;
    const path = installed(release);
    const version = path === undefined ? undefined : versionOf(path);
    if (path !== undefined && version !== undefined) found.push({ version, path });
    else missing.push({ release, reason: path === undefined ? whyMissing(release) : 'it does not run on this system' });
  }
  return { found, missing };
}

function packageOf(release: string): string {
  return `node${release}-${process.platform}-${process.arch}`;
}

function installed(release: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`${packageOf(release)}/bin/node`);
  } catch {
    return undefined;
  }
}

function whyMissing(release: string): string {
  const manifest = readFileSync(new URL('./package.json', import.meta.url), 'utf8');
  if (manifest.includes(`"${packageOf(release)}"`)) {
    return 'it is not installed; run npm ci --prefix test/nodes --ignore-scripts';
  }
  return `no build of it for ${process.platform}-${process.arch} is known here; name one in CALLGATE_NODES`;
}

function versionOf(path: string): string | undefined {
  const { stdout } = spawnSync(path, ['--print', 'process.versions.node'], { encoding: 'utf8', timeout: 20_000 });
  const version = (stdout ?? '').trim();
  return /^\d+\.\d+\.\d+/.test(version) ? version : undefined;
}
