import { didYouMean } from '../basics/nearest.ts';
import { isPlainRecord } from '../basics/plain-object.ts';
import { pointerStep } from '../schema/pointer.ts';
import { kindOf, kindsOf } from '../schema/types-of.ts';
import { isSchemaObject } from '../schema/walk.ts';
import type { Tool } from '../tool.ts';
import { isIndex, namesIn, type PlaceKind } from './argument-places.ts';

/** Throws a TypeError for declarations of paths, URLs or commands that are not well-formed. */
export function checkDeclarations(tool: Tool): void {
  const { name, paths, urls, commands } = tool;
  if (paths !== undefined) checkTable(name, 'paths', paths, ['read', 'write']);
  if (urls !== undefined && !isNames(urls)) throw new TypeError(`Tool "${name}": urls must be ${aList}.`);
  if (commands !== undefined && !isNames(commands)) {
    if (Array.isArray(commands)) throw new TypeError(`Tool "${name}": commands must be ${aList}.`);
    checkTable(name, 'commands', commands, ['shell', 'python']);
  }
  if (paths === undefined && urls === undefined && commands === undefined) return;
  for (const [place] of placesOf(tool)) if (isForAll(place)) checkStar(tool, place);
}

const declarations = ['paths', 'urls', 'commands'] as const satisfies (keyof Tool)[];

/** Throws a TypeError for declarations that are there and undefined: what they were meant to guard would be open. */
export function checkGiven(definition: object, { name }: Tool): void {
  for (const declaration of declarations) {
    if (!(declaration in definition) || definition[declaration as never] !== undefined) continue;
    const advice = 'which would guard nothing; leave it out if nothing is what you mean';
    throw new TypeError(`Tool "${name}": ${declaration} is undefined, ${advice}.`);
  }
}

/** Whether a place begins with a star, as if arguments were a list; in an object a star is a name like any other. */
export function isForAll(place: string): boolean {
  return namesIn(place)[0] === '*';
}

function checkStar({ name, parameters: { properties } }: Tool, place: string): void {
  if (isSchemaObject(properties) && Object.hasOwn(properties, '*')) return;
  throw new TypeError(
    `Tool "${name}" declares "${place}", but its arguments are no list whose items a * could stand for, and its parameters ` +
      'have no property of that name. Declare each argument by its name.',
  );
}

const aList = 'a list of property names or JSON pointers';

function checkTable(name: string, declaration: string, table: unknown, known: readonly [string, string]): void {
  const words = `'${known[0]}' or '${known[1]}'`;
  if (!isPlainRecord(table))
    throw new TypeError(`Tool "${name}": ${declaration} must name ${words} for each argument.`);
  for (const [argument, word] of Object.entries(table)) {
    if (known.includes(word as string)) continue;
    const hint = didYouMean(String(word), known);
    throw new TypeError(`Tool "${name}": ${declaration}.${argument} must be ${words}; it is ${String(word)}.${hint}`);
  }
}

function isNames(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}

/**
 * Throws a TypeError for a declared place that no call can have by the schema of the arguments: it would guard nothing, or
 * have every call refused. What the schema leaves open may be there. Not to be asked about a tool from elsewhere, which may
 * take what it does not write into its schema.
 */
export function checkPlaces(tool: Tool): void {
  const { paths, urls, commands } = tool;
  if (paths === undefined && urls === undefined && commands === undefined) return;
  for (const [place, kind] of placesOf(tool)) checkPlace(tool, place, kind);
}

type Declared = Pick<Tool, 'paths' | 'urls' | 'commands'>;

/** All places that a tool declares. */
export function placesOf({
  paths = {},
  urls = [],
  commands = [],
}: Declared): readonly (readonly [string, PlaceKind])[] {
  const named = (places: readonly string[], kind: PlaceKind) => places.map((place) => [place, kind] as const);
  return [
    ...named(Object.keys(paths), 'path'),
    ...named(urls, 'url'),
    ...named(isNames(commands) ? commands : Object.keys(commands), 'command'),
  ];
}

const text = kindOf('');
const list = kindOf([]);
const object = kindOf({});

const forms: Readonly<Record<PlaceKind, { readonly word: string; readonly kinds: number }>> = {
  path: { word: 'path', kinds: text },
  url: { word: 'URL', kinds: text },
  command: { word: 'command', kinds: text | list },
};

function checkPlace(tool: Tool, place: string, kind: PlaceKind): void {
  const problem = placeProblem(tool, place, kind);
  if (problem === undefined) return;
  throw new TypeError(`Tool "${tool.name}" declares the ${forms[kind].word} argument "${place}", but ${problem}`);
}

/** Why no call of a tool can have a place, by the schema of its arguments, in words that follow a `but`; with what is `near`. */
export function placeProblem(
  { parameters, standardSchema }: Pick<Tool, 'parameters' | 'standardSchema'>,
  place: string,
  kind: PlaceKind,
  near: (wanted: string, names: readonly string[]) => string = didYouMean,
): string | undefined {
  const names = namesIn(place);
  const form = forms[kind];
  // What a library makes of the arguments is not in its schema, but for the names that they come under.
  const known = standardSchema === undefined ? names.length : 0;
  return problemAt(parameters, '', 0);

  function problemAt(schema: unknown, pointer: string, depth: number): string | undefined {
    if (!isSchemaObject(schema) || schema.$ref !== undefined || (depth > 0 && depth > known)) return undefined;
    const kinds = depth === 0 ? object : kindsOf(schema);
    const step = names[depth];
    const items = kinds & list ? `; for each of its items write ${pointer}/*` : '';
    if (step === undefined) {
      return kinds & form.kinds ? undefined : `its parameters have no text at ${pointer}${items}.`;
    }
    const isItem = depth > 0 && (step === '*' || (isIndex(step) && (kinds & object) === 0));
    if (isItem && kinds & list) {
      return Array.isArray(schema.items) || schema.prefixItems !== undefined
        ? undefined
        : problemAt(schema.items, `${pointer}/${step}`, depth + 1);
    }
    if (isItem) return `its parameters have no list at ${pointer}.`;
    if ((kinds & object) === 0) return `its parameters have no object at ${pointer}${items}.`;
    const { properties } = schema;
    if (!isSchemaObject(properties)) return undefined;
    if (Object.hasOwn(properties, step)) return problemAt(properties[step], pointer + pointerStep(step), depth + 1);
    if (openings.some((keyword) => schema[keyword] !== undefined)) return undefined;
    const listed = Object.keys(properties);
    const where = pointer === '' ? '' : ` at ${pointer}`;
    return `its parameters have no such property${where}. They are: ${listed.join(', ')}.${near(step, listed)}`;
  }
}

/** Whether the schema of a tool's arguments lists a place step by step, and does not only leave it open. */
export function listsPlace({ parameters }: Pick<Tool, 'parameters'>, place: string): boolean {
  let at: unknown = parameters;
  for (const step of namesIn(place)) {
    if (!isSchemaObject(at)) return false;
    const { properties, items } = at;
    if (isSchemaObject(properties) && Object.hasOwn(properties, step)) at = properties[step];
    else if (items !== undefined && (step === '*' || isIndex(step))) at = items;
    else return false;
  }
  return at !== false;
}

/** Keywords by which an object may have properties that do not stand beside them. */
const openings = ['patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', '$dynamicRef'];
