import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import type { Tool } from '../../tool.ts';
import { parseText } from './text.ts';
import { walkWithSchema } from './walk.ts';

/**
 * Undoes what a strict mode demands of a model: a null for every optional argument that it leaves out. To be applied
 * before validation; nulls that the tool's own schema allows stay.
 *
 * @param args An object, or JSON text; text that is not acceptable JSON comes back untouched.
 */
export function undoStrictNulls(tool: Pick<Tool, 'parameters'>, args: unknown): unknown {
  return undoNulls(tool.parameters, args);
}

/** As {@link undoStrictNulls}, for a schema. */
export function undoNulls(schema: JsonSchemaObject, args: unknown): unknown {
  // Most calls hold no null at all, and their text goes on untouched.
  if (typeof args === 'string' && !args.includes('null')) return args;
  const value = typeof args === 'string' ? parseText(args) : args;
  const undone = walkWithSchema(schema, value, { dropped: () => {} });
  return undone === value ? args : undone;
}
