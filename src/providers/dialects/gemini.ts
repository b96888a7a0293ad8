import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Converted } from '../types.ts';
import { inlinedSchema } from './inlined.ts';
import { remember } from './remember.ts';

const gemini = {
  name: 'Gemini',
  keywords: new Set([
    'type',
    'format',
    'title',
    'description',
    'enum',
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'anyOf',
    'properties',
    'additionalProperties',
    'required',
  ]),
  formats: new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']),
};

/**
 * For Gemini's `parametersJsonSchema`: the keywords that it documents, references written out because its checks of
 * them differ between models, unions as `anyOf`.
 */
export const geminiSchema: (schema: JsonSchemaObject) => Converted = remember((schema) =>
  inlinedSchema(schema, gemini),
);
