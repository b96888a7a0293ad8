import { fairShare, fitText, jsonLength } from './fit-text.ts';
import { defaultHint } from './truncate.ts';

/** An array or object whose parts would have less room than this, in characters each, loses parts instead. */
const leastRoom = 64;

/**
 * Shortens a JSON-safe value until its JSON text has at most `limit` characters (64 at least). Small parts stay whole;
 * long texts keep head and tail, and long arrays and objects lose parts from the middle or the end, always with a note of
 * how many. A value that fits comes back as it is.
 */
export function shrink(value: unknown, limit: number, hint: string = defaultHint): unknown {
  return shorten(value, Math.max(limit, leastRoom), hint);
}

function shorten(value: unknown, room: number, hint: string): unknown {
  if (typeof value === 'string') return fitText(value, room, hint);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Array.isArray(value) ? value : Object.values(value);
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const sizes = parts.map((part, index) => jsonLength(part) + (keys ? jsonLength(keys[index]) + 2 : 1));
  let total = 2;
  for (const size of sizes) total += size;
  if (total - 1 <= room) return value;
  return keys
    ? fitObject(value as Record<string, unknown>, keys, sizes, room, hint)
    : fitArray(parts, sizes, room, hint);
}

function fitArray(items: readonly unknown[], sizes: readonly number[], room: number, hint: string): unknown[] {
  if (items.length * leastRoom <= room) {
    const share = fairShare(sizes, room - 2);
    return items.map((item, index) => (sizes[index]! <= share ? item : shorten(item, share - 1, hint)));
  }
  const note = `[${items.length.toLocaleString('en-US')} items in all; those in the middle are left out. ${hint}]`;
  const most = Math.floor(room / 4);
  let left = room - jsonLength(note) - 3;
  if (left < leastRoom) return [`[${items.length} items left out]`];
  const head: unknown[] = [];
  const tail: unknown[] = [];
  const tailRoom = Math.floor(left / 4);
  const take = (index: number): unknown =>
    sizes[index]! <= most ? items[index] : shorten(items[index], most - 1, hint);
  for (let index = items.length - 1, used = 0; index >= 0; index -= 1) {
    used += Math.min(sizes[index]!, most);
    if (used > tailRoom) break;
    left -= Math.min(sizes[index]!, most);
    tail.unshift(take(index));
  }
  for (let index = 0; index < items.length - tail.length; index += 1) {
    left -= Math.min(sizes[index]!, most);
    if (left < 0) break;
    head.push(take(index));
  }
  return [...head, note, ...tail];
}

function fitObject(
  members: Record<string, unknown>,
  keys: readonly string[],
  sizes: readonly number[],
  room: number,
  hint: string,
): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  const note = ['[left out]', `${keys.length.toLocaleString('en-US')} members in all`] as const;
  const roomForAll = room - 2 - (jsonLength(note[0]) + jsonLength(note[1]) + 2);
  const all = keys.length * leastRoom <= roomForAll;
  const names = keys.map((key) => jsonLength(key) + 2);
  const share = all ? fairShare(sizes, roomForAll) : Math.floor(room / 4);
  let left = roomForAll;
  for (const [index, key] of keys.entries()) {
    const size = sizes[index]!;
    const forValue = share - names[index]!;
    const member =
      size <= share ? members[key] : forValue < leastRoom ? undefined : shorten(members[key], forValue, hint);
    if (member === undefined) continue;
    const cost = size <= share ? size : jsonLength(member) + names[index]!;
    if (cost > left) break;
    left -= cost;
    kept.push([key, member]);
  }
  if (kept.length < keys.length) kept.push([note[0], note[1]]);
  return Object.fromEntries(kept);
}
