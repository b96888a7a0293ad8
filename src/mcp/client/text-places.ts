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

  function enter(forms: readonly JsonSchemaObject[], pointer: string, way: readonly unknown[]): void {
    for (const { properties } of forms) {
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
    const { forms, cut } = formsOf(schema, root);
    const isRound = forms.some(({ properties }) => properties !== undefined && way.includes(properties));
    if (schema === true || forms.some(isText) || (!cut && forms.length > 0 && forms.every(saysNothing))) {
      note('text');
    } else if (cut || isRound || way.length >= deepest || (forms.length === 0 && isSchemaObject(schema))) {
      note('deeper');
    } else {
      steps++;
      if (forms.some(isMap)) note('map');
      for (const item of forms.flatMap(itemsOf)) look(property, item, `${pointer}/*`, [...way, item]);
      enter(forms, pointer, way);
    }
  }

  enter(formsOf(root, root).forms, '', []);
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

function itemsOf({ type, items, prefixItems, ...others }: JsonSchemaObject): readonly unknown[] {
  const further = [others['additionalItems'], others['unevaluatedItems'], others['contains']].filter(isSchemaObject);
  if (items !== undefined || prefixItems !== undefined) return [items ?? [], prefixItems ?? [], further].flat();
  return [type].flat().includes('array') ? [true] : further;
}

/** What a schema may be, and whether that is not all because it could not be looked at. */
interface Forms {
  readonly forms: readonly JsonSchemaObject[];
  readonly cut: boolean;
}

/** A schema with what it refers to, and all that it may be instead or besides. */
function formsOf(schema: unknown, root: JsonSchemaObject, turns = 0, seen: Set<unknown> = new Set()): Forms {
  const form = followed(schema, root);
  const itself = behind(schema, root);
  // One that was met on the way adds nothing; followed again and again, alternatives of themselves would take for ever.
  if (form === undefined || seen.has(itself)) return { forms: [], cut: false };
  seen.add(itself);
  if (turns > mostTurns) return { forms: [], cut: true };
  const choices = [form.anyOf, form.oneOf, form.allOf].flatMap((list): readonly unknown[] => list ?? []);
  const besides = [form['if'], form['then'], form['else'], ...dependents(form)].filter(isSchemaObject);
  const all = [...choices, ...besides];
  const inner = all.slice(0, mostChoices).map((choice) => formsOf(choice, root, turns + 1, seen));
  // What is said beside alternatives holds for each of them.
  const own = choices.length > 0 && saysNothing(form) ? [] : [form];
  const forms = [...own, ...inner.flatMap((one) => one.forms)];
  const cut =
    leadsNowhere(form) || all.length > mostChoices || forms.length > mostChoices || inner.some((one) => one.cut);
  return { forms: forms.slice(0, mostChoices), cut };
}

function dependents(form: JsonSchemaObject): readonly unknown[] {
  return [form['dependentSchemas'], form['dependencies']].filter(isSchemaObject).flatMap((by) => Object.values(by));
}

/** A reference that only an engine for schemas could follow. */
function leadsNowhere(form: JsonSchemaObject): boolean {
  return typeof form.$ref === 'string' || form['$dynamicRef'] !== undefined || form['$recursiveRef'] !== undefined;
}

/** What a schema stands for that is a reference and nothing else. */
function behind(schema: unknown, root: JsonSchemaObject): unknown {
  let at = schema;
  for (let step = 0; isSchemaObject(at) && typeof at.$ref === 'string' && step < mostTurns; step++) {
    const target = Object.keys(at).length === 1 ? targetOf(at.$ref, root) : undefined;
    if (target === undefined) return at;
    at = target;
  }
  return at;
}

function followed(schema: unknown, root: JsonSchemaObject): JsonSchemaObject | undefined {
  let form = isSchemaObject(schema) ? schema : undefined;
  for (let step = 0; form !== undefined && typeof form.$ref === 'string' && step < mostTurns; step++) {
    const { $ref, ...beside }: JsonSchemaObject = form;
    const target = targetOf($ref as string, root);
    if (target === undefined) break;
    form = { ...target, ...beside };
  }
  return form;
}

function targetOf(reference: string, root: JsonSchemaObject): JsonSchemaObject | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  try {
    const target: unknown = valueAt(root, decodeURIComponent(reference.slice(1)));
    return isSchemaObject(target) ? target : undefined;
  } catch {
    return undefined;
  }
}
