import { pointerStep } from '../../schema/pointer.ts';

const blank = /[\s,:]*/y;
const string = /"(?:[^"\\]|\\.)*"/y;
const scalar = /[^\s,:{}[\]"]+/y;

/**
 * The index in a valid JSON text at which what a pointer (RFC 6901) means begins: the key of a member, or an item. Of a
 * member that is not there, the object that lacks it.
 */
export function placeIn(text: string, pointer: string): number {
  let at = 0;
  let best = 0;

  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const note = (place: string, index: number): void => {
    if (pointer === place || pointer.startsWith(`${place}/`)) best = index;
  };
  const value = (place: string): void => {
    const open = text[at];
    if (open === '"') skip(string);
    else if (open === '{' || open === '[') items(place, open === '{');
    else skip(scalar);
  };
  const items = (place: string, isObject: boolean): void => {
    at++;
    for (let index = 0; ; index++) {
      skip(blank);
      if (at >= text.length || text[at] === '}' || text[at] === ']') break;
      const start = at;
      const inner = place + pointerStep(isObject ? (JSON.parse(skip(string) || '""') as string) : String(index));
      note(inner, start);
      if (isObject) skip(blank);
      value(inner);
    }
    at++;
  };

  skip(blank);
  best = at;
  value('');
  return best;
}

/** Line and column of an index, as `3:14`, both counted from 1. */
export function lineAndColumn(text: string, index: number): string {
  const before = text.slice(0, index).split('\n');
  return `${before.length}:${[...(before.at(-1) ?? '')].length + 1}`;
}
