import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Converted } from '../types.ts';
import { isArraySchema, rebuild } from './each.ts';
import { normalize } from './normalize.ts';
import { remember } from './remember.ts';
import { plainRoot } from './root.ts';
import { trace } from './trace.ts';

/**
 * For providers that take JSON Schema as a hint to the model (OpenAI and Mistral without strict mode, the AI SDK): a
 * plain object at the root, `items` on every array, references kept.
 */
export const openSchema: (schema: JsonSchemaObject) => Converted = remember((schema) => {
  const lost = trace();
  const root = plainRoot(normalize(schema, { refs: 'keep' }, lost), lost);
  // An array without `items` is a 400 for the whole request.
  const complete = rebuild(root, (part) =>
    isArraySchema(part) && part.items === undefined ? { ...part, items: {} } : part,
  );
  return { schema: complete, losses: lost.losses };
});
