import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Converted } from '../types.ts';
import { normalize } from './normalize.ts';
import { remember } from './remember.ts';
import { plainRoot } from './root.ts';
import { trace } from './trace.ts';

/**
 * For Bedrock, whose models differ: the strictest of them take nothing but `type`, `properties` and `required` at the
 * root, so references are written out, and what else stands there is told in the description of the tool.
 */
export const bedrockSchema: (schema: JsonSchemaObject) => Converted & { readonly note?: string } = remember(
  (schema) => {
    const lost = trace();
    const { type, properties, required, description } = plainRoot(normalize(schema, { refs: 'inline' }, lost), lost);
    return {
      schema: { type, properties, ...(required && { required }) } as JsonSchemaObject,
      losses: lost.losses,
      ...(description && { note: description }),
    };
  },
);
