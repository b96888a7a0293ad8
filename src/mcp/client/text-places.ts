import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { pointerStep, valueAt } from '../../schema/pointer.ts';
import { isSchemaObject } from '../../schema/walk.ts';

/** A place among a tool's arguments where text may stand, at whatever depth. */
export interface TextPlace {
  /** The name that it, or the list that it is in, has. */
  readonly property: string;
  readonly schema: unknown;
  /** A property name or JSON pointer, as in a tool's declarations. */
  readonly argument: string;
  /**
   * `text`, or more than can be named: a `map` from any names, or what lies `deeper` than was looked, as there always is
   * something deeper in a schema that refers to itself.
   */
  readonly form: 'text' | 'map' | 'deeper';
}

const mostSteps = 500;
/** References after one another, and alternatives within one another, that are followed. */
const mostTurns = 8;
const mostChoices = 32;

/**
 * The places where a tool's arguments may hold text, also in objects and lists within them, as deep as that. Of a schema
 * with too many of them only what stands at the top.
 */
export function textPlaces(root: JsonSchemaObject, deepest = 16): readonly TextPlace[] {
  const found = new Map<string, TextPlace>();
  let steps = 0;

  function enter(schema: unknown, pointer: string, way: readonly unknown[]): void {
    for (const { properties } of formsOf(schema, root)) {
      if (!isSchemaObject(properties)) continue;
      for (const [name, inner] of Object.entries(properties)) {
        look(name, inner, pointer + pointerStep(name), [...way, properties]);
      }
    }
  }

  function look(property: string, schema: unknown, pointer: string, way: readonly unknown[]): void {
    if (steps > mostSteps && deepest > 1) return;
    const note = (form: TextPlace['form']): void => {
      const isPlain = pointer === `/${property}`;
      const argument = isPlain ? property : pointer;
      if (!found.has(argument)) found.set(argument, { property, schema: followed(schema, root), argument, form });
    };
    const forms = formsOf(schema, root);
    const isRound = forms.some(({ properties }) => properties !== undefined && way.includes(properties));
    if (schema === true || forms.some(isText) || (forms.length > 0 && forms.every(saysNothing))) {
      note('text');
    } else if (isRound || way.length >= deepest) {
      note('deeper');
    } else {
      steps++;
      if (forms.some(isMap)) note('map');
      for (const item of forms.flatMap(itemsOf)) look(property, item, `${pointer}/*`, [...way, item]);
      enter(schema, pointer, way);
    }
  }

  enter(root, '', []);
  return steps > mostSteps && deepest > 1 ? textPlaces(root, 1) : [...found.values()];
}

/** One of a few words is nobody's path. */
function isText({ type, enum: words, const: word }: JsonSchemaObject): boolean {
  return [type].flat().includes('string') && words === undefined && word === undefined;
}

function saysNothing(form: JsonSchemaObject): boolean {
  return ['type', 'properties', 'items', 'prefixItems', 'enum', 'const', 'additionalProperties'].every(
    (keyword) => form[keyword] === undefined,
  );
}

function isMap({ type, properties, additionalProperties, patternProperties }: JsonSchemaObject): boolean {
  if (isSchemaObject(additionalProperties) || patternProperties !== undefined) return true;
  return [type].flat().includes('object') && properties === undefined && additionalProperties !== false;
}

function itemsOf({ type, items, prefixItems }: JsonSchemaObject): readonly unknown[] {
  if (items !== undefined || prefixItems !== undefined) return [items ?? [], prefixItems ?? []].flat();
  return [type].flat().includes('array') ? [true] : [];
}

/** A schema with what it refers to, and all that it may be instead. */
function formsOf(schema: unknown, root: JsonSchemaObject, turns = 0): readonly JsonSchemaObject[] {
  const form = followed(schema, root);
  if (form === undefined || turns > mostTurns) return [];
  const choices = [form.anyOf, form.oneOf, form.allOf].flatMap((list): readonly unknown[] => list ?? []);
  // What is said beside alternatives holds for each of them.
  const inner = choices.slice(0, mostChoices).flatMap((choice) => formsOf(choice, root, turns + 1));
  return (choices.length > 0 && saysNothing(form) ? inner : [form, ...inner]).slice(0, mostChoices);
}

function followed(schema: unknown, root: JsonSchemaObject): JsonSchemaObject | undefined {
  let form = isSchemaObject(schema) ? schema : undefined;
  for (let step = 0; form !== undefined && typeof form.$ref === 'string' && step < mostTurns; step++) {
    const { $ref, ...beside }: JsonSchemaObject = form;
    form = { ...targetOf($ref as string, root), ...beside };
  }
  return form;
}

function targetOf(reference: string, root: JsonSchemaObject): JsonSchemaObject {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return {};
  try {
    const target: unknown = valueAt(root, decodeURIComponent(reference.slice(1)));
    return isSchemaObject(target) ? target : {};
  } catch {
    return {};
  }
}
