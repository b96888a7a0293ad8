import { isPlainObject } from '../basics/plain-object.ts';
import { adopt, type Bag, isForbidden, rootPrototype } from './adopt.ts';
import { ArgumentsFault, type ArgumentsFaultReason } from './fault.ts';
import type { ArgumentLimits } from './limits.ts';
import { pointerStep } from './pointer.ts';

/** Counts the keys that were seen; against the colons of a text it shows duplicate keys. */
export interface Tally {
  keys: number;
}

const isOwn = rootPrototype.hasOwnProperty;

/**
 * Copies an object as plain JSON data, under limits, and refuses whatever is not: cycles, class instances, functions,
 * BigInt, symbols, numbers that are not finite, arrays with holes, and the keys that can replace a prototype.
 *
 * What was read of a property is what is checked and what the copy holds, so an accessor or a proxy cannot show one
 * value to the check and another to the handler. Properties that are `undefined` are left out, as in JSON. Keys that are
 * symbols are no part of the data: nothing looks at them.
 *
 * `grows` says that properties will be added to the copy, which decides how it is best made.
 */
export function copyPlain(value: object, limits: ArgumentLimits, grows = true): Bag | ArgumentsFault {
  // `Object.assign` would follow an own `__proto__` instead of copying it.
  if (Object.getPrototypeOf(value) === rootPrototype && !(grows && isOwn.call(value, '__proto__'))) {
    // V8 copies by a spread fastest, but adding to such a copy costs more than everything else here together.
    const copy = (grows ? Object.assign({}, value) : { ...value }) as Bag;
    if (adopt(copy, limits, false) >= 0) return copy;
  }
  return copyDeep(value, limits, { keys: 0 });
}

interface Frame {
  readonly source: object;
  readonly copy: Bag | unknown[];
  readonly depth: number;
  readonly parent: Frame | undefined;
  readonly name: string | number;
}

/** The careful way: takes all that may be taken and names what may not. It does not recurse, so depth is no danger. */
export function copyDeep(value: object, limits: ArgumentLimits, tally: Tally): Bag | ArgumentsFault {
  const root: Frame = { source: value, copy: {}, depth: 1, parent: undefined, name: '' };
  const waiting: Frame[] = [root];
  let nodes = 1;
  let length = 0;
  tally.keys = 0;

  for (let frame = waiting.pop(); frame !== undefined; frame = waiting.pop()) {
    const { source, copy } = frame;
    const isList = Array.isArray(source);
    if (!isList && !isPlainObject(source))
      return refuse(frame, 'not_plain_data', `is ${nameOf(source)}, not plain data`);
    if (isList && source.length > limits.maxNodes) return tooMany(limits);
    const names = isList ? source.keys() : Object.keys(source);
    for (const name of names) {
      if (isList && !Object.hasOwn(source, name))
        return refuse(frame, 'not_plain_data', 'is an array with holes', name);
      const item: unknown = (source as Bag)[name as string];
      if (!isList) {
        if (item === undefined) continue;
        if (isForbidden(name as string, item)) {
          return refuse(frame, 'forbidden_key', 'is a key that arguments may not have; leave it out', name);
        }
        length += (name as string).length;
        tally.keys++;
      }
      if (++nodes > limits.maxNodes) return tooMany(limits);
      let copied: unknown = item;
      switch (typeof item) {
        case 'string':
          length += item.length;
          break;
        case 'boolean':
          break;
        case 'number':
          if (!Number.isFinite(item)) {
            return refuse(frame, 'not_plain_data', `is ${item}: JSON has no such number, or it is too large`, name);
          }
          break;
        case 'object': {
          if (item === null) break;
          const inner: Frame = {
            source: item,
            copy: Array.isArray(item) ? [] : {},
            depth: frame.depth + 1,
            parent: frame,
            name,
          };
          if (inner.depth > limits.maxDepth) return tooDeep(inner, limits);
          copied = inner.copy;
          waiting.push(inner);
          break;
        }
        default:
          return refuse(
            frame,
            'not_plain_data',
            `is ${item === undefined ? 'undefined' : `a ${typeof item}`}, not plain data`,
            name,
          );
      }
      if (length > limits.maxBytes) return tooLarge(limits);
      (copy as Bag)[name as string] = copied;
    }
  }
  return root.copy as Bag;
}

function nameOf(value: object): string {
  const made: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof made === 'string' && made !== '' && made !== 'Object'
    ? `an instance of ${made.slice(0, 40)}`
    : 'an object';
}

function refuse(frame: Frame, reason: ArgumentsFaultReason, what: string, name?: string | number): ArgumentsFault {
  const pointer = pointerTo(frame) + (name === undefined ? '' : pointerStep(name));
  return new ArgumentsFault(
    'invalid_arguments',
    reason,
    `${pointer === '' ? 'The arguments object' : pointer} ${what}.`,
    {
      pointer,
    },
  );
}

function pointerTo(frame: Frame): string {
  const steps: string[] = [];
  for (let at: Frame = frame; at.parent !== undefined; at = at.parent) steps.push(pointerStep(at.name));
  return steps.reverse().join('');
}

function tooDeep(frame: Frame, limits: ArgumentLimits): ArgumentsFault {
  const chain: Frame[] = [];
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) chain.push(at);
  const seen = new Set<object>();
  for (const at of chain.reverse()) {
    if (seen.has(at.source)) return refuse(at, 'not_plain_data', 'is an object that contains itself');
    seen.add(at.source);
  }
  return new ArgumentsFault(
    'invalid_arguments',
    'too_deep',
    `The arguments are nested more than ${limits.maxDepth} levels deep. Send a flatter structure.`,
  );
}

function tooMany(limits: ArgumentLimits): ArgumentsFault {
  return new ArgumentsFault(
    'invalid_arguments',
    'too_many_values',
    `The arguments hold more than ${limits.maxNodes} values. Send fewer, in several calls if need be.`,
  );
}

function tooLarge(limits: ArgumentLimits): ArgumentsFault {
  return new ArgumentsFault(
    'invalid_arguments',
    'too_large',
    `The arguments are larger than ${limits.maxBytes} bytes. Send less, in several calls if need be.`,
  );
}
