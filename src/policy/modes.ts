import { shown } from '../basics/options.ts';
import { isPlainRecord } from '../basics/plain-object.ts';
import { levelFault } from '../definition/levels.ts';
import type { Tool } from '../tool.ts';
import { type Decision, isDecision } from './verdict.ts';

/**
 * What a mode decides where no rule has an opinion: a decision for each level, and `default` for a tool without a level
 * or with one that the table does not name.
 */
export interface ModeTable {
  readonly default: Decision;
  readonly [level: string]: Decision;
}

/** The modes that are always there. A mode changes defaults and never a deny. */
export const builtInModes: Readonly<Record<'plan' | 'ask' | 'auto' | 'trusted', ModeTable>> = Object.freeze({
  /** Looks, and changes nothing. */
  plan: Object.freeze({ read: 'allow', default: 'deny' }),
  /** Asks before everything that is not a read. */
  ask: Object.freeze({ read: 'allow', default: 'ask' }),
  /** Works in the workspace on its own; asks before it runs programs, leaves the machine or does what is dangerous. */
  auto: Object.freeze({ read: 'allow', write: 'allow', default: 'ask' }),
  /** Does everything that no rule denies. */
  trusted: Object.freeze({ default: 'allow' }),
});

/** The modes in force, made ready for looking up. */
export interface Modes {
  readonly names: readonly string[];
  /** The mode's default for a level; `undefined` when there is no such mode. */
  defaultFor(mode: string, level: Tool['permission']): Decision | undefined;
}

/**
 * Checks the user's own modes and puts them beside the built-in ones; a table of the same name takes a built-in's place.
 * Throws a TypeError for a table without `default` or with an unknown decision.
 */
export function createModes(own: { readonly [mode: string]: ModeTable } = {}): Modes {
  if (!isPlainRecord(own)) throw new TypeError(`modes must be an object of tables by name; it is ${shown(own)}.`);
  const tables = new Map<string, ReadyTable>();
  for (const [mode, table] of [...Object.entries(builtInModes), ...Object.entries(own)]) {
    tables.set(mode, checked(mode, table));
  }
  // Calls of one run come in one mode, one after another.
  let lastMode: string | undefined;
  let lastTable: ReadyTable | undefined;
  return Object.freeze({
    names: Object.freeze([...tables.keys()]),
    defaultFor(mode: string, level: Tool['permission']): Decision | undefined {
      if (mode !== lastMode) {
        lastTable = tables.get(mode);
        lastMode = mode;
      }
      if (lastTable === undefined) return undefined;
      return (level === undefined ? undefined : lastTable.levels?.get(level)) ?? lastTable.otherwise;
    },
  });
}

interface ReadyTable {
  readonly otherwise: Decision;
  /** Absent where all levels are decided alike. */
  readonly levels: ReadonlyMap<string, Decision> | undefined;
}

function checked(mode: string, table: ModeTable): ReadyTable {
  if (!isPlainRecord(table) || !Object.hasOwn(table, 'default')) {
    throw new TypeError(`Mode "${mode}" needs a table with at least { default: 'allow' | 'ask' | 'deny' }.`);
  }
  const entries = Object.entries(table);
  for (const [level, decision] of entries) {
    const fault = levelFault(level);
    if (fault !== undefined) throw new TypeError(`Mode "${mode}": ${fault}.`);
    if (isDecision(decision)) continue;
    throw new TypeError(`Mode "${mode}" has ${String(decision)} for level "${level}"; expected allow, ask or deny.`);
  }
  const { default: otherwise, ...levels } = table;
  const named = new Map(Object.entries(levels));
  return { otherwise, levels: named.size === 0 ? undefined : named };
}
