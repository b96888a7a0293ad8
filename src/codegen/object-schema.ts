import type { Node, Source, Type } from './backend.ts';
import { constantOf } from './constants.ts';
import { type Conversion, nothing } from './conversion.ts';
import { docOf } from './jsdoc.ts';
import { applyPropertyTags } from './property-tags.ts';
import { type Place, within } from './reporter.ts';
import type { Revival } from './revival.ts';
import type { Converted, Schema } from './schema.ts';
import { templatePattern } from './template-pattern.ts';
import { valueNode } from './type-nodes.ts';
import { byDeclaration } from './unions.ts';

export interface ConvertedProperty extends Converted {
  readonly name: string;
  readonly required: boolean;
  readonly type: Type;
  readonly place: Place;
}

export function convertObject(conversion: Conversion, type: Type, node: Node | undefined, place: Place): Converted {
  const converted = convertProperties(conversion, type, place);
  const rest = indexSchema(conversion, type, node, place);
  const dated = new Map<string, Revival>();
  for (const { name, revival } of converted) if (revival) dated.set(name, revival);
  const required = converted.filter((property) => property.required).map((property) => property.name);
  const isMap = converted.length === 0 && rest !== undefined;
  return {
    schema: {
      type: 'object',
      ...(!isMap && { properties: Object.fromEntries(converted.map(({ name, schema }) => [name, schema])) }),
      ...(required.length > 0 && { required }),
      ...(rest?.names && { propertyNames: rest.names }),
      additionalProperties: rest ? rest.value.schema : false,
    },
    revival:
      dated.size > 0 || rest?.value.revival
        ? { kind: 'object', properties: dated, rest: rest?.value.revival }
        : undefined,
    exact: isMap ? rest.value.exact : rest === undefined && converted.every(isExact),
  };
}

function indexSchema(
  conversion: Conversion,
  type: Type,
  node: Node | undefined,
  place: Place,
): { readonly value: Converted; readonly names: Schema | undefined } | undefined {
  const { program, convert, fail } = conversion;
  const [index, ...more] = program.indexes(type);
  if (!index) return undefined;
  const key = program.facts(index.key);
  if (more.length > 0 || !['string', 'number', 'template'].includes(key.kind)) {
    fail(place, 'only one index signature can be expressed, by string, number or template.');
    return undefined;
  }
  const value = convert(index.value, valueNode(program, node), within(place, '.*', undefined));
  const names = {
    number: { pattern: '^-?\\d+(\\.\\d+)?$' },
    template: key.kind === 'template' ? { pattern: templatePattern(program, index.key, key) } : undefined,
  }[key.kind as string];
  return { value, names };
}

/** The properties in the order of their declarations; those that `leave` names are listed without a schema. */
export function convertProperties(
  conversion: Conversion,
  type: Type,
  place: Place,
  leave?: (type: Type) => boolean,
): readonly ConvertedProperty[] {
  const { program, reporter, convert } = conversion;
  const converted: ConvertedProperty[] = [];
  for (const property of program.properties(type).toSorted(byDeclaration)) {
    const at = within(place, `.${property.name}`, property.declaration);
    if (property.name.startsWith('__@') || property.name === '__proto__') {
      reporter.at(at, 'a property of that name cannot come from JSON. Rename it.');
      continue;
    }
    const kind = program.facts(property.type).kind;
    // An optional property that can never be there is the usual way to tell unions apart.
    if (property.optional && (kind === 'undefined' || kind === 'never')) continue;
    const made = leave?.(property.type) ? nothing() : convert(property.type, property.declaration?.type, at);
    if (property.declaration) documentSchema(conversion, made.schema, property.declaration, at);
    const required = !property.optional && !made.optional;
    converted.push({
      ...made,
      optional: made.optional === true && !property.optional,
      name: property.name,
      required,
      type: property.type,
      place: at,
    });
  }
  return converted;
}

/** Puts the documentation of a declaration on its schema: the description, and what the tags say. */
export function documentSchema(conversion: Conversion, schema: Schema, declaration: Node, place: Place): void {
  const source = declaration.getSourceFile() as Source;
  const doc = docOf(declaration, source);
  if (doc.description) schema['description'] = doc.description;
  applyPropertyTags(schema, doc.tags, source, place, conversion.reporter);
  // The field of a destructured parameter carries its default itself, when its type is not written out.
  const { program } = conversion;
  if (declaration.initializer && declaration.parent.kind === program.kinds.ObjectBindingPattern) {
    const constant = constantOf(program, declaration.initializer);
    if (constant?.value !== undefined) schema['default'] = constant.value;
  }
}

// What is inferred as optional must be optional in the type too, and not only admit undefined.
const isExact = (property: ConvertedProperty): boolean => property.exact && !property.optional;
