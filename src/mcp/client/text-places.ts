import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { pointerStep } from '../../schema/pointer.ts';
import { typesOf } from '../../schema/types-of.ts';
import { isSchemaObject } from '../../schema/walk.ts';
import { targetOf } from './references.ts';
import { isOneOfFew, takesText } from './takes-text.ts';

/** A place among a tool's arguments where text may stand, at whatever depth. */
export interface TextPlace {
  /** The name that it, or the list that it is in, has. */
  readonly property: string;
  /** What is said of it, in all the forms that it may have. */
  readonly schemas: readonly JsonSchemaObject[];
  /** A property name or JSON pointer, as in a tool's declarations. */
  readonly argument: string;
  /**
   * `text`; `loose` for what was meant as an object or a list, and keeps no text out; or more than can be named: a `map` from
   * any names, or what lies `deeper` than was looked, as there always is something deeper in a schema that refers to itself.
   */
  readonly form: 'text' | 'loose' | 'map' | 'deeper';
}

/** What counts of a place that has several forms, the first of these. */
const plainness: readonly TextPlace['form'][] = ['text', 'deeper', 'loose', 'map'];
const mostSteps = 500;
/** References and alternatives within one another that are followed. */
const mostTurns = 8;
const mostChoices = 32;

/**
 * The places where a tool's arguments may hold text, also in objects and lists within them, as deep as that. Of a schema
 * with too many of them only what stands at the top.
 */
export function textPlaces(root: JsonSchemaObject, deepest = 16): readonly TextPlace[] {
  const found = new Map<string, TextPlace & { readonly schemas: JsonSchemaObject[] }>();
  const known = new Map<unknown, boolean>();
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
    const { forms, cut } = formsOf(schema, root);
    const note = (form: TextPlace['form']): void => {
      const argument = pointer === `/${property}` ? property : pointer;
      const before = found.get(argument);
      const schemas = before?.schemas ?? [];
      schemas.push(...(isSchemaObject(schema) ? [schema] : []), ...forms);
      const plainest = plainness.find((one) => one === form || one === before?.form) ?? form;
      found.set(argument, { property, schemas, argument, form: plainest });
    };
    const isRound = forms.some(({ properties }) => properties !== undefined && way.includes(properties));
    const isOpen = takesText(schema, root, known);
    const isText = isOpen && (forms.some(namesText) || (!cut && forms.length > 0 && forms.every(saysNothing)));
    if (isText) note('text');
    if (cut || isRound || way.length >= deepest || (forms.length === 0 && isSchemaObject(schema))) {
      if (!isText) note('deeper');
      return;
    }
    const items = forms.flatMap(itemsOf);
    if (!isText || items.length > 0 || forms.some(({ properties }) => properties !== undefined)) steps++;
    if (!isText && isOpen) note('loose');
    else if (!isText && forms.some(isMap)) note('map');
    for (const item of items) look(property, item, `${pointer}/*`, [...way, item]);
    enter(forms, pointer, way);
  }

  enter(formsOf(root, root).forms, '', []);
  return steps > mostSteps && deepest > 1 ? textPlaces(root, 1) : [...found.values()];
}

function namesText(form: JsonSchemaObject): boolean {
  return [form.type].flat().includes('string') && !isOneOfFew(form);
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

function itemsOf(form: JsonSchemaObject): readonly unknown[] {
  const { items, prefixItems, contains, maxItems, ...others } = form as { readonly [keyword: string]: unknown };
  const isOld = Array.isArray(items);
  const first = isOld ? items : Array.isArray(prefixItems) ? prefixItems : [];
  const rest = (isOld ? others['additionalItems'] : items) ?? others['unevaluatedItems'];
  const speaks = first.length > 0 || rest !== undefined || contains !== undefined;
  if (!speaks && !typesOf(form).includes('array')) return [];
  // What it does not speak of may be anything.
  const isClosed = rest === undefined && typeof maxItems === 'number' && maxItems <= first.length;
  return [...first, ...(isClosed ? [] : [rest ?? true]), ...(contains === undefined ? [] : [contains])];
}

/** What a schema may be, and whether that is not all because it could not be looked at. */
interface Forms {
  readonly forms: readonly JsonSchemaObject[];
  readonly cut: boolean;
}

/** A schema, what it refers to, and all that it may be instead or besides. */
function formsOf(schema: unknown, root: JsonSchemaObject, turns = 0, seen: Set<unknown> = new Set()): Forms {
  if (schema === true) return { forms: [{}], cut: false };
  // One that was met on the way adds nothing; followed again and again, alternatives of themselves would take for ever.
  if (!isSchemaObject(schema) || seen.has(schema)) return { forms: [], cut: false };
  seen.add(schema);
  if (turns > mostTurns) return { forms: [], cut: true };
  const { $ref, $dynamicRef, $recursiveRef, anyOf, oneOf, allOf, ...others } = schema as Keywords;
  const target = targetOf($ref, root);
  const choices = [target ?? [], anyOf, oneOf, allOf].flat().filter((choice) => choice !== undefined);
  const besides = [others['if'], others['then'], others['else'], ...dependents(schema)].filter(isSchemaObject);
  const all = [...choices, ...besides];
  const inner = all.slice(0, mostChoices).map((choice) => formsOf(choice, root, turns + 1, seen));
  // What is said beside alternatives holds for each of them.
  const own = choices.length > 0 && saysNothing(schema) ? [] : [schema];
  const forms = [...own, ...inner.flatMap((one) => one.forms)];
  // Some references only an engine for schemas could follow.
  const isLost =
    ($ref !== undefined && target === undefined) || $dynamicRef !== undefined || $recursiveRef !== undefined;
  const cut = isLost || all.length > mostChoices || forms.length > mostChoices || inner.some((one) => one.cut);
  return { forms: forms.slice(0, mostChoices), cut };
}

type Keywords = { readonly [keyword: string]: unknown };

function dependents(form: JsonSchemaObject): readonly unknown[] {
  return [form['dependentSchemas'], form['dependencies']].filter(isSchemaObject).flatMap((by) => Object.values(by));
}
