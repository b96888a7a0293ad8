import { isRecord } from '../basics/plain-object.ts';
import type { ContentBlock } from '../content.ts';
import { toMcpResult } from '../mcp/results.ts';
import type { ToolResult } from '../result.ts';
import type { JsonSchemaObject } from '../schema/json-schema.ts';
import type { Tool } from '../tool.ts';
import type { NameRule } from './aliases.ts';
import { callMaker } from './calls.ts';
import { trace } from './dialects/trace.ts';
import { makeOffer, mutable } from './offer.ts';
import { pairResults } from './pairing.ts';
import { asObject } from './shape.ts';
import type { CallReader, Converted, ProviderCall, ProviderFormat, ReadOffer } from './types.ts';

export interface McpTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  outputSchema?: { type: 'object'; [keyword: string]: unknown };
  annotations?: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
}

export interface McpToolResult {
  content: ContentBlock[];
  structuredContent?: { [key: string]: unknown };
  isError?: true;
  _meta?: { [name: string]: unknown };
}

/** `[A-Za-z0-9_.-]`, 128 characters at most. */
const names: NameRule = { limit: 128, characters: /[A-Za-z0-9_.-]/, first: /[A-Za-z0-9_.-]/ };

/**
 * The Model Context Protocol, from the server's side: entries of `tools/list`, the request of `tools/call`, and its
 * result, one for each call. Schemas go untouched, any draft that the tool declares. Data that is an object is sent as
 * text and as `structuredContent`; failures carry `isError`.
 */
export const mcp: ProviderFormat<McpTool[], McpToolResult[]> = {
  name: 'mcp',
  definitions: (tools) =>
    makeOffer(
      tools,
      names,
      (tool) => objectSchema(tool.parameters),
      ({ tool, alias, schema }): McpTool => ({
        name: alias,
        ...(tool.annotations?.title !== undefined && { title: tool.annotations.title }),
        description: tool.description,
        inputSchema: mutable(schema) as McpTool['inputSchema'],
        // The protocol demands an object; other data goes as text only.
        ...(tool.output?.type === 'object' && { outputSchema: mutable(tool.output) as McpTool['inputSchema'] }),
        ...annotationsOf(tool),
      }),
      (definitions) => definitions,
    ),
  readCalls,
  createCallReader,
  writeResults: (calls, results) => pairResults(calls, results).map(({ result }) => resultOf(result)),
};

function objectSchema(schema: JsonSchemaObject): Converted {
  if (schema.type === 'object') return { schema, losses: [] };
  const lost = trace();
  if (schema.type !== undefined) lost.lose('', 'type', 'changed', 'the protocol demands an object schema');
  return { schema: { ...schema, type: 'object' }, losses: lost.losses };
}

function annotationsOf({ annotations = {} }: Tool): { annotations?: NonNullable<McpTool['annotations']> } {
  const { title, readOnly, destructive, idempotent, openWorld } = annotations;
  const hints = {
    ...(title !== undefined && { title }),
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(openWorld !== undefined && { openWorldHint: openWorld }),
  };
  return Object.keys(hints).length > 0 ? { annotations: hints } : {};
}

/** Takes a JSON-RPC request, its `params`, or a list of either. */
function readCalls(response: unknown, offer?: ReadOffer): readonly ProviderCall[] {
  const reader = createCallReader(offer);
  for (const request of Array.isArray(response) ? response : [response]) reader.push(request);
  return reader.end();
}

// The protocol does not stream requests: each event is one.
function createCallReader(offer?: ReadOffer): CallReader {
  const make = callMaker({ offer });
  const all: ProviderCall[] = [];
  return {
    push(event) {
      const { id, params } = asObject(event);
      const { name, arguments: args } = asObject(params ?? event);
      if (typeof name !== 'string') return [];
      const call = make({ id: typeof id === 'number' ? String(id) : id, name, arguments: args });
      all.push(call);
      return [call];
    },
    end: () => all,
  };
}

function resultOf(result: ToolResult): McpToolResult {
  const { structuredContent, ...rest } = toMcpResult(result);
  // Up to revision 2025-11-25 it is an object or nothing.
  return isRecord(structuredContent) ? { ...rest, structuredContent } : rest;
}
