import { readFileSync } from 'node:fs';
import { isRecord } from '../basics/plain-object.ts';
import { findJsonFault } from '../schema/json-faults.ts';
import { createModes, type ModeTable } from './modes.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';
import { RuleError, unknownMember } from './shape.ts';

/** What a policy file says; it fits the options of `permission`. */
export interface PolicyFile {
  readonly rules: readonly Rule[];
  readonly modes?: { readonly [mode: string]: ModeTable };
}

/**
 * Reads a policy file: JSON with `rules` and `modes`, described by `rules.schema.json`. Every rule is checked, with its
 * examples. Throws a TypeError that names the rule, or the file and the place where it is no JSON.
 *
 * @example
 * const router = createRouter({ tools, ...readPolicyFile('policy.json') });
 */
export function readPolicyFile(path: string): PolicyFile {
  return parsePolicy(jsonOf(readFileSync(path, 'utf8'), path));
}

/** What a JSON text says. Throws a TypeError, with line and column, also for a key that one object has twice. */
export function jsonOf(text: string, name: string): unknown {
  const source = text.replace(/^\uFEFF/, '');
  // Of two equal keys JSON.parse takes the last; who reads the file may see the first.
  const fault = findJsonFault(source, 100);
  if (fault === undefined) return JSON.parse(source);
  const before = source.slice(0, fault.index).split('\n');
  const place = `${name}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
  if (fault.kind === 'duplicate') throw new TypeError(`${place}: the key "${fault.key}" stands twice in one object.`);
  throw new TypeError(`${place} is not JSON: ${fault.problem}.`);
}

/** Checks what a policy file holds, once it is parsed. */
export function parsePolicy(content: unknown): PolicyFile {
  if (!isRecord(content)) {
    throw new RuleError('The policy', 'must be an object { "rules": [...] }');
  }
  for (const member of Object.keys(content)) {
    if (['$schema', 'rules', 'modes'].includes(member)) continue;
    throw unknownMember(`The policy's "${member}"`, member, ['rules', 'modes']);
  }
  const { rules: list, modes } = content as Partial<PolicyFile>;
  if (!Array.isArray(list)) throw new RuleError('The policy', 'needs a list of rules');
  rules(list);
  if (modes === undefined) return Object.freeze({ rules: list });
  if (typeof modes !== 'object' || modes === null) throw new RuleError(`The policy's "modes"`, 'must be an object');
  createModes(modes);
  return Object.freeze({ rules: list, modes });
}
