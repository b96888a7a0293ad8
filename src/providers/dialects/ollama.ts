import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Converted } from '../types.ts';
import { inlinedSchema } from './inlined.ts';
import { remember } from './remember.ts';

const ollama = {
  name: 'Ollama',
  keywords: new Set(['type', 'description', 'enum', 'items', 'anyOf', 'properties', 'required']),
};

/** For Ollama, whose templates show a model these keywords and silently leave out all others. */
export const ollamaSchema: (schema: JsonSchemaObject) => Converted = remember((schema) =>
  inlinedSchema(schema, ollama),
);
