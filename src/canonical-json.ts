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
  return write(value, undefined, 0);
}

/** Where in the value something stands; a pointer is made of it only when there is something to say. */
interface Place {
  readonly within: Place | undefined;
  readonly name: string | number;
}

function write(value: unknown, place: Place | undefined, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : `number(${value})`;
    case 'bigint':
      return `bigint(${value})`;
    case 'undefined':
      return 'undefined()';
    case 'object':
      break;
    default:
      throw unsuitable(place, `a ${typeof value}`);
  }
  if (value === null) return 'null';
  if (depth >= deepest) throw unsuitable(place, `nested deeper than ${deepest} levels, or a cycle`);
  if (Array.isArray(value)) {
    const items = Array.from(value, (item: unknown, name) => write(item, { within: place, name }, depth + 1));
    return `[${items.join(',')}]`;
  }
  if (value instanceof Date) return `date(${value.getTime()})`;
  if (!isPlain(value)) throw unsuitable(place, `an instance of ${nameOfClass(value)}`);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${write(value[name], { within: place, name }, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** Whether `value` is a record of data and not an instance of a class. */
export function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects from another realm (a vm, a worker) have another Object.prototype; what counts is that it is the last one.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A place as a JSON pointer (RFC 6901). */
function pointerTo(place: Place | undefined): string {
  if (place === undefined) return '';
  const part = String(place.name).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${pointerTo(place.within)}/${part}`;
}

function nameOfClass(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'a class';
}

function unsuitable(place: Place | undefined, what: string): TypeError {
  return new TypeError(`The value at "${pointerTo(place)}" has no canonical form: it is ${what}.`);
}
