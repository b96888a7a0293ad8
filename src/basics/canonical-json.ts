import { pointerStep } from '../schema/pointer.ts';
import { isPlainObject } from './plain-object.ts';

/** Deeper than anything that passed validation; a limit of its own, because digests are also made of foreign values. */
export const deepest = 256;

/**
 * One text for one value: JSON with sorted keys and no blanks, as RFC 8785 orders it, so that equal values have equal
 * digests. What JSON cannot say but a validator may produce (`Date`, `bigint`, `undefined`, `NaN`, infinities) gets a
 * form that no JSON text has, so that no two different values share one.
 *
 * Throws a TypeError that names the place for anything else: functions, symbols, cycles, class instances.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8785
 */
export function canonicalJson(value: unknown): string {
  return scalar(value) ?? write(value as object, undefined, 0);
}

/** Where in the value something stands; a pointer is made of it only when there is something to say. */
interface Place {
  readonly within: Place | undefined;
  readonly name: string | number;
}

/** The text of what holds no other values; `undefined` for an object, and for what has no text. */
function scalar(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return Number.isFinite(value) ? `${value}` : `number(${value})`;
    case 'bigint':
      return `bigint(${value})`;
    case 'undefined':
      return 'undefined()';
    default:
      return value === null ? 'null' : undefined;
  }
}

/** What JSON writes as it is. Of a short text, looking takes a fraction of what calling JSON.stringify does. */
const unescaped = /^[ !#-[\]-~]{0,64}$/;

function quoted(text: string): string {
  return unescaped.test(text) ? `"${text}"` : JSON.stringify(text);
}

function write(value: object, place: Place | undefined, depth: number): string {
  if (typeof value !== 'object') throw unsuitable(place, `a ${typeof value}`);
  if (depth >= deepest) throw unsuitable(place, `nested deeper than ${deepest} levels, or a cycle`);
  if (Array.isArray(value)) {
    let items = '';
    for (let name = 0; name < value.length; name++) {
      const item: unknown = value[name];
      items += `${name === 0 ? '' : ','}${scalar(item) ?? write(item as object, { within: place, name }, depth + 1)}`;
    }
    return `[${items}]`;
  }
  if (!isPlainObject(value)) {
    if (value instanceof Date) return `date(${value.getTime()})`;
    throw unsuitable(place, `an instance of ${nameOfClass(value)}`);
  }
  let members = '';
  for (const name of sortedNames(value)) {
    const member = value[name];
    const text = scalar(member) ?? write(member as object, { within: place, name }, depth + 1);
    members += `${members === '' ? '' : ','}${quoted(name)}:${text}`;
  }
  return `{${members}}`;
}

/** In the order of their code units. Mostly they are in that order already, and there are few of them. */
function sortedNames(value: object): string[] {
  const names = Object.keys(value);
  for (let at = 1; at < names.length; at++) {
    if ((names[at - 1] as string) > (names[at] as string)) return names.sort();
  }
  return names;
}

/** A place as a JSON pointer (RFC 6901). */
function pointerTo(place: Place | undefined): string {
  return place === undefined ? '' : pointerTo(place.within) + pointerStep(place.name);
}

function nameOfClass(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'a class';
}

function unsuitable(place: Place | undefined, what: string): TypeError {
  return new TypeError(`The value at "${pointerTo(place)}" has no canonical form: it is ${what}.`);
}
