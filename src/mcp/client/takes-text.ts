import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { kindOf, kindsOf } from '../../schema/types-of.ts';
import { isSchemaObject } from '../../schema/walk.ts';
import { targetOf } from './references.ts';

const text = kindOf('');

/**
 * Whether any text may stand where a schema holds, though nothing may speak of one: without a `type`, what is said of objects
 * or lists keeps no text out. What is not understood keeps nothing out. `known` keeps the answers for the schemas of one document.
 */
export function takesText(schema: unknown, root: JsonSchemaObject, known: Map<unknown, boolean>): boolean {
  if (!isSchemaObject(schema)) return schema !== false;
  const before = known.get(schema);
  if (before !== undefined) return before;
  // Until it is known, as it may refer to itself.
  known.set(schema, true);
  const takes = (inner: unknown): boolean => takesText(inner, root, known);
  const answer = ((): boolean => {
    // Some engines look at nothing that stands beside a reference.
    if (schema.$ref !== undefined) return takes(targetOf(schema.$ref, root));
    if ((kindsOf(schema) & text) === 0 || isOneOfFew(schema)) return false;
    const { anyOf, oneOf, allOf } = schema as { readonly [keyword: string]: unknown };
    return (
      [anyOf, oneOf].every((list) => !Array.isArray(list) || list.some(takes)) &&
      (!Array.isArray(allOf) || allOf.every(takes))
    );
  })();
  known.set(schema, answer);
  return answer;
}

/** One of a few words is nobody's path. */
export function isOneOfFew({ enum: words, const: word }: JsonSchemaObject): boolean {
  return (Array.isArray(words) && words.length > 0) || word !== undefined;
}
