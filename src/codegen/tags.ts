import { nearest } from '../basics/nearest.ts';
import type { DocTag } from './jsdoc.ts';

/** What a constraint tag takes: a number, a whole number from 0, nothing, or text. */
type Takes = 'number' | 'count' | 'flag' | 'text';

export interface Constraint {
  readonly keyword: string;
  readonly takes: Takes;
  /** The JSON types it can stand on; empty for all. */
  readonly types: readonly string[];
}

const rows: readonly (readonly [keyword: string, takes: Takes, ...types: string[]])[] = [
  ['integer', 'flag', 'number'],
  ['minimum', 'number', 'number', 'integer'],
  ['maximum', 'number', 'number', 'integer'],
  ['exclusiveMinimum', 'number', 'number', 'integer'],
  ['exclusiveMaximum', 'number', 'number', 'integer'],
  ['multipleOf', 'number', 'number', 'integer'],
  ['minLength', 'count', 'string'],
  ['maxLength', 'count', 'string'],
  ['pattern', 'text', 'string'],
  ['format', 'text', 'string'],
  ['minItems', 'count', 'array'],
  ['maxItems', 'count', 'array'],
  ['uniqueItems', 'flag', 'array'],
  ['minProperties', 'count', 'object'],
  ['maxProperties', 'count', 'object'],
];

/** The tags that constrain a value: on a function with the parameter's name first, on a property without. */
export const constraints: ReadonlyMap<string, Constraint> = new Map(
  rows.map(([keyword, takes, ...types]) => [keyword, { keyword, takes, types }]),
);

const annotations = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;
export type AnnotationTag = (typeof annotations)[number];

export const isAnnotation = (name: string): name is AnnotationTag => annotations.includes(name as AnnotationTag);

/** Every tag that means something on a function. */
export const ours: readonly string[] = [
  ...constraints.keys(),
  ...annotations,
  'tool',
  'toolname',
  'title',
  'permission',
  'timeout',
  'path',
  'url',
  'command',
  'tag',
  'param',
];

/** Reads a constraint's value, or says what is wrong with it. */
export function constraintValue(
  constraint: Constraint,
  text: string,
): { readonly value: unknown } | { readonly wrong: string } {
  const { keyword, takes } = constraint;
  if (takes === 'flag')
    return text === '' ? { value: true } : { wrong: `@${keyword} takes no value, but has "${text}"` };
  if (text === '') return { wrong: `@${keyword} lacks its value` };
  if (takes === 'text') return keyword === 'pattern' ? patternValue(text) : { value: text };
  const value = Number(text);
  if (!Number.isFinite(value)) return { wrong: `@${keyword} takes a number, not "${text}"` };
  if (takes === 'count' && !(Number.isInteger(value) && value >= 0)) {
    return { wrong: `@${keyword} takes a whole number from 0, not "${text}"` };
  }
  return { value };
}

function patternValue(text: string): { readonly value: unknown } | { readonly wrong: string } {
  try {
    new RegExp(text, 'u');
    return { value: text };
  } catch (error) {
    return { wrong: `@pattern is not a regular expression: ${(error as Error).message}` };
  }
}

/** The tag that was probably meant by one that is none of ours, so that a slip does not pass as somebody else's tag. */
export function meantTag(tag: DocTag): string | undefined {
  if (ours.includes(tag.name)) return undefined;
  const name = tag.name.toLowerCase();
  const same = ours.find((known) => known.toLowerCase() === name);
  if (same !== undefined || name.length < 6) return same;
  return nearest(name, ours, 3).find((known) => Math.abs(known.length - name.length) <= 2);
}
