import { canonicalJson } from '../basics/canonical-json.ts';
import type { Tool } from '../tool.ts';
import type { Effect } from '../types.ts';

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  // Fetched on first use: most calls need no digest, and loading the module costs start-up time.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text, 'utf8').digest('hex');
}

/**
 * The text itself while it is short, and its digest when it is longer than `longest` characters: to compare texts by, not to
 * keep them secret. No two texts share one, as long as none of them is 64 hexadecimal digits itself.
 */
export function shortened(text: string, longest: number): string {
  return text.length > longest ? sha256(text) : text;
}

/**
 * What a tool is, for approvals: where it comes from, its name, what was said about it, and what it declares. When any
 * of it changes, what was approved before was approved for another tool. What its code does cannot be told.
 */
export function toolDigest(tool: Tool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const { name, description, parameters, output, permission, source, tags, annotations, paths, urls, commands } = tool;
  const said = { name, description, parameters, output, permission, source, tags, annotations, paths, urls, commands };
  const digest = sha256(canonicalJson(said));
  if (hasOwnData(tool) && Object.values(said).every(isFixed)) digests.set(tool, digest);
  return digest;
}

/** Of tools that nothing can change any more, whose digests are asked for with every call. */
const digests = new WeakMap<Tool, string>();

/**
 * Frozen, and what it holds are values: nothing of it is inherited, or made by code when it is read. Stricter than
 * `isPlainObject`: of whatever is not surely so, the digest is made anew with every call.
 */
function hasOwnData(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every((property) => 'value' in property);
}

function isFixed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return hasOwnData(value) && Object.values(value).every(isFixed);
}

/** What an approval is bound to. */
export interface Binding {
  readonly tool: Tool;
  /** After validation, defaults and the guards. */
  readonly arguments: unknown;
  readonly effects: readonly Effect[];
  /** Stands for the rules in force; see `Policy.version`. */
  readonly policy?: string;
}

/**
 * The digest of exactly one thing to do: the tool as it is now, canonical arguments, effects, working directory, rules.
 * Throws a TypeError when the arguments hold something that has no canonical form.
 */
export function callDigest(binding: Binding): string {
  return sha256(
    canonicalJson({
      version: 1,
      tool: toolDigest(binding.tool),
      arguments: binding.arguments,
      effects: binding.effects,
      policy: binding.policy ?? '',
      directory: process.cwd(),
    }),
  );
}
