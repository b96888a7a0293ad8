import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Converted } from '../types.ts';
import { inlinedSchema } from './inlined.ts';

/** For Ollama, whose templates show a model these keywords and silently leave out all others. */
export function ollamaSchema(schema: JsonSchemaObject): Converted {
  return inlinedSchema(schema, ollama);
}

const ollama = {
  name: 'Ollama',
  keywords: new Set(['type', 'description', 'enum', 'items', 'anyOf', 'properties', 'required']),
};
