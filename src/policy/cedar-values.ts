import { isPlainObject } from '../basics/plain-object.ts';
import type { Effect } from '../types.ts';

/** A value as Cedar's JSON form has it. */
export type CedarValue =
  | boolean
  | number
  | string
  | { readonly __entity: CedarUid }
  | { readonly __extn: { readonly fn: string; readonly arg: string } }
  | readonly CedarValue[]
  | { readonly [attribute: string]: CedarValue };

/** The name of an entity, such as `User::"ada"`. */
export interface CedarUid {
  readonly type: string;
  readonly id: string;
}

// In Cedar's JSON form these are not attributes but ways to write something else.
const escapes: ReadonlySet<string> = new Set(['__entity', '__extn', '__expr']);

/** `null`, which Cedar does not have: an entity, so that `has` finds it and nothing takes it for a text or a number. */
const nothing: CedarValue = Object.freeze({ __entity: Object.freeze({ type: 'Null', id: 'null' }) });

/**
 * A value for Cedar. Whole numbers become `Long`, others `decimal`, lists sets. Throws a TypeError for what Cedar could
 * only take for something else: numbers without an exact form, broken Unicode, and its own escapes among the members.
 */
export function cedarValue(value: unknown): CedarValue {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? long(value) : decimal(value);
  if (typeof value === 'bigint') return long(Number(value));
  if (value === null || value === undefined) return nothing;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(cedarValue);
  if (typeof value !== 'object' || !isPlainObject(value))
    throw new TypeError('Cedar has no form for a value of this kind.');
  const members = Object.entries(value).map(([name, member]) => {
    if (escapes.has(name)) throw new TypeError(`An argument named "${name}" means something else to Cedar.`);
    return [text(name), cedarValue(member)] as const;
  });
  return Object.fromEntries(members);
}

function text(value: string): string {
  // With the `u` flag, a pair counts as the letter it spells; what is found is half of one.
  if (/[\ud800-\udfff]/u.test(value))
    throw new TypeError('Cedar has no form for text that is not well-formed Unicode.');
  return value;
}

function long(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('Cedar has no exact form for a whole number this large.');
  return value;
}

/** At most four digits after the point and 15 in all, which both sides read as the same number. */
function decimal(value: number): CedarValue {
  const written = String(value);
  if (!/^-?\d{1,11}\.\d{1,4}$/.test(written)) throw new TypeError(`Cedar has no exact form for the number ${written}.`);
  return { __extn: { fn: 'decimal', arg: written } };
}

/** What a call would do, in sets: Cedar has no lists, so a command is there as its program and as its JSON text. */
export function cedarEffects(effects: readonly Effect[]): CedarValue {
  const reads = new Set<string>();
  const writes = new Set<string>();
  const hosts = new Set<string>();
  const connections: CedarValue[] = [];
  const commands: CedarValue[] = [];
  for (const effect of effects) {
    if (effect.kind === 'fs.read') reads.add(text(effect.path));
    else if (effect.kind === 'fs.write') writes.add(text(effect.path));
    else if (effect.kind === 'net') {
      hosts.add(text(effect.host));
      connections.push({ host: text(effect.host), port: long(effect.port) });
    } else if (effect.kind === 'exec') {
      commands.push({ program: text(effect.argv[0] ?? ''), argv: text(JSON.stringify(effect.argv)) });
    } else throw new TypeError('The call would do something of a kind that the Cedar policies cannot be told of.');
  }
  return { reads: [...reads], writes: [...writes], hosts: [...hosts], connections, commands };
}
