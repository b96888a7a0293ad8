import type { Node, Program, Source, Type, TypeFacts } from './backend.ts';
import { type Conversion, nothing } from './conversion.ts';
import { convertList, convertTuple } from './list-schema.ts';
import { type ConvertedProperty, convertObject, convertProperties, documentSchema } from './object-schema.ts';
import type { Place, Reporter } from './reporter.ts';
import { hasDates, type Revival } from './revival.ts';
import { type Converted, enumOf, type Schema } from './schema.ts';
import { templatePattern } from './template-pattern.ts';
import { convertUnion, isEnumMember } from './union-schema.ts';

/** Turns the types of one function's parameters into JSON Schema; recursive types end up in `definitions`. */
export interface SchemaWriter {
  /** `node` is the type as written, where it is written: it gives the order of unions. */
  convert(type: Type, node: Node | undefined, place: Place): Converted;
  /** The properties of an object type, each with its documentation; those that `leave` names are listed without a schema. */
  properties(type: Type, place: Place, leave?: (type: Type) => boolean): readonly ConvertedProperty[];
  /** Puts the documentation of a declaration on its schema. */
  document(schema: Schema, declaration: Node, place: Place): void;
  readonly definitions: Map<string, { schema: Schema; revival: Revival | undefined }>;
  /** To be called last: the Dates in the definitions, and what could be said of them only now. */
  finish(): ReadonlyMap<string, Revival>;
}

/** A type that is being converted further out; `name` is given when it turns up inside itself. */
interface Open {
  name?: string;
}

// Real argument types are a handful of levels deep; a generic type that grows with every level never ends.
const deepest = 40;

export function createSchemaWriter(program: Program, reporter: Reporter): SchemaWriter {
  const definitions: SchemaWriter['definitions'] = new Map();
  const open = new Map<Type, Open>();
  let depth = 0;
  let outermost: Place | undefined;
  let exhausted = false;
  const defined = new Map<Type, string>();

  const conversion: Conversion = { program, reporter, mixed: [], convert, fail };

  function fail(place: Place, message: string): Converted {
    reporter.at(place, message);
    return nothing();
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
        return { schema: enumOf([facts.value ?? '']), exact: !isEnumMember(program, facts) };
      case 'undefined':
        return { schema: {}, optional: true, exact: false };
      case 'template':
        return { schema: { type: 'string', pattern: templatePattern(program, type, facts) }, exact: false };
      case 'union':
        return guarded(type, facts, place, () => convertUnion(conversion, type, node, place));
      case 'array':
        return guarded(type, facts, place, () => convertList(conversion, type, node, place));
      case 'tuple':
        return guarded(type, facts, place, () => convertTuple(conversion, type, node, place));
      case 'intersection':
        return guarded(type, facts, place, () => intersection(type, place));
      case 'anyObject':
        return { schema: { type: 'object' }, exact: false };
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
    if (exhausted) return nothing();
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

  /** A branded primitive is its primitive; everything else is the object with the properties of all. */
  function intersection(type: Type, place: Place): Converted {
    const primitive = program
      .members(type)
      .find((member) => ['string', 'number', 'boolean', 'literal', 'template'].includes(program.facts(member).kind));
    return primitive
      ? { ...convert(primitive, undefined, place), exact: false }
      : convertObject(conversion, type, undefined, place);
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
    if (facts.instance || isForeignInstance(type)) {
      const name = facts.name ?? 'a class';
      return fail(place, `an instance of ${name} cannot come from JSON. Take plain data, and make the ${name} inside.`);
    }
    return guarded(type, facts, place, () => convertObject(conversion, type, node, place));
  }

  /** A package's interface with methods stands for an object that only the package can make, such as a Buffer. */
  function isForeignInstance(type: Type): boolean {
    return program.properties(type).some((property) => {
      const file = (property.declaration?.getSourceFile() as Source | undefined)?.fileName ?? '';
      return file.includes('/node_modules/') && program.facts(property.type).callable === true;
    });
  }

  function finish(): ReadonlyMap<string, Revival> {
    const revivals = new Map<string, Revival>();
    for (const [name, { revival }] of definitions) if (revival) revivals.set(name, revival);
    for (const { revivals: parts, place } of conversion.mixed) {
      if (!parts.some((part) => hasDates(part, revivals))) continue;
      reporter.at(place, 'a Date among other types cannot be told from text. Take the date alone, or a string.');
    }
    return revivals;
  }

  return {
    convert,
    properties: (type, place, leave) => convertProperties(conversion, type, place, leave),
    document: (schema, declaration, place) => documentSchema(conversion, schema, declaration, place),
    definitions,
    finish,
  };
}
