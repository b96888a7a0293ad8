import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./case.mjs', import.meta.url));

/** What a child writes before its report, after whatever else came out of it. */
const marker = '\u001ereport ';

/**
 * Runs one case of a group in a Node process of its own and gives what it returned.
 *
 * @param group URL of the group's module, which exports `cases`.
 * @param options handed to the case, as JSON.
 * @param flags for Node.
 */
export async function inChild(group, name, options, flags = []) {
  const { report, text, status } = await run([...flags, script, group, name, JSON.stringify(options)]);
  if (status !== 0 || report === undefined) throw new Error(`case ${name} ended with status ${status}\n${text}`);
  return JSON.parse(report);
}

/** Runs Node with these arguments; `report` is the JSON text after the marker. */
export function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('error', reject);
    child.on('close', (status) => {
      const start = out.lastIndexOf(marker);
      resolve({
        status,
        text: `${out}${err}`.trim(),
        report: start < 0 ? undefined : out.slice(start + marker.length),
      });
    });
  });
}
