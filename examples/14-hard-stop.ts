// A hard stop: handlers in processes of their own, which are ended at their deadline whatever they do, while all other
// calls go on.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter, defineTool, moduleHandler } from 'callgate';

const handlers = new URL('./hard-stop/handlers.mjs', import.meta.url);
const text = { type: 'string' } as const;

const countMatches = defineTool({
  name: 'count_matches',
  description: 'Counts the matches of a regular expression in a text.',
  parameters: { type: 'object', properties: { pattern: text, text }, required: ['pattern', 'text'] },
  permission: 'read',
  // A thread would do, and start sooner; of a program that tsx runs, as this one, only processes load TypeScript.
  isolate: 'process',
  timeout: 1_500,
  handler: moduleHandler(handlers, 'countMatches'),
});
const crash = defineTool({
  name: 'crash',
  description: 'Crashes as native code does.',
  parameters: { type: 'object' },
  permission: 'read',
  isolate: 'process',
  handler: moduleHandler(handlers, 'crash'),
});
const countLines = defineTool({
  name: 'count_lines',
  description: 'Counts the lines of a file.',
  parameters: { type: 'object', properties: { path: text }, required: ['path'], additionalProperties: false },
  permission: 'read',
  paths: { path: 'read' },
  isolate: 'process',
  handler: moduleHandler(handlers, 'countLines'),
});
const plain = defineTool({
  name: 'plain',
  description: 'Runs where the router runs.',
  parameters: { type: 'object' },
  permission: 'read',
  handler: async () => 'fine',
});

const root = await mkdtemp(join(tmpdir(), 'callgate-hard-stop-'));
await writeFile(join(root, 'notes.txt'), 'one\ntwo\nthree');
const router = createRouter({
  tools: [countMatches, crash, countLines, plain],
  roots: [root],
  // These examples run callgate from its sources: what loads TypeScript here loads it there. Otherwise `{}` is enough.
  isolation: { execArgv: process.execArgv },
});

try {
  // What the call was lent is used over messages; progress comes the same way.
  const progress: unknown[] = [];
  const lines = () =>
    router.invoke(countLines, { path: 'notes.txt' }, { onProgress: (data) => void progress.push(data) });
  assert.equal((await lines()).data, 3);
  assert.deepEqual(progress, ['reading notes.txt']);

  // The process is warm now, and serves other tools of the same module.
  const matches = (pattern: string, text: string) => router.invoke(countMatches, { pattern, text });
  assert.equal((await matches('o', 'foo boo')).data, 4);

  // An expression that explodes: answered at its deadline, ended right after, and nobody else notices.
  const ended = new Promise((resolve) => router.on('late', resolve));
  const exploding = matches('^(a+)+$', `${'a'.repeat(40)}!`);
  const others = await Promise.all(Array.from({ length: 50 }, () => router.invoke(plain, {})));
  assert.ok(others.every(({ ok }) => ok));
  const stopped = await exploding;
  assert.ok(!stopped.ok && stopped.code === 'timeout' && stopped.effect === 'unknown');
  await ended;

  // A crash costs the call that crashed.
  const crashed = await router.invoke(crash, {});
  assert.ok(!crashed.ok && crashed.code === 'unavailable');
  assert.equal((await lines()).data, 3);
} finally {
  await router.close();
  await rm(root, { recursive: true });
}
