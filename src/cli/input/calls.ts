import { didYouMean, inQuotes } from '../../basics/nearest.ts';
import { isRecord } from '../../basics/plain-object.ts';
import { findJsonFault } from '../../schema/json-faults.ts';
import { weighJson } from '../../schema/json-text.ts';
import type { ToolCall } from '../../types.ts';
import { InputError, type Line, linesOf } from './lines.ts';
import { placeOfMember } from './member.ts';

/** A call, and the line it stands on. */
export interface CallLine {
  readonly line: number;
  readonly call: ToolCall;
}

const members = ['id', 'name', 'arguments'];
const form = 'a line is {"name": "...", "arguments": {...}}, with an "id" if there is one';
// Depth that the validate stage refuses anyway, so that nothing here has to look further down.
const limits = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 512, maxNodes: Number.POSITIVE_INFINITY };

/**
 * Reads calls, one JSON object a line: `{ id?, name, arguments? }`, with arguments as an object or as JSON text. Blank
 * lines, CRLF and a byte order mark at the beginning do not matter. What a model got wrong inside a call is for the
 * router to answer; throws an {@link InputError} for a line that is no call.
 */
export async function* callsOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<CallLine> {
  for await (const line of linesOf(chunks)) {
    const text = textOf(line);
    if (text.trim() !== '') yield { line: line.number, call: callOf(text, line.number) };
  }
}

function textOf({ bytes, number }: Line): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InputError(number, columnOfFault(bytes), 'the line is not UTF-8 here');
  }
  if (number === 1 && text.startsWith('\uFEFF')) text = text.slice(1);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** Where a line stops being UTF-8: the first replacement character that stands for no replacement character. */
function columnOfFault(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let read = 0;
  let column = 1;
  for (const character of text) {
    const length = Buffer.byteLength(character);
    if (character === '\uFFFD' && !Buffer.from(bytes.subarray(read, read + 3)).equals(Buffer.from(character))) break;
    read += length;
    column++;
  }
  return column;
}

function callOf(text: string, line: number): ToolCall {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw located(text, line) ?? new InputError(line, 1, 'the line is not JSON');
  }
  if (!isRecord(value)) {
    throw new InputError(line, 1, `expected an object; ${form}`);
  }
  const weight = weighJson(text, limits);
  if (weight.depth <= limits.maxDepth && weight.keys !== keysOf(value)) {
    const fault = located(text, line);
    if (fault !== undefined) throw fault;
  }
  return checked(value, text, line);
}

function located(text: string, line: number): InputError | undefined {
  const fault = findJsonFault(text, 100_000);
  if (fault === undefined) return undefined;
  const problem =
    fault.kind === 'duplicate' ? `the key ${JSON.stringify(fault.key)} stands twice in one object` : fault.problem;
  return new InputError(line, columnAt(text, fault.index), problem);
}

function columnAt(text: string, index: number): number {
  return [...text.slice(0, index)].length + 1;
}

/** How many keys there are in all, each counted once: fewer than in the text when one was written twice. */
function keysOf(value: object): number {
  let keys = 0;
  const waiting: object[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inside: unknown[] = Object.values(next);
    if (!Array.isArray(next)) keys += inside.length;
    for (const each of inside) if (typeof each === 'object' && each !== null) waiting.push(each);
  }
  return keys;
}

function checked(value: object, text: string, line: number): ToolCall {
  const fault = (member: string, problem: string): InputError =>
    new InputError(line, columnAt(text, placeOfMember(text, member)), problem);
  for (const member of Object.keys(value)) {
    if (members.includes(member)) continue;
    const hint = didYouMean(foreign[member] ?? member, members, 'aside', inQuotes);
    throw fault(member, `a call has no member ${JSON.stringify(member)}${hint}; ${form}`);
  }
  const { id, name } = value as { id?: unknown; name?: unknown };
  if (!Object.hasOwn(value, 'name')) throw new InputError(line, 1, `the call has no "name"; ${form}`);
  if (typeof name !== 'string') throw fault('name', `"name" must be text; it is ${kindOf(name)}`);
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') {
    throw fault('id', `"id" must be text or a number; it is ${kindOf(id)}`);
  }
  return { ...value, name, ...(id !== undefined && { id: String(id) }) };
}

// What providers call the same things; `callgate` reads the plain form, which their adapters give.
const foreign: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  input: 'arguments',
  args: 'arguments',
  parameters: 'arguments',
  tool: 'name',
  tool_name: 'name',
  tool_call_id: 'id',
  tool_use_id: 'id',
  call_id: 'id',
});

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
