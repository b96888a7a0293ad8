import { isRecord } from '../basics/plain-object.ts';

/** An object of unknown content, as responses are until their fields have been looked at. */
export type Loose = { readonly [field: string]: unknown };

/** The value as an object; an empty one for anything else. */
export function asObject(value: unknown): Loose {
  return isRecord(value) ? value : {};
}

/** The value as a list of objects; an empty one for anything else. */
export function asObjects(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** The value if it is text. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
