import { didYouMean } from '../basics/nearest.ts';
import { pointerStep } from '../schema/pointer.ts';
import { kindOf, kindsOf } from '../schema/types-of.ts';
import { isSchemaObject } from '../schema/walk.ts';
import type { Tool } from '../tool.ts';
import { isIndex, namesIn, type PlaceKind } from './argument-places.ts';

/** Throws a TypeError for declarations of paths, URLs or commands that are not well-formed. */
export function checkDeclarations({ name, paths, urls, commands }: Tool): void {
  if (paths !== undefined) checkTable(name, 'paths', paths, ['read', 'write']);
  if (urls !== undefined && !isNames(urls)) throw new TypeError(`Tool "${name}": urls must be ${aList}.`);
  if (commands === undefined || isNames(commands)) return;
  if (Array.isArray(commands)) throw new TypeError(`Tool "${name}": commands must be ${aList}.`);
  checkTable(name, 'commands', commands, ['shell', 'python']);
}

const aList = 'a list of property names or JSON pointers';

function checkTable(name: string, declaration: string, table: unknown, known: readonly [string, string]): void {
  const words = `'${known[0]}' or '${known[1]}'`;
  if (!isSchemaObject(table))
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

/** All places that a tool declares. */
export function placesOf({ paths = {}, urls = [], commands = [] }: Tool): readonly (readonly [string, PlaceKind])[] {
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

function checkPlace({ name, parameters, standardSchema }: Tool, place: string, kind: PlaceKind): void {
  const names = namesIn(place);
  const form = forms[kind];
  // What a library makes of the arguments is not in its schema, but for the names that they come under.
  const known = standardSchema === undefined ? names.length : 0;
  const problem = problemAt(parameters, '', 0);
  if (problem === undefined) return;
  throw new TypeError(`Tool "${name}" declares the ${form.word} argument "${place}", but ${problem}`);

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
    return `its parameters have no such property${where}. They are: ${listed.join(', ')}.${didYouMean(step, listed)}`;
  }
}

/** Keywords by which an object may have properties that do not stand beside them. */
const openings = ['patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', '$dynamicRef'];
