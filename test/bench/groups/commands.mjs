import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as bench from '../lib/callgate.mjs';
import { inChild } from '../lib/child.mjs';
import { compare } from '../lib/measure.mjs';
import { wallRow } from '../lib/rows.mjs';
import { median } from '../lib/statistics.mjs';

/** What reading and judging a command line costs, and what its sandbox. */
export const title = 'commands';

const line = 'cat src/index.ts | grep -n "export" | sort | uniq -c | head -20';
const unread = 'for f in src/*; do echo "$f"; done > list.txt';

async function inWorkspace(use) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'callgate-bench-commands-')));
  try {
    await mkdir(join(root, 'src'));
    await writeFile(join(root, 'src/index.ts'), 'export const one = 1;\n');
    return await use(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Parse and verdict alone, and the whole guard, which also looks at the disk. */
async function judge({ entry = bench.builtEntry, ...pace }) {
  const { commandGuard } = await import(new URL('../middleware/command-guard.js', entry).href);
  const { planOf } = await import(new URL('./capabilities/process/plan.js', entry).href);
  return inWorkspace(async (root) => {
    const sandboxed = commandGuard({ roots: [root] });
    const tool = { name: 'run', commands: ['command'] };
    const run = (stage, command) => () =>
      stage(
        { tool, args: { command }, onAbort() {}, onSettled() {}, fail: (code, text) => ({ call_id: '', code, text }) },
        (adds) => adds,
      );
    const check = (adds) => {
      if (adds === undefined) throw new Error('the guard added nothing');
    };
    const contenders = [
      { name: 'read', call: run(sandboxed, line), check },
      { name: 'unread', call: run(sandboxed, unread), check },
      { name: 'plan', call: () => planOf(line, 'shell'), check },
    ];
    return { tier: sandboxed.tier, samples: await compare(contenders, pace) };
  });
}

/** A program started by hand, and through the whole chain in the sandbox. */
async function start({ entry, ...pace }) {
  const callgate = await bench.load(entry);
  const { runShell } = await import(new URL('./tools/index.js', entry ?? bench.builtEntry).href);
  return inWorkspace(async (root) => {
    const router = callgate.createRouter({ tools: [runShell], roots: [root], mode: 'trusted' });
    const call = { id: 'c1', name: 'run_shell', arguments: { command: 'true' } };
    const plain = promisify(execFile);
    const contenders = [
      { name: 'plain', call: () => plain('/usr/bin/true', [], { env: {} }), check() {} },
      {
        name: 'sandboxed',
        call: () => router.call(call),
        check(result) {
          if (!result.ok || result.data.exit_code !== 0) throw new Error(result.error ?? result.data.stderr);
        },
      },
    ];
    return compare(contenders, { ...pace, sliceMs: Math.max(100, pace.sliceMs * 10) });
  });
}

export const cases = { judge, start };

export async function* rows(options) {
  const group = title;
  const { tier, samples } = await inChild(import.meta.url, 'judge', options);
  const row = (key, what, more) => ({ group, key, what, value: median(samples[key].cpu) / 1000, unit: 'us', ...more });
  yield row('plan', 'parse and verdict of five commands: CPU', { atMost: 50 });
  yield row('read', 'the whole guard on them, with the look at one path: CPU');
  yield row('unread', 'the whole guard on a text for a shell: CPU', { atMost: 50 });
  const key = 'start';
  const what = `a program's start and end in the sandbox (${tier}), whole chain: wall`;
  const against = 'execFile by hand';
  if (tier !== 'bubblewrap') yield { group, key, what, against, skipped: 'no bubblewrap here' };
  else
    yield wallRow(await inChild(import.meta.url, 'start', options), 'sandboxed', 'plain', {
      group,
      key,
      what,
      against,
    });
}
