import type { JsonSchemaObject } from '../../schema/json-schema.ts';
import { isSchemaObject } from '../../schema/walk.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { annotationsOf, levelOf } from './annotations.ts';
import { cleanText, longestDescription } from './clean-text.ts';
import type { Guards } from './guards.ts';
import type { ListedTool } from './list-tools.ts';
import { cleanSchema } from './schema-texts.ts';

/** What becomes of a server's tool, beside what the server says of it. */
export interface ImportOptions {
  readonly guards: Guards;
  readonly timeout: number | undefined;
  readonly trustAnnotations: boolean;
  readonly call: (listed: ListedTool, guards: Guards, args: unknown, ctx: ToolContext) => Promise<unknown>;
}

/**
 * A tool of ours that stands for one of a server's, without its namespace yet; or why there is none. Texts are cleaned and
 * cut, schemas kept.
 */
export function importTool(listed: ListedTool, options: ImportOptions): Tool | string {
  const { name, description, inputSchema, outputSchema, annotations, title, execution } = listed;
  if (!/^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(name)) return 'its name has characters that a name may not have';
  if (!isSchemaObject(inputSchema)) return 'it has no schema of its arguments';
  if ((execution as { taskSupport?: unknown } | null | undefined)?.taskSupport === 'required') {
    return 'it can only be called as a task of the protocol';
  }
  const hints = annotationsOf(annotations, title);
  const level = options.guards.permission ?? (options.trustAnnotations ? levelOf(hints) : undefined);
  const output = isSchemaObject(outputSchema) ? cleanSchema(outputSchema) : undefined;
  return Object.freeze({
    name,
    description: typeof description === 'string' ? cleanText(description, longestDescription) : '',
    parameters: parametersOf(inputSchema),
    ...(output !== undefined && { output }),
    ...(hints !== undefined && { annotations: hints }),
    ...options.guards,
    ...(level !== undefined && { permission: level }),
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    handler: (args: unknown, ctx: ToolContext) => options.call(listed, options.guards, args, ctx),
  });
}

/** The schema of a tool's arguments, as the tool is registered with it. */
export function parametersOf(inputSchema: JsonSchemaObject): JsonSchemaObject {
  const parameters = cleanSchema(inputSchema);
  // The protocol demands an object, and some servers forget to say so.
  return parameters.type === undefined ? { type: 'object' as const, ...parameters } : parameters;
}
