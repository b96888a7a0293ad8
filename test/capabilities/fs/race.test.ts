import fs from 'node:fs';
import path from 'node:path';
import { createRouter } from 'callgate';
import { fileTools } from 'callgate/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workspace } from '../../../src/capabilities/fs/workspace.ts';
import { type Swapper, startSwapper } from '../../fixtures/fs-swapper.ts';
import { type FsTree, makeTree, openHandles, secret, snapshot } from '../../fixtures/fs-tree.ts';

const milliseconds = process.env['CALLGATE_FULL'] === '1' ? 5000 : 1000;
const anchored = process.platform === 'linux';

/**
 * Another process exchanges a folder of the workspace with a link to the outside, as fast as it can. Whatever of it a
 * call meets, it gets the inside or a refusal.
 */
describe.skipIf(!anchored)(`a folder that is exchanged with a link for ${milliseconds} ms`, () => {
  let tree: FsTree;
  let swapper: Swapper | undefined;
  beforeEach(() => {
    tree = makeTree();
    fs.mkdirSync(path.join(tree.root, 'a/b'), { recursive: true });
    fs.mkdirSync(path.join(tree.out, 'b'), { recursive: true });
    fs.writeFileSync(path.join(tree.root, 'a/b/f.txt'), 'inside');
    fs.writeFileSync(path.join(tree.out, 'b/f.txt'), secret);
    fs.symlinkSync('../out', path.join(tree.root, 'swap'));
  });
  afterEach(async () => {
    await swapper?.stop();
    swapper = undefined;
    tree.remove();
  });

  async function attack(attempt: (count: number) => Promise<boolean>): Promise<{ done: number; refused: number }> {
    const handles = openHandles();
    swapper = await startSwapper(path.join(tree.root, 'a'), path.join(tree.root, 'swap'));
    const counts = { done: 0, refused: 0 };
    const end = performance.now() + milliseconds;
    // On a busy machine the two may hardly meet, so that there is something to add until both outcomes were seen.
    const met = () => counts.done > 0 && counts.refused > 0;
    while (performance.now() < end || (!met() && performance.now() < end + 10_000)) {
      if (await attempt(counts.done + counts.refused)) counts.done++;
      else counts.refused++;
    }
    await swapper.stop();
    swapper = undefined;
    expect(openHandles()).toBeLessThanOrEqual(handles + 1);
    return counts;
  }

  it('is read through the router without a leak', { timeout: milliseconds + 30_000 }, async () => {
    const router = createRouter({ tools: fileTools, roots: [tree.root], mode: 'trusted' });
    const counts = await attack(async () => {
      const result = await router.call({ name: 'read_file', arguments: { path: 'a/b/f.txt' } });
      expect(JSON.stringify(result)).not.toContain(secret);
      if (result.ok) expect(result.data).toBe('inside');
      return result.ok;
    });
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
  });

  it('is read through a capability that was granted before without a leak', {
    timeout: milliseconds + 30_000,
  }, async () => {
    const workspace = new Workspace({ roots: [tree.root] });
    const files = workspace.scope([workspace.check('a', 'read'), workspace.check('a/b/f.txt', 'read')]);
    const counts = await attack(async () => {
      try {
        expect((await files.readText('a/b/f.txt')).text).toBe('inside');
        const names: string[] = [];
        for await (const { rel } of files.list('a', { depth: 3 })) names.push(rel);
        expect(names.join()).not.toContain('s.txt');
        return true;
      } catch (error) {
        expect((error as Error).name).toBe('ToolError');
        return false;
      }
    });
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
  });

  it('is written without anything getting out', { timeout: milliseconds + 30_000 }, async () => {
    const outside = snapshot(tree.out);
    const router = createRouter({ tools: fileTools, roots: [tree.root], mode: 'trusted' });
    const counts = await attack(async (count) => {
      const args = { path: `a/b/n${count % 50}/w${count % 20}.txt`, content: 'x' };
      return (await router.call({ name: 'write_file', arguments: args })).ok;
    });
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
    expect(snapshot(tree.out)).toEqual(outside);
  });

  it('is emptied without anything outside being removed', { timeout: milliseconds + 30_000 }, async () => {
    const outside = snapshot(tree.out);
    const workspace = new Workspace({ roots: [tree.root] });
    const files = workspace.scope([workspace.check('a', 'write')]);
    await attack(async () => {
      try {
        await files.mkdir('a/b/c/d', { recursive: true });
        await files.rename('a/b/c/d', 'a/b/c/e');
        await files.remove('a/b', { recursive: true });
        return true;
      } catch (error) {
        expect((error as Error).name).toBe('ToolError');
        return false;
      }
    });
    expect(snapshot(tree.out)).toEqual(outside);
  });
});
