import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { at, schemasOf } from '../refs.ts';
import type { Converted } from '../types.ts';
import { rebuild } from './each.ts';
import { normalize } from './normalize.ts';
import { remember } from './remember.ts';
import { plainRoot } from './root.ts';
import { type Trace, trace } from './trace.ts';

// Anthropic refuses a request with any other key at the first level of a tool's schema.
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** For Anthropic: JSON Schema 2020-12 with a plain object at the root and property names that it takes. */
export const anthropicSchema: (schema: JsonSchemaObject) => Converted = remember((schema) => {
  const lost = trace();
  const root = plainRoot(normalize(schema, { refs: 'keep' }, lost), lost);
  return { schema: rebuild(root, (part, pointer) => withPossibleNames(part, pointer, lost)), losses: lost.losses };
});

/** Takes out properties whose names Anthropic refuses: a tool without one argument is better than no request at all. */
export function withPossibleNames(part: JsonSchemaObject, pointer: string, lost: Trace): JsonSchemaObject {
  const names = schemasOf(part.properties).map(([name]) => name);
  const impossible = names.filter((name) => !propertyName.test(name));
  if (impossible.length === 0) return part;
  for (const name of impossible) {
    lost.lose(at(pointer, 'properties', name), 'properties', 'dropped', `the name must match ${propertyName.source}`);
  }
  const possible = schemasOf(part.properties).filter(([name]) => propertyName.test(name));
  const required = (part.required ?? []).filter((name) => propertyName.test(name));
  return { ...part, properties: Object.fromEntries(possible), ...(part.required && { required }) };
}
