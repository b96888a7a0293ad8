import { resolve } from 'node:path';
import { readTextSync } from '../basics/read-text.ts';
import { isThenable } from '../basics/thenable.ts';
import type { Tool } from '../tool.ts';
import type { Maybe } from '../types.ts';
import { toolDigest } from './digest.ts';
import { jsonOf } from './file.ts';
import type { Policy, PolicyRequest } from './policy.ts';
import type { Ruling } from './verdict.ts';

/** Keeps what tools from elsewhere were when they were approved: their digests, by source and name. */
export interface IdentityStore {
  /** The digest of a tool as it was approved; `undefined` for one that is new. */
  get(source: string, name: string): Maybe<string | undefined>;
  set(source: string, name: string, digest: string): Maybe<void>;
}

/** What is known of tools from elsewhere, and what it means that nothing is. */
export interface Identities {
  readonly store: IdentityStore;
  /**
   * A tool that is not known yet: `ask` asks before its first call whatever the mode; `trust` takes it for what it says
   * it is, so that only a later change is asked about.
   */
  readonly firstUse: 'ask' | 'trust';
}

/** A store that lasts as long as the process. */
export function memoryIdentities(): IdentityStore {
  const digests = new Map<string, string>();
  return Object.freeze({
    get: (source: string, name: string) => digests.get(keyOf(source, name)),
    set(source: string, name: string, digest: string): void {
      digests.set(keyOf(source, name), digest);
    },
  });
}

/**
 * A store in a JSON file, which is replaced as a whole. Read when it is made, so that what is approved elsewhere is known
 * after the next start. Keep it out of what tools may write. Throws a TypeError when the file is not such a store.
 *
 * @example
 * permission({ identities: { store: fileIdentities('.callgate/tools.json'), firstUse: 'ask' }, approve });
 */
export function fileIdentities(file: string): IdentityStore {
  const path = resolve(file);
  const digests = digestsIn(readTextSync(path), path);
  return Object.freeze({
    get: (source: string, name: string) => digests.get(keyOf(source, name)),
    async set(source: string, name: string, digest: string): Promise<void> {
      const { replaceFile } = await import('./replace-file.ts');
      await replaceFile(path, (text) => {
        const stored = digestsIn(text, path).set(keyOf(source, name), digest);
        return `${JSON.stringify(Object.fromEntries(stored), null, 2)}\n`;
      });
      digests.set(keyOf(source, name), digest);
    },
  });
}

/** One text for one source and name, and no other pair. */
function keyOf(source: string, name: string): string {
  return JSON.stringify([source, name]);
}

function digestsIn(text: string | undefined, path: string): Map<string, string> {
  const content: unknown = text === undefined ? {} : jsonOf(text, path);
  const entries = typeof content === 'object' && content !== null ? Object.entries(content) : [['', undefined]];
  for (const [key, digest] of entries) {
    if (typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest)) continue;
    throw new TypeError(`${path} should hold digests of tools, and holds something else at "${key}".`);
  }
  return new Map(entries as [string, string][]);
}

/**
 * The policy that asks about tools which are new or have changed. It only ever makes stricter: whatever the mode would
 * stop it stops as well.
 */
export function identityPolicy({ store, firstUse }: Identities): Policy {
  return Object.freeze({
    name: 'identities',
    version: firstUse,
    foresee: () => 'silent' as const,
    decide({ tool }: PolicyRequest): Maybe<Ruling | undefined> {
      const { source, name } = tool;
      if (source === undefined) return undefined;
      const digest = toolDigest(tool);
      const judged = (known: unknown): Maybe<Ruling | undefined> => {
        if (known === digest) return undefined;
        if (known !== undefined)
          return asking(`what ${name} from ${source} says of itself has changed since it was approved`);
        if (firstUse === 'ask') return asking(`${name} from ${source} has not been used before`);
        const kept = store.set(source, name, digest);
        return isThenable(kept) ? Promise.resolve(kept).then(() => undefined) : undefined;
      };
      const known = store.get(source, name);
      return isThenable<unknown>(known) ? Promise.resolve(known).then(judged) : judged(known);
    },
  });
}

function asking(reason: string): Ruling {
  return { decision: 'ask', reason, rule: 'identities', doubtful: true };
}

/** What is to be kept of a tool when its call is approved; `undefined` for one of the program's own. */
export function approvedIdentity(identities: Identities | undefined, tool: Tool): (() => Maybe<void>) | undefined {
  const { source, name } = tool;
  if (identities === undefined || source === undefined) return undefined;
  // The digest of the tool as it is when somebody is asked, and not as it may be by the time they answer.
  const digest = toolDigest(tool);
  return () => identities.store.set(source, name, digest);
}
