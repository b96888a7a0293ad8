import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workspace } from '../../../src/capabilities/fs/workspace.ts';
import { ToolError } from '../../../src/errors.ts';
import { type FsTree, makeTree, snapshot } from '../../fixtures/fs-tree.ts';

const folder = path.join(process.env['CALLGATE_CORPORA'] ?? '../shared/corpora', 'payloads');
const missing = !fs.existsSync(folder);
if (missing) console.log(`skipped: there are no payload lists in ${folder}; set CALLGATE_CORPORA`);

/** Each payload as it stands, with its escapes decoded once, and twice. */
function payloads(): string[] {
  const found = new Set<string>();
  for (const name of fs.readdirSync(folder)) {
    if (!/Traversal|Inclusion/.test(name)) continue;
    for (const line of fs.readFileSync(path.join(folder, name), 'latin1').split(/\r?\n/)) {
      const raw = line.replaceAll('{FILE}', 'etc/passwd');
      const once = decoded(raw);
      for (const payload of [raw, once, decoded(once)]) found.add(payload);
    }
  }
  return [...found];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

describe.skipIf(missing)('public lists of traversal and inclusion payloads', () => {
  let tree: FsTree;
  beforeAll(() => {
    tree = makeTree();
  });
  afterAll(() => tree.remove());

  it.each(['read', 'write'] as const)('none escapes when it is %s', { timeout: 180_000 }, async (intent) => {
    const outside = [...snapshot(tree.out), ...snapshot(path.join(tree.base, 'root-evil'))];
    const beside = fs.readdirSync(tree.base).sort();
    const workspace = new Workspace({ roots: [tree.root] });
    let refused = 0;
    let reached = 0;
    // Tens of thousands of files take long to write and to remove.
    const step = intent === 'write' && process.env['CALLGATE_FULL'] !== '1' ? 8 : 1;
    for (const payload of payloads().filter((_, at) => at % step === 0)) {
      try {
        const checked = workspace.check(payload, intent);
        expect(checked.absolute === tree.root || checked.absolute.startsWith(`${tree.root}/`)).toBe(true);
        const files = workspace.scope([checked]);
        if (intent === 'write') await files.writeText(checked.argument, 'x', { mkdirs: true });
        else expect((await files.readText(checked.argument)).text).not.toMatch(/root:|TOP-SECRET/);
        files.revoke();
        reached++;
      } catch (error) {
        expect(error).toBeInstanceOf(ToolError);
        refused++;
      }
    }
    console.log(`${intent}: ${refused} payloads refused, ${reached} reached something inside`);
    expect(refused).toBeGreaterThan(1000);
    expect([...snapshot(tree.out), ...snapshot(path.join(tree.base, 'root-evil'))]).toEqual(outside);
    expect(fs.readdirSync(tree.base).sort()).toEqual(beside);
  });
});
