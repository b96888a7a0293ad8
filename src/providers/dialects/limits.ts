import type { JsonSchema, JsonSchemaObject } from '../../schema/json-schema.ts';
import { asSchema, listOf, schemasOf } from '../refs.ts';
import { rebuild } from './each.ts';

const most = { properties: 5000, levels: 10, values: 1000, characters: 120_000 };

/** Which limits of OpenAI's strict mode a schema breaks, as sentences. */
export function strictFaults(schema: JsonSchemaObject): readonly string[] {
  const seen = { properties: 0, levels: 0, values: 0, characters: 0 };
  count(schema, 1);
  return [
    seen.properties > most.properties && `it has more than ${most.properties} properties`,
    seen.levels > most.levels && `objects are nested more than ${most.levels} levels deep`,
    seen.values > most.values && `its enumerations hold more than ${most.values} values`,
    seen.characters > most.characters && `its names and constants have more than ${most.characters} characters`,
  ].filter((fault) => fault !== false);

  function count(part: JsonSchema, level: number): void {
    const { properties, $defs, enum: values, const: only, items, anyOf, additionalProperties } = asSchema(part);
    seen.levels = Math.max(seen.levels, properties ? level : 0);
    for (const [name, sub] of schemasOf(properties)) {
      seen.properties++;
      seen.characters += name.length;
      count(sub, level + 1);
    }
    for (const [name, sub] of schemasOf($defs)) {
      seen.characters += name.length;
      count(sub, 1);
    }
    const constants = [...(Array.isArray(values) ? values : []), ...(only === undefined ? [] : [only])];
    seen.values += constants.length;
    for (const value of constants) seen.characters += (JSON.stringify(value) ?? '').length;
    if (typeof items === 'object') count(items as JsonSchema, level);
    if (typeof additionalProperties === 'object') count(additionalProperties, level);
    for (const sub of listOf(anyOf)) count(sub, level);
  }
}

/** Whether a normalized schema refers to itself, directly or through its definitions. */
export function isRecursive(schema: JsonSchemaObject): boolean {
  const refs = new Map(schemasOf(schema.$defs).map(([name, sub]) => [`#/$defs/${name}`, refsIn(asSchema(sub))]));
  const { $defs: _, ...root } = schema;
  refs.set('#', refsIn(root as JsonSchemaObject));
  const done = new Set<string>();
  const leadsTo = (name: string, within: readonly string[]): boolean => {
    if (within.includes(name)) return true;
    if (done.has(name)) return false;
    done.add(name);
    return (refs.get(name) ?? []).some((next) => leadsTo(next, [...within, name]));
  };
  return leadsTo('#', []);
}

function refsIn(schema: JsonSchemaObject): readonly string[] {
  const found: string[] = [];
  rebuild(schema, (part) => {
    if (part.$ref !== undefined) found.push(part.$ref);
    return part;
  });
  return found;
}

/** How many optional properties and unions a schema has: what Anthropic's strict mode limits over all tools of a request. */
export function grammarOf(schema: JsonSchemaObject): { readonly optional: number; readonly unions: number } {
  let optional = 0;
  let unions = 0;
  rebuild(schema, (part) => {
    optional += schemasOf(part.properties).filter(([name]) => !part.required?.includes(name)).length;
    if (part.anyOf || Array.isArray(part.type)) unions++;
    return part;
  });
  return { optional, unions };
}
