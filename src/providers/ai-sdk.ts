import { isContent } from '../content.ts';
import { toModelText } from '../model-text.ts';
import { toJsonSafe } from '../output/json-safe.ts';
import type { ToolResult } from '../result.ts';
import { portableNames } from './aliases.ts';
import { assembler } from './assembler.ts';
import { callMaker } from './calls.ts';
import { descriptionOf, makeOffer, openaiSchema } from './offer.ts';
import { pairResults } from './pairing.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { asObject, asObjects, asText, type Loose } from './shape.ts';
import type { CallReader, ProviderCall, ProviderFormat, ReadOffer } from './types.ts';

/** A Standard Schema that also gives its JSON Schema, which is what the AI SDK takes without one of its own objects. */
export interface AiSdkSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'callgate';
    /** Lets everything pass: the router validates, against the tool's own schema. */
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: (options?: unknown) => { [keyword: string]: unknown };
      readonly output: (options?: unknown) => { [keyword: string]: unknown };
    };
  };
}

export interface AiSdkTool {
  description: string;
  inputSchema: AiSdkSchema;
  strict?: boolean;
}

export type AiSdkJson = null | boolean | number | string | AiSdkJson[] | { [key: string]: AiSdkJson };

export type AiSdkOutput =
  | { type: 'text'; value: string }
  | { type: 'json'; value: AiSdkJson }
  | { type: 'error-text'; value: string }
  | { type: 'execution-denied'; reason: string }
  | { type: 'content'; value: AiSdkPart[] };

export type AiSdkPart =
  | { type: 'text'; text: string }
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'file-data'; data: string; mediaType: string; filename: string };

export interface AiSdkToolMessage {
  role: 'tool';
  content: { type: 'tool-result'; toolCallId: string; toolName: string; output: AiSdkOutput }[];
}

/**
 * Vercel's AI SDK (version 5 and later): tools without `execute`, so that calls come back to the caller and go through
 * the router. Reads results of `generateText`, content of a model, and the parts of `streamText`. Results take text,
 * JSON, images and files; failures are `error-text`, a denial is `execution-denied`.
 */
export const aiSdk: ProviderFormat<{ [name: string]: AiSdkTool }, AiSdkToolMessage[]> = {
  name: 'ai-sdk',
  definitions: (tools, options = {}) =>
    makeOffer(
      tools,
      portableNames,
      (tool) => openaiSchema(tool, options),
      (offered): [string, AiSdkTool] => [
        offered.alias,
        {
          description: descriptionOf(offered),
          inputSchema: standardSchema(offered.schema as { [keyword: string]: unknown }),
          ...(offered.strict && { strict: true }),
        },
      ],
      (definitions): { [name: string]: AiSdkTool } => Object.fromEntries(definitions),
      ({ strict }) => strict,
    ),
  readCalls,
  createCallReader,
  writeResults(calls, results) {
    const content = pairResults(calls, results).map(({ id, name, result }) => ({
      type: 'tool-result' as const,
      toolCallId: id ?? result.call_id,
      toolName: name,
      output: outputOf(result),
    }));
    return content.length === 0 ? [] : [{ role: 'tool', content }];
  },
};

function standardSchema(schema: { [keyword: string]: unknown }): AiSdkSchema {
  const jsonSchema = () => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'callgate',
      validate: (value) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

const cutShort: ReadonlySet<unknown> = new Set(['length', 'content-filter', 'error']);

/** Models give the reason in an object with their own word for it, the SDK gives one word. */
function isCut(finishReason: unknown): boolean {
  return cutShort.has(asObject(finishReason)['unified'] ?? finishReason);
}

function readCalls(response: unknown, offer?: ReadOffer): readonly ProviderCall[] {
  const make = callMaker({ offer });
  const { toolCalls, content, finishReason } = asObject(response);
  const parts = asObjects(Array.isArray(response) ? response : (content ?? toolCalls));
  const cut = isCut(finishReason);
  return parts.flatMap((part, index) =>
    isOurs(part)
      ? [
          make(
            { id: part['toolCallId'], name: part['toolName'], arguments: part['input'] },
            cut && index === parts.length - 1,
          ),
        ]
      : [],
  );
}

// What the provider runs itself is not ours to run, and what the SDK found invalid it has already answered.
function isOurs({ type, providerExecuted, invalid }: Loose): boolean {
  return type === 'tool-call' && providerExecuted !== true && invalid !== true;
}

function createCallReader(offer?: ReadOffer): CallReader {
  const calls = assembler({ offer });
  return {
    push(event) {
      const part = asObject(event);
      const { type, id, toolCallId, toolName, delta, input, finishReason, providerExecuted } = part;
      switch (type) {
        case 'tool-input-start':
          if (providerExecuted !== true) calls.begin(id, id, toolName);
          return [];
        case 'tool-input-delta':
          if (typeof delta === 'string' && calls.idOf(id) !== undefined) calls.append(id, delta);
          return [];
        case 'tool-call':
          if (!isOurs(part)) return [];
          calls.begin(toolCallId, asText(toolCallId), toolName);
          // The parsed input says no more than its text does, and less about where it ends.
          if (calls.textOf(toolCallId) === undefined) calls.replace(toolCallId, input);
          return calls.close(toolCallId);
        case 'finish-step':
        case 'finish':
          return calls.finish(isCut(finishReason));
        default:
          return [];
      }
    },
    end: () => calls.end(),
  };
}

const denials: ReadonlySet<string> = new Set(['denied', 'approval_required']);

function outputOf(result: ToolResult): AiSdkOutput {
  if (!result.ok) {
    return denials.has(result.code)
      ? { type: 'execution-denied', reason: result.error }
      : { type: 'error-text', value: result.error };
  }
  const { data } = result;
  if (isContent(data)) return { type: 'content', value: piecesOf(result).map(partOf) };
  if (typeof data === 'string') return { type: 'text', value: data };
  if (data === undefined) return { type: 'text', value: toModelText(result) };
  return { type: 'json', value: toJsonSafe(data) as AiSdkJson };
}

function partOf(piece: Piece): AiSdkPart {
  if (piece.kind === 'text') return { type: 'text', text: piece.text };
  const { data, mimeType: mediaType, name } = piece;
  if (mediaType.startsWith('image/')) return { type: 'image-data', data, mediaType };
  return { type: 'file-data', data, mediaType, filename: name };
}
