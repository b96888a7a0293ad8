import { isHarmless } from '../output/harmless.ts';
import type { JsonSchema, JsonSchemaObject } from './json-schema.ts';
import { pointerStep, valueAt } from './pointer.ts';
import { kindOf, kindsOf, typesOf } from './types-of.ts';
import { isSchemaObject } from './walk.ts';

/** A property that a schema describes or requires. */
export class Property {
  readonly name: string;
  readonly plan: Plan | undefined;
  readonly required: boolean;
  /** Its part of a JSON pointer. */
  readonly step: string;
  /** How a message about a wrong type begins where the schema is that of the whole value, as most are. */
  readonly wrongType: string;
  /** What is said there when it is missing. */
  readonly missing: string;
  /** Whether both are harmless texts. */
  readonly isHarmless: boolean;

  constructor(name: string, plan: Plan | undefined, required: boolean) {
    this.name = name;
    this.plan = plan;
    this.required = required;
    this.step = pointerStep(name);
    this.wrongType = plan === undefined ? '' : `${this.step} ${plan.wrongType}`;
    this.missing = `${this.step} is required`;
    this.isHarmless = isHarmless(this.wrongType) && isHarmless(this.missing);
  }
}

/** A bound of a number. */
export interface Bound {
  readonly keyword: string;
  readonly limit: number;
  /** `at least 2`. */
  readonly words: string;
  readonly holds: (value: number) => boolean;
}

/** The literals that a schema allows. */
export interface Choice {
  readonly keyword: 'const' | 'enum';
  readonly allowed: readonly unknown[];
}

/**
 * What an explanation needs to know of a schema, worked out once and laid out alike for all schemas: models send
 * arguments that do not fit all the time, and saying so must not cost more than the call.
 */
export class Plan {
  readonly schema: JsonSchema;
  /** The kinds of value that the schema's types allow; see `kindOf`. */
  readonly kinds: number;
  /** Its types in words: `integer or null`; `''` when it names none. */
  readonly expected: string;
  /** How a message about a wrong type begins. */
  readonly wrongType: string;
  /** Whether an object or an array may be meant. */
  readonly isNested: boolean;
  readonly hasId: boolean;
  /** Whether it asks for a type and for nothing else. */
  readonly isOnlyType: boolean;
  readonly choice: Choice | undefined;
  readonly bounds: readonly Bound[];
  readonly hasReference: boolean;
  readonly hasParts: boolean;
  readonly #plans: Plans;
  #properties: ReadonlyMap<string, Property> | undefined = undefined;
  #required: readonly Property[] | undefined = undefined;
  #isFlat: boolean | undefined = undefined;
  #target: { readonly plan: Plan | undefined } | undefined = undefined;

  constructor(schema: JsonSchema, plans: Plans) {
    const keywords: JsonSchemaObject = isSchemaObject(schema) ? schema : {};
    this.schema = schema;
    this.#plans = plans;
    this.kinds = kindsOf(keywords);
    this.expected = typesOf(keywords).join(' or ');
    this.wrongType = `must be ${this.expected} (got `;
    this.isNested = this.expected.includes('object') || this.expected.includes('array');
    this.hasId = typeof keywords.$id === 'string';
    this.isOnlyType = isOnly(schema, ofType);
    this.choice = choiceOf(keywords);
    this.bounds = boundsOf(keywords);
    this.hasReference = typeof keywords.$ref === 'string';
    this.hasParts = ['allOf', 'anyOf', 'oneOf'].some((keyword) => Array.isArray(keywords[keyword]));
  }

  get properties(): ReadonlyMap<string, Property> {
    this.#properties ??= propertiesOf(this.schema as JsonSchemaObject, this.#plans);
    return this.#properties;
  }

  /** Those of them that must be there, in the order of the schema. */
  get required(): readonly Property[] {
    this.#required ??= requiredOf(this.schema as JsonSchemaObject, this.properties);
    return this.#required;
  }

  /** Whether it asks an object for properties, each of some types, and for nothing else. */
  get isFlat(): boolean {
    this.#isFlat ??=
      isOnly(this.schema, flat) &&
      this.allows({}) &&
      [...this.properties.values()].every(({ plan }) => plan?.isOnlyType);
    return this.#isFlat;
  }

  /** Whether a value is of one of its types. */
  allows(value: unknown): boolean {
    return (kindOf(value) & this.kinds) !== 0;
  }

  /** What its `$ref` leads to. */
  get target(): Plan | undefined {
    this.#target ??= { plan: this.#plans.at((this.schema as JsonSchemaObject).$ref as string) };
    return this.#target.plan;
  }
}

/** The plans of a schema and of what is in it, each made when it is first needed. References are looked up in `root`. */
export class Plans {
  readonly #root: JsonSchema;
  readonly #known = new WeakMap<object, Plan>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** `undefined` for what allows everything or is no schema. */
  of(schema: unknown): Plan | undefined {
    if (schema === false) return new Plan(false, this);
    if (!isSchemaObject(schema)) return undefined;
    let plan = this.#known.get(schema);
    if (plan === undefined) {
      plan = new Plan(schema, this);
      this.#known.set(schema, plan);
    }
    return plan;
  }

  at(reference: string): Plan | undefined {
    if (reference !== '#' && !reference.startsWith('#/')) return undefined;
    try {
      return this.of(valueAt(this.#root, decodeURIComponent(reference.slice(1))));
    } catch {
      return undefined;
    }
  }
}

/** A type, and what only describes. */
const ofType: ReadonlySet<string> = new Set(['type', 'nullable', 'title', 'description', 'default', 'examples']);
const flat: ReadonlySet<string> = new Set([...ofType, '$schema', 'properties', 'required', 'additionalProperties']);

/** Whether a schema has no other keywords than these. */
function isOnly(schema: JsonSchema, keywords: ReadonlySet<string>): boolean {
  return isSchemaObject(schema) && Object.keys(schema).every((keyword) => keywords.has(keyword));
}

function choiceOf(schema: JsonSchemaObject): Choice | undefined {
  if ('const' in schema) return { keyword: 'const', allowed: [schema.const] };
  return Array.isArray(schema.enum) ? { keyword: 'enum', allowed: schema.enum } : undefined;
}

function boundsOf(schema: JsonSchemaObject): readonly Bound[] {
  const bounds: Bound[] = [];
  function add(keyword: string, words: string, holds: (value: number, limit: number) => boolean): void {
    const limit = schema[keyword];
    if (typeof limit !== 'number') return;
    bounds.push({ keyword, limit, words: `${words} ${limit}`, holds: (value) => holds(value, limit) });
  }
  add('minimum', 'at least', (value, limit) => value >= limit);
  add('maximum', 'at most', (value, limit) => value <= limit);
  add('exclusiveMinimum', 'more than', (value, limit) => value > limit);
  add('exclusiveMaximum', 'less than', (value, limit) => value < limit);
  return bounds;
}

function propertiesOf(schema: JsonSchemaObject, plans: Plans): ReadonlyMap<string, Property> {
  const properties = new Map<string, Property>();
  if (!isSchemaObject(schema.properties)) return properties;
  const required = namesIn(schema.required);
  for (const [name, property] of Object.entries(schema.properties)) {
    const plan = plans.of(property);
    properties.set(name, new Property(name, plan, required.includes(name)));
  }
  return properties;
}

function requiredOf(schema: JsonSchemaObject, known: ReadonlyMap<string, Property>): readonly Property[] {
  return namesIn(schema.required).map((name) => known.get(name) ?? new Property(name, undefined, true));
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : [];
}
