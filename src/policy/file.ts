import { readFileSync } from 'node:fs';
import { createModes, type ModeTable } from './modes.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';
import { RuleError } from './shape.ts';

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
  const text = readFileSync(path, 'utf8');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new TypeError(`${path} is not JSON: ${(error as Error).message}`);
  }
  return parsePolicy(content);
}

/** Checks what a policy file holds, once it is parsed. */
export function parsePolicy(content: unknown): PolicyFile {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new RuleError('The policy', 'must be an object { "rules": [...] }');
  }
  for (const member of Object.keys(content)) {
    if (['$schema', 'rules', 'modes'].includes(member)) continue;
    throw new RuleError(`The policy's "${member}"`, 'is unknown; expected rules and modes');
  }
  const { rules: list, modes } = content as Partial<PolicyFile>;
  if (!Array.isArray(list)) throw new RuleError('The policy', 'needs a list of rules');
  rules(list);
  if (modes === undefined) return Object.freeze({ rules: list });
  if (typeof modes !== 'object' || modes === null) throw new RuleError(`The policy's "modes"`, 'must be an object');
  createModes(modes);
  return Object.freeze({ rules: list, modes });
}
