import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import { canonicalJson } from '../basics/canonical-json.ts';

const areUnique: SchemaValidateFunction = (wanted: boolean, items: readonly unknown[]): boolean => {
  if (!wanted || items.length < 2) return true;
  const seen = new Map<unknown, number>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      const message = `must not have the same item twice (items ${earlier} and ${index} are equal)`;
      areUnique.errors = [{ keyword: 'uniqueItems', message, params: { i: index, j: earlier } }];
      return false;
    }
    seen.set(key, index);
  }
  return true;
};

// Text stands for objects, and strings are quoted, so that the two cannot be taken for each other.
function keyOf(item: unknown): unknown {
  if (typeof item === 'string') return JSON.stringify(item);
  return typeof item === 'object' ? canonicalJson(item) : item;
}

/**
 * `uniqueItems` in linear time. Ajv compares every item with every other, which for some thousand objects, or for the
 * long `enum` of a hostile schema, takes seconds.
 */
export const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  validate: areUnique,
};
