import { ToolError } from '../errors.ts';
import type { ToolCall } from '../types.ts';

const readBy = "Calls in a provider's response are read with its format from callgate/providers.";

/** For a call that names no tool. */
export function nameless(): ToolError {
  const text = `A tool call is an object { id, name, arguments }, and this one has no name. ${readBy}`;
  return new ToolError(text, { code: 'invalid_arguments' });
}

/** What others call the arguments of a call. */
const others = ['input', 'args', 'parameters', 'params', 'function'] as const;

/** Throws for a call without arguments that has some under another name: the tool would run without them, on its defaults. */
export function checkNoOtherArguments(call: ToolCall): void {
  const given = call as { readonly [member in (typeof others)[number]]?: unknown };
  const other = others.find((member) => given[member] !== undefined);
  if (other === undefined) return;
  const text = `A tool call has its arguments in "arguments", and this one in "${other}". Nothing was run. ${readBy}`;
  throw new ToolError(text, { code: 'invalid_arguments' });
}

/** The id or name of something that may be no call at all; empty when it has none. */
export function textOf(call: unknown, member: 'id' | 'name'): string {
  try {
    const value = (call as Partial<ToolCall> | null | undefined)?.[member] as unknown;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  } catch {
    return '';
  }
}
