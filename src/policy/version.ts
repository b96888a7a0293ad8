import { canonicalJson } from '../basics/canonical-json.ts';
import { sha256 } from './digest.ts';

/** A digest of a list of rules; functions in it count by their source text. */
export function versionOf(rules: unknown): string {
  return sha256(canonicalJson(withFunctionsAsText(rules)));
}

/** A value with its functions as their source text. */
export function withFunctionsAsText(value: unknown): unknown {
  if (typeof value === 'function') return ['function', String(value)];
  if (Array.isArray(value)) return value.map(withFunctionsAsText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withFunctionsAsText(member)]));
}
