import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { line } from './support.mjs';

const project = fileURLToPath(new URL('../..', import.meta.url));
const recorded = 'examples/recorded-run';

const config = ['--config', `${recorded}/callgate.config.mjs`];
const commands = [
  ['run', `${recorded}/calls.jsonl`, ...config, '--json'],
  ['run', `${recorded}/calls.jsonl`, ...config, '--concurrency', '4', '--mode', 'plan'],
  ['describe', ...config],
  ['policy', 'explain', 'send_invoice', '{"customer":"c","amount":2000}', ...config],
  ['call', 'multiply', '{"a":12,', ...config],
  ['gen', 'examples/gen/notes.ts', '--out', 'examples/gen/tools.gen.ts', '--check'],
  ['tools', '--config', `${recorded}/calls.jsonl`],
];

/** The command line as a user starts it, the recorded run first: what it prints and how it ends. */
export default async function* run() {
  for (const words of commands) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/src/cli/main.js', ...words], {
      cwd: project,
      encoding: 'utf8',
      input: '{"id":"1","name":"list_files"\n',
    });
    yield line(words.join(' '), [status, withoutTimes(stdout), withoutTimes(stderr)]);
  }
}

/** How long calls took, and what was made anew for this process, is not the same twice. */
function withoutTimes(text) {
  return text
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, '<time>')
    .replaceAll(/"(id|created|run)":"[^"]*"/g, '"$1":"<made>"')
    .replaceAll(/run_[0-9a-f-]{36}/g, '<run>')
    .replaceAll(/(callgate-recorded-run-)\w+/g, '$1<made>');
}
