import type { Node, Program, Source, Type, TypeFacts } from './backend.ts';
import { constantOf } from './constants.ts';
import { docOf } from './jsdoc.ts';
import { applyPropertyTags } from './property-tags.ts';
import { type Place, type Reporter, within } from './reporter.ts';
import { hasDates, type Revival } from './revival.ts';
import { type Converted, enumOf, type Schema, unionOf } from './schema.ts';
import { elementNode, itemNode, valueNode } from './type-nodes.ts';
import { byDeclaration, type Member, orderedMembers } from './unions.ts';

/** Turns the types of one function's parameters into JSON Schema; recursive types end up in `definitions`. */
export interface SchemaWriter {
  /** `node` is the type as written, where it is written: it gives the order of unions. */
  convert(type: Type, node: Node | undefined, place: Place): Converted;
  /** The properties of an object type, each with its documentation; those that `leave` names are listed without a schema. */
  properties(type: Type, place: Place, leave?: (type: Type) => boolean): readonly ConvertedProperty[];
  readonly definitions: Map<string, { schema: Schema; revival: Revival | undefined }>;
  /** To be called last: the Dates in the definitions, and what could be said of them only now. */
  finish(): ReadonlyMap<string, Revival>;
}

export interface ConvertedProperty extends Converted {
  readonly name: string;
  readonly required: boolean;
  readonly type: Type;
  readonly place: Place;
}

/** A type that is being converted further out; `name` is given when it turns up inside itself. */
interface Open {
  name?: string;
}

// Real argument types are a handful of levels deep; a generic type that grows with every level never ends.
const deepest = 40;
const nothing: Converted = { schema: {}, exact: false };

export function createSchemaWriter(program: Program, reporter: Reporter): SchemaWriter {
  const definitions: SchemaWriter['definitions'] = new Map();
  const open = new Map<Type, Open>();
  const mixed: { readonly revivals: readonly Revival[]; readonly place: Place }[] = [];
  let depth = 0;
  let outermost: Place | undefined;
  let exhausted = false;
  const defined = new Map<Type, string>();

  function fail(place: Place, message: string): Converted {
    reporter.at(place, message);
    return nothing;
  }

  function convert(type: Type, node: Node | undefined, place: Place): Converted {
    const facts = program.facts(type);
    switch (facts.kind) {
      case 'string':
      case 'number':
      case 'boolean':
        return { schema: { type: facts.kind }, exact: true };
      case 'null':
        return { schema: { type: 'null' }, exact: true };
      case 'unknown':
        return { schema: {}, exact: true };
      case 'literal':
        return { schema: enumOf([facts.value ?? '']), exact: !isEnumMember(facts) };
      case 'undefined':
        return { schema: {}, optional: true, exact: false };
      case 'template':
        return { schema: { type: 'string', pattern: templatePattern(type, facts) }, exact: false };
      case 'union':
        return guarded(type, facts, place, () => union(type, node, place));
      case 'array':
        return guarded(type, facts, place, () => list(type, node, place));
      case 'tuple':
        return guarded(type, facts, place, () => tuple(type, node, place));
      case 'intersection':
        return guarded(type, facts, place, () => intersection(type, place));
      case 'object':
        return objectLike(type, facts, node, place);
      case 'parameter':
      case 'deferred':
        return generic(type, facts, place);
      case 'any':
        return fail(
          place,
          'its type is any, or cannot be found. Give it a type; write unknown if every JSON value is welcome.',
        );
      case 'bigint':
        return fail(place, 'JSON has no bigint. Take a number, or a string and parse it.');
      case 'symbol':
        return fail(place, 'a symbol cannot come from JSON. Take a string.');
      case 'never':
        return fail(place, 'no value fits the type never.');
    }
  }

  /** Only a type with a name can contain itself; then it becomes a definition, and references stand for it. */
  function guarded(type: Type, facts: TypeFacts, place: Place, make: () => Converted): Converted {
    const known = defined.get(type);
    if (known !== undefined) return reference(known);
    const outer = open.get(type);
    if (outer) {
      outer.name ??= definitionName(facts);
      return reference(outer.name);
    }
    if (depth === 0) outermost = place;
    if (depth >= deepest && !exhausted) {
      exhausted = true;
      fail(outermost ?? place, `its type nests deeper than ${deepest} levels. Write a simpler type.`);
    }
    if (exhausted) return nothing;
    const entry: Open = {};
    const named = facts.alias !== undefined || (facts.kind === 'object' && facts.name !== undefined);
    if (named) open.set(type, entry);
    depth++;
    const converted = make();
    depth--;
    if (named) open.delete(type);
    if (entry.name === undefined) return converted;
    defined.set(type, entry.name);
    definitions.set(entry.name, { schema: converted.schema, revival: converted.revival });
    return { ...reference(entry.name), optional: converted.optional ?? false };
  }

  function reference(name: string): Converted {
    return { schema: { $ref: `#/$defs/${name}` }, revival: { kind: 'definition', name }, exact: false };
  }

  function definitionName(facts: TypeFacts): string {
    const wanted = facts.name?.replace(/\W/g, '_') ?? 'Node';
    const taken = new Set([...definitions.keys(), ...[...open.values()].map((entry) => entry.name)]);
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`;
    return name;
  }

  function union(type: Type, node: Node | undefined, place: Place): Converted {
    const members = orderedMembers(program, type, node);
    const kinds = members.map((member) => program.facts(member.type).kind);
    const optional = kinds.includes('undefined');
    const declared = optional && node ? sameWithoutUndefined(node, members) : undefined;
    if (declared) return { ...convert(declared, node, place), optional };
    const present = members.filter((_, index) => kinds[index] !== 'undefined' && kinds[index] !== 'null');
    const branches = branchesOf(present, place);
    if (kinds.includes('null')) branches.push({ schema: { type: 'null' }, exact: true });
    const revivals = branches.map((branch) => branch.revival).filter((revival) => revival !== undefined);
    const isAlone = branches.length === (kinds.includes('null') ? 2 : 1);
    // Whether a recursive type holds a Date is known only when all of it has been read.
    if (!isAlone && revivals.length > 0) mixed.push({ revivals, place });
    return {
      schema: unionOf(branches.map((branch) => branch.schema)),
      revival: isAlone ? revivals[0] : undefined,
      optional,
      exact: branches.every((branch) => branch.exact),
    };
  }

  /** An optional property of an alias that is itself a union: the alias, which the compiler's flat union has lost. */
  function sameWithoutUndefined(node: Node, members: readonly Member[]): Type | undefined {
    const declared = program.typeOf(node);
    if (program.facts(declared).kind !== 'union') return undefined;
    const own = new Set(program.members(declared));
    const present = members.filter((member) => program.facts(member.type).kind !== 'undefined');
    return own.size === present.length && present.every((member) => own.has(member.type)) ? declared : undefined;
  }

  /** Literals share one branch, at the place of the first; true and false together are a boolean. */
  function branchesOf(members: readonly Member[], place: Place): Converted[] {
    const literals = members.map((member) => program.facts(member.type)).filter((facts) => facts.kind === 'literal');
    const isBoolean = [true, false].every((value) => literals.some((facts) => facts.value === value));
    const values = literals
      .map((facts) => facts.value ?? '')
      .filter((value) => !isBoolean || typeof value !== 'boolean');
    const branches: Converted[] = [];
    let enumDone = false;
    let booleanDone = false;
    for (const member of members) {
      const facts = program.facts(member.type);
      if (facts.kind !== 'literal') {
        branches.push(convert(member.type, member.node, place));
      } else if (isBoolean && typeof facts.value === 'boolean') {
        if (!booleanDone) branches.push({ schema: { type: 'boolean' }, exact: true });
        booleanDone = true;
      } else if (!enumDone) {
        branches.push({ schema: enumOf(values), exact: !literals.some(isEnumMember) });
        enumDone = true;
      }
    }
    return branches;
  }

  function isEnumMember(facts: TypeFacts): boolean {
    return facts.declaration?.kind === program.kinds.EnumMember;
  }

  function list(type: Type, node: Node | undefined, place: Place): Converted {
    const [element] = program.elements(type);
    if (!element) return { schema: { type: 'array' }, exact: false };
    const inside = within(place, '[]', undefined);
    const item = convert(element.type, itemNode(program, node), inside);
    if (item.optional) reporter.at(inside, 'a list cannot hold undefined in JSON. Use null.');
    const revival = item.revival && ({ kind: 'list', item: item.revival } as const);
    return { schema: { type: 'array', items: item.schema }, revival, exact: item.exact };
  }

  function tuple(type: Type, node: Node | undefined, place: Place): Converted {
    const elements = program.elements(type);
    const restAt = elements.findIndex((element) => element.mode === 'rest');
    if (restAt !== -1 && restAt !== elements.length - 1) {
      return fail(place, 'a tuple with elements after its rest cannot be expressed. Put the rest last.');
    }
    const converted = elements.map((element, index) =>
      convert(element.type, elementNode(program, node, index), within(place, `[${index}]`, undefined)),
    );
    const fixed = restAt === -1 ? converted : converted.slice(0, -1);
    const rest = restAt === -1 ? undefined : converted.at(-1);
    const revivals = fixed.map((element) => element.revival);
    const revival: Revival | undefined =
      rest?.revival || revivals.some((item) => item !== undefined)
        ? { kind: 'tuple', items: revivals, rest: rest?.revival }
        : undefined;
    return {
      schema: {
        type: 'array',
        ...(fixed.length > 0 && { prefixItems: fixed.map((element) => element.schema) }),
        items: rest ? rest.schema : false,
        minItems: elements.filter((element) => element.mode === 'required').length,
      },
      revival,
      exact: false,
    };
  }

  /** A branded primitive is its primitive; everything else is the object with the properties of all. */
  function intersection(type: Type, place: Place): Converted {
    const primitive = program
      .members(type)
      .find((member) => ['string', 'number', 'boolean', 'literal', 'template'].includes(program.facts(member).kind));
    return primitive ? { ...convert(primitive, undefined, place), exact: false } : object(type, undefined, place);
  }

  function generic(type: Type, facts: TypeFacts, place: Place): Converted {
    const constraint = program.constraint(type);
    const kind = constraint && constraint !== type ? program.facts(constraint).kind : 'unknown';
    if (!constraint || kind === 'unknown' || kind === 'parameter' || kind === 'deferred') {
      const name = facts.name === undefined ? 'its type' : `the type parameter ${facts.name}`;
      return fail(place, `${name} is open. Give it a constraint (extends ...), or write the type itself.`);
    }
    return { ...convert(constraint, facts.declaration?.constraint, place), exact: false };
  }

  function objectLike(type: Type, facts: TypeFacts, node: Node | undefined, place: Place): Converted {
    if (facts.callable)
      return fail(place, 'a function cannot come from JSON. Take data, and choose the function inside.');
    if (facts.instance && facts.name === 'Date') {
      return { schema: { type: 'string', format: 'date-time' }, revival: { kind: 'date' }, exact: false };
    }
    if (facts.instance) {
      const name = facts.name ?? 'a class';
      return fail(place, `an instance of ${name} cannot come from JSON. Take plain data, and make the ${name} inside.`);
    }
    return guarded(type, facts, place, () => object(type, node, place));
  }

  function object(type: Type, node: Node | undefined, place: Place): Converted {
    const converted = properties(type, place);
    const rest = indexSchema(type, node, place);
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
    type: Type,
    node: Node | undefined,
    place: Place,
  ): { readonly value: Converted; readonly names: Schema | undefined } | undefined {
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
      template: key.kind === 'template' ? { pattern: templatePattern(index.key, key) } : undefined,
    }[key.kind as string];
    return { value, names };
  }

  function properties(type: Type, place: Place, leave?: (type: Type) => boolean): readonly ConvertedProperty[] {
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
      const made = leave?.(property.type) ? nothing : convert(property.type, property.declaration?.type, at);
      document(made.schema, property.declaration, at);
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

  function document(schema: Schema, declaration: Node | undefined, place: Place): void {
    if (!declaration) return;
    const source = declaration.getSourceFile() as Source;
    const doc = docOf(declaration, source);
    if (doc.description) schema['description'] = doc.description;
    applyPropertyTags(schema, doc.tags, source, place, reporter);
    // The field of a destructured parameter carries its default itself, when its type is not written out.
    const { kinds } = program;
    if (declaration.initializer && declaration.parent.kind === kinds.ObjectBindingPattern) {
      const constant = constantOf(program, declaration.initializer);
      if (constant?.value !== undefined) schema['default'] = constant.value;
    }
  }

  function templatePattern(type: Type, facts: TypeFacts): string {
    const parts = program.members(type).map((member) => {
      const { kind, value } = program.facts(member);
      if (kind === 'number') return '-?\\d+(\\.\\d+)?';
      return kind === 'literal' ? escaped(String(value)) : '[\\s\\S]*';
    });
    return `^${(facts.texts ?? []).map((text, index) => escaped(text) + (parts[index] ?? '')).join('')}$`;
  }

  function finish(): ReadonlyMap<string, Revival> {
    const revivals = new Map<string, Revival>();
    for (const [name, { revival }] of definitions) if (revival) revivals.set(name, revival);
    for (const { revivals: parts, place } of mixed) {
      if (!parts.some((part) => hasDates(part, revivals))) continue;
      reporter.at(place, 'a Date among other types cannot be told from text. Take the date alone, or a string.');
    }
    return revivals;
  }

  return { convert, properties, definitions, finish };
}

// What is inferred as optional must be optional in the type too, and not only admit undefined.
const isExact = (property: ConvertedProperty): boolean => property.exact && !property.optional;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
