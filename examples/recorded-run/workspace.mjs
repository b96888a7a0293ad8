import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const files = {
  'workspace/README.md': '# Lighthouse\n\nNotes and numbers of a small shop for lamps.\n',
  'workspace/notes/monday.md': '# Monday\n\n- call the supplier\n- 12 lamps are missing from the last delivery\n',
  'workspace/notes/tuesday.md': '# Tuesday\n\n- the supplier sends 12 lamps on Friday\n',
  'workspace/文档/会议记录.md': '# 会议记录\n\n下周三上午十点开会。☕\n',
  'outside/passwords.txt': 'nobody may read this\n',
};

/**
 * Makes the folder that the recorded run works in. It is made anew for every run: a clone may not keep symbolic links,
 * and the run writes.
 */
export function makeWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), 'callgate-recorded-run-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  // "junction" only means something on Windows, where it needs no special rights.
  symlinkSync(join(folder, 'outside'), join(folder, 'workspace', 'shared'), 'junction');
  symlinkSync(join(folder, 'workspace', 'notes'), join(folder, 'workspace', 'latest'), 'junction');
  return {
    root: join(folder, 'workspace'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
