import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { valueAt } from '../../schema/pointer.ts';
import { isSchemaObject } from '../../schema/walk.ts';

/** The schema that a reference within a document leads to; nothing for what only an engine for schemas could follow. */
export function targetOf(reference: unknown, root: JsonSchemaObject): JsonSchemaObject | boolean | undefined {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  try {
    const target: unknown = valueAt(root, decodeURIComponent(reference.slice(1)));
    return isSchemaObject(target) || typeof target === 'boolean' ? target : undefined;
  } catch {
    return undefined;
  }
}
