import type { Node, Program, Type } from './backend.ts';
import { constantOf } from './constants.ts';
import type { FunctionSource } from './functions.ts';
import { injectionOf } from './injection.ts';
import type { Argument, Field } from './model.ts';
import type { Place, Reporter } from './reporter.ts';
import type { Schema } from './schema.ts';
import type { SchemaWriter } from './types-to-schema.ts';

/** A function's parameters as one object schema, and how to get from that object back to positional arguments. */
export interface Parameters {
  readonly properties: Map<string, Schema>;
  readonly required: string[];
  readonly arguments: Argument[];
  readonly places: ReadonlyMap<string, Place>;
  readonly undocumentable: Undocumentable;
}

/** What documentation may name although the model does not see it. */
export interface Undocumentable {
  /** The parameters that the router gives. */
  readonly injected: ReadonlySet<string>;
  /** How many parameters are destructured: in documentation each may have any name. */
  readonly bags: number;
}

export function readParameters(
  program: Program,
  writer: SchemaWriter,
  reporter: Reporter,
  fn: FunctionSource,
): Parameters {
  const { kinds } = program;
  const properties = new Map<string, Schema>();
  const required: string[] = [];
  const places = new Map<string, Place>();
  const read: Argument[] = [];
  const injectedNames = new Set<string>();
  let bags = 0;
  const nodes = fn.node.parameters ?? [];

  function add(name: string, schema: Schema, isRequired: boolean, place: Place): void {
    if (name === '__proto__') reporter.at(place, 'a property of that name cannot come from JSON. Rename it.');
    else if (properties.has(name)) {
      reporter.at(place, 'its name is taken by another parameter, or field of one. Rename one of them.');
    } else {
      properties.set(name, schema);
      places.set(name, place);
      if (isRequired) required.push(name);
    }
  }

  function plain(node: Node, type: Type, place: Place): void {
    const name = node.name?.text ?? '';
    const converted = writer.convert(type, node.type, place);
    if (converted.optional && Object.keys(converted.schema).length === 0) {
      reporter.at(place, 'the type undefined leaves nothing to give. Take the parameter out.');
    }
    const schema = { ...converted.schema };
    writer.document(schema, node, place);
    const isRest = node.dotDotDotToken !== undefined;
    const hasDefault = applyDefault(schema, node.initializer, place);
    const optional = isRest || hasDefault || converted.optional === true || node.questionToken !== undefined;
    add(name, schema, !optional, place);
    const { revival, exact } = converted;
    read.push({ kind: isRest ? 'rest' : 'property', name, exact, ...(revival && { revival }) });
  }

  function applyDefault(schema: Schema, initializer: Node | undefined, place: Place): boolean {
    if (!initializer) return false;
    const constant = constantOf(program, initializer);
    if (!constant) {
      reporter.at(
        { label: place.label, node: initializer },
        'its default is computed, so that no schema can state it. Make it optional, and compute the value inside.',
      );
    } else if (constant.value !== undefined) {
      schema['default'] = constant.value;
    }
    return true;
  }

  /** The fields of a destructured parameter stand beside the other parameters: it has no name to nest them under. */
  function bag(node: Node, type: Type, place: Place): void {
    const object = soleObject(program, type);
    if (!object || program.indexes(object).length > 0) {
      reporter.at(place, 'only a plain object with known properties can be destructured. Give the parameter a name.');
      return;
    }
    const { initializer } = node;
    if (initializer && !(initializer.kind === kinds.ObjectLiteralExpression && initializer.properties?.length === 0)) {
      reporter.at(
        { label: place.label, node: initializer },
        'a destructured parameter can only have {} as its default. Give the fields their defaults.',
      );
    }
    bags++;
    const elements = new Map((node.name?.elements ?? []).map((element) => [fieldName(element), element]));
    const fields: Field[] = [];
    for (const property of writer.properties(
      object,
      place,
      (fieldType) => injectionOf(program, fieldType) !== undefined,
    )) {
      const { name, exact, revival } = property;
      const at = { label: `parameter \`${name}\``, node: property.place.node };
      if (injectionOf(program, property.type) === 'signal') {
        fields.push({ kind: 'signal', name });
        injectedNames.add(name);
        continue;
      }
      const hasDefault = applyDefault(property.schema, elements.get(name)?.initializer, at);
      const present = property.required || 'default' in property.schema;
      add(name, property.schema, property.required && !hasDefault, at);
      fields.push({ kind: 'property', name, present, exact, ...(revival && { revival }) });
    }
    read.push({ kind: 'bag', fields });
  }

  nodes.forEach((node, index) => {
    const name = node.name?.kind === kinds.Identifier ? (node.name.text ?? '') : undefined;
    const place: Place = {
      label: name === undefined ? `parameter ${index + 1} of \`${fn.name}\`` : `parameter \`${name}\``,
      node,
    };
    const type = program.typeOf(node);
    const injected = injectionOf(program, type, node.type);
    if (name === 'this') {
      reporter.at(place, 'a tool has no `this`. Take what it needs as a parameter.');
    } else if (injected && index === nodes.length - 1) {
      read.push(injected === 'signal' ? { kind: injected } : { kind: injected, exact: isPlainContext(node.type) });
      if (name !== undefined) injectedNames.add(name);
    } else if (injected) {
      reporter.at(place, 'the context, or a signal, is given by the router and must be the last parameter.');
    } else if (node.name?.kind === kinds.ObjectBindingPattern) {
      bag(node, type, place);
    } else if (name === undefined) {
      reporter.at(place, 'a destructured list has no name for the model. Give the parameter a name.');
    } else {
      plain(node, type, place);
    }
  });
  return { properties, required, arguments: read, places, undocumentable: { injected: injectedNames, bags } };
}

// A context with a state of its own type is more than the wrapper's.
const isPlainContext = (type: Node | undefined): boolean =>
  type?.typeName?.text === 'ToolContext' && type.typeArguments === undefined;

const fieldName = (element: Node): string => (element.propertyName ?? element.name)?.text ?? '';

/** The object of a parameter that may also be undefined. */
function soleObject(program: Program, type: Type): Type | undefined {
  const { kind, callable, instance } = program.facts(type);
  if (kind === 'object' || kind === 'intersection') return callable || instance ? undefined : type;
  if (kind !== 'union') return undefined;
  const present = program.members(type).filter((member) => program.facts(member).kind !== 'undefined');
  return present.length === 1 && present[0] ? soleObject(program, present[0]) : undefined;
}
