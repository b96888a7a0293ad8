import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PendingApproval } from './approval.ts';
import { deepFreeze } from './snapshot.ts';
import type { ApprovalStore } from './store.ts';

/**
 * A store of files in a folder, for approvals that outlive the process: `ID.json` holds a pending approval, `ID.used`
 * says that it was used. Both are created exclusively, which file systems do for one process only, so of all who would
 * use an approval exactly one may. Nobody but the owner may read the folder; keep it out of reach of the tools.
 *
 * @example
 * permission({ approvals: fileStore('.callgate/approvals') });
 */
export function fileStore(folder: string): ApprovalStore {
  const root = resolve(folder);
  const create = async (name: string, text: string): Promise<void> => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await writeFile(join(root, name), text, { flag: 'wx', mode: 0o600, flush: true });
  };
  const load = async (id: string): Promise<PendingApproval | undefined> => {
    if (!isId(id)) return undefined;
    try {
      return deepFreeze(JSON.parse(await readFile(join(root, `${id}.json`), 'utf8')) as PendingApproval);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  };
  return Object.freeze({
    async save(pending: PendingApproval): Promise<void> {
      if (!isId(pending.id)) throw new TypeError('A pending approval needs an id of letters, digits and hyphens.');
      await create(`${pending.id}.json`, JSON.stringify(pending));
    },
    load,
    async use(id: string): Promise<boolean> {
      if ((await load(id)) === undefined) return false;
      try {
        await create(`${id}.used`, '');
        return true;
      } catch (error) {
        if (isCode(error, 'EEXIST')) return false;
        throw error;
      }
    },
  });
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(id);
}

function isCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown } | null)?.code === code;
}
