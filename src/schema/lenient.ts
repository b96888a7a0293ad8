import { wordFor } from './foreign-types.ts';
import type { JsonSchemaObject } from './json-schema.ts';
import type { SchemaNote } from './note.ts';
import { isSchemaObject, mapSchema } from './walk.ts';

/** A schema as it should have been written, and what was changed for it. */
export interface LenientSchema {
  readonly schema: JsonSchemaObject;
  /** One note for every change; empty when the schema was fine, and then `schema` is the same object. */
  readonly notes: readonly SchemaNote[];
}

type Changed = Record<string, unknown>;

/**
 * Reads a schema of a tool from elsewhere as it was meant: type names of other languages (`dict`, `float`, `List[int]`,
 * `any`) become those of JSON Schema, `required: true` at a property becomes an entry in its parent's list, an empty
 * `enum` is dropped and a repeated value in one is kept once. Everything else stays. Nothing is guessed silently: each
 * change is noted.
 */
export function toLenientSchema(schema: JsonSchemaObject): LenientSchema {
  const notes: SchemaNote[] = [];
  const mended = mapSchema(schema, (inner, pointer) => {
    const changes = [mendType, mendEnum, mendRequired];
    return changes.reduce(
      (current, change) =>
        change(current, (keyword, message) => {
          notes.push({ pointer, keyword, message });
        }),
      inner,
    );
  });
  if (typeof mended.required === 'boolean') {
    notes.push({ pointer: '', keyword: 'required', message: '"required" must be a list of names; it was dropped' });
    const { required: _, ...rest } = mended;
    return { schema: rest, notes };
  }
  return { schema: mended, notes };
}

type Note = (keyword: string, message: string) => void;

function mendType(schema: JsonSchemaObject, note: Note): JsonSchemaObject {
  const given: unknown = schema.type;
  const names = typeof given === 'string' ? [given] : Array.isArray(given) ? given : [];
  const meant = names.map((name: unknown) =>
    typeof name === 'string' ? (wordFor(name) ?? (wordFor(name) === null ? null : name)) : null,
  );
  if (meant.every((name, index) => name === names[index])) return schema;
  const { type: _, ...rest } = schema as Changed;
  if (meant.includes(null)) {
    note('type', `type ${JSON.stringify(given)} allows anything; "type" was left out`);
    return rest;
  }
  const [only] = meant;
  const type = meant.length === 1 ? only : [...new Set(meant)];
  note('type', `type ${JSON.stringify(given)} was read as ${JSON.stringify(type)}`);
  return { ...rest, type } as JsonSchemaObject;
}

function mendEnum(schema: JsonSchemaObject, note: Note): JsonSchemaObject {
  const list: unknown = schema.enum;
  if (!Array.isArray(list)) return schema;
  if (list.length === 0) {
    const { enum: _, ...rest } = schema as Changed;
    note('enum', '"enum" lists no value; it was dropped');
    return rest;
  }
  const once = [...new Map(list.map((value): [string, unknown] => [JSON.stringify(value), value])).values()];
  if (once.length === list.length) return schema;
  note('enum', '"enum" lists a value twice; it was kept once');
  return { ...schema, enum: once };
}

/** Draft 3's `required: true`, which stood at the property itself. */
function mendRequired(schema: JsonSchemaObject, note: Note): JsonSchemaObject {
  const { properties } = schema;
  if (!isSchemaObject(properties)) return schema;
  const flagged = Object.entries(properties).filter(
    ([, property]) => isSchemaObject(property) && typeof (property as Changed)['required'] === 'boolean',
  );
  if (flagged.length === 0) return schema;
  const required = new Set<string>(Array.isArray(schema.required) ? schema.required : []);
  const mended: Changed = { ...properties };
  for (const [name, property] of flagged) {
    const { required: isRequired, ...rest } = property as Changed;
    if (isRequired === true) required.add(name);
    mended[name] = rest;
    note('required', `"required" at the property "${name.slice(0, 80)}" was moved to the list of its parent`);
  }
  return { ...schema, properties: mended, required: [...required] } as JsonSchemaObject;
}
