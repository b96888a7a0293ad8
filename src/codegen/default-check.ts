import { compile } from '../schema/engine.ts';
import type { Schema } from './schema.ts';
import { constraints } from './tags.ts';

/**
 * What is wrong with the defaults of an object schema's properties: one that breaks a constraint would make every call
 * fail that leaves the argument out. The compiler has checked the types; only constraints from tags can be broken.
 */
export function wrongDefaults(root: Schema): { readonly name: string; readonly message: string }[] {
  const properties = Object.entries((root['properties'] ?? {}) as Record<string, Schema>);
  const definitions = (root['$defs'] ?? {}) as Record<string, Schema>;
  return properties.flatMap(([name, schema]) => {
    if (!('default' in schema) || !isConstrained(schema)) return [];
    const { default: value, ...rest } = schema;
    const [violation] = compile({ ...rest, $defs: definitions }, { defaults: false })(value) ?? [];
    if (!violation) return [];
    const message = `its default ${JSON.stringify(value)} does not fit its own tags: ${violation.message}.`;
    return [{ name, message }];
  });
}

const isConstrained = (schema: Schema): boolean =>
  schema['type'] === 'integer' ||
  Object.keys(schema).some((keyword) => constraints.has(keyword) || keyword === 'items');
