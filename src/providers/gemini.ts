import { isContent } from '../content.ts';
import { toModelText } from '../model-text.ts';
import type { ToolResult } from '../result.ts';
import type { NameRule } from './aliases.ts';
import { assembler } from './assembler.ts';
import { callMaker } from './calls.ts';
import { geminiSchema } from './dialects/gemini.ts';
import { partialArguments } from './gemini-partial.ts';
import { descriptionOf, makeOffer, mutable } from './offer.ts';
import { pairResults } from './pairing.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { asObject, asObjects, type Loose } from './shape.ts';
import type { CallReader, ProviderCall, ProviderFormat, ReadOffer } from './types.ts';

export interface GeminiTool {
  functionDeclarations: GeminiFunction[];
}

export interface GeminiFunction {
  name: string;
  description: string;
  parametersJsonSchema: { [keyword: string]: unknown };
}

export interface GeminiFunctionResponse {
  functionResponse: {
    id?: string;
    name: string;
    response: { [key: string]: unknown };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

export interface GeminiUserContent {
  role: 'user';
  parts: GeminiFunctionResponse[];
}

/** A letter or `_`, then `[A-Za-z0-9_.:-]`, 128 characters at most. */
const names: NameRule = { limit: 128, characters: /[A-Za-z0-9_.:-]/, first: /[A-Za-z_]/ };

/** The ends of a response after which its last part is whole. */
const proper: ReadonlySet<unknown> = new Set([undefined, null, 'STOP', 'FINISH_REASON_UNSPECIFIED']);

/** What a model reads inside a function response beside its JSON. */
const mediaTypes = /^(image\/(png|jpeg|webp)|application\/pdf|text\/plain)$/;

/**
 * Gemini. Its calls mostly have no id; each then gets one of ours, and is answered by name and order. Results are one
 * content of role `user` with a response for every call, under the key `output` or `error`; images and PDF files go
 * along as parts.
 */
export const gemini: ProviderFormat<GeminiTool[], GeminiUserContent[]> = {
  name: 'gemini',
  definitions: (tools) =>
    makeOffer(
      tools,
      names,
      (tool) => geminiSchema(tool.parameters),
      (offered): GeminiFunction => ({
        name: offered.alias,
        description: descriptionOf(offered),
        parametersJsonSchema: mutable(offered.schema),
      }),
      (functionDeclarations): GeminiTool[] => (functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]),
    ),
  readCalls,
  createCallReader,
  writeResults(calls, results) {
    const parts = pairResults(calls, results).map(({ id, name, result }) => responseOf(id, name, result));
    return parts.length === 0 ? [] : [{ role: 'user', parts }];
  },
};

function readCalls(response: unknown, offer?: ReadOffer): readonly ProviderCall[] {
  const make = callMaker({ offer });
  const candidate = candidateOf(response);
  const parts = partsOf(candidate);
  const cut = !proper.has(candidate['finishReason']);
  return parts.flatMap((part, index) => {
    if (part['functionCall'] === undefined) return [];
    const { id, name, args, willContinue } = asObject(part['functionCall']);
    return [make({ id, name, arguments: args ?? {} }, willContinue === true || (cut && index === parts.length - 1))];
  });
}

function candidateOf(response: unknown): Loose {
  const object = asObject(response);
  // A response, one of its candidates, or the content of one.
  if (object['candidates'] !== undefined) return asObjects(object['candidates'])[0] ?? {};
  return object['content'] === undefined ? { content: object } : object;
}

function partsOf(candidate: Loose): readonly Loose[] {
  return asObjects(asObject(candidate['content'])['parts']);
}

function createCallReader(offer?: ReadOffer): CallReader {
  const calls = assembler({ offer });
  let begun = 0;
  let partial: ReturnType<typeof partialArguments> | undefined;
  const pushCall = ({ id, name, args, partialArgs, willContinue }: Loose): readonly ProviderCall[] => {
    // A call in pieces begins with its name, goes on without one, and ends without `willContinue`.
    if (!partial) calls.begin(++begun, id, name);
    if (Array.isArray(partialArgs) || willContinue === true) partial ??= partialArguments();
    if (!partial) {
      calls.replace(begun, args ?? {});
      return [];
    }
    for (const piece of asObjects(partialArgs)) partial.push(piece);
    if (willContinue === true) return [];
    calls.replace(begun, JSON.stringify(partial.value()));
    partial = undefined;
    return calls.close(begun);
  };
  return {
    push(event) {
      const candidate = candidateOf(event);
      const ready = partsOf(candidate).flatMap((part) =>
        part['functionCall'] === undefined ? [] : pushCall(asObject(part['functionCall'])),
      );
      const ended = candidate['finishReason'];
      if (typeof ended !== 'string' || partial) return ready;
      return [...ready, ...calls.finish(!proper.has(ended))];
    },
    end: () => calls.end(),
  };
}

function responseOf(id: string | undefined, name: string, result: ToolResult): GeminiFunctionResponse {
  const pieces = piecesOf(result);
  const parts = pieces.filter(isTaken).map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
  return {
    functionResponse: {
      ...(id !== undefined && { id }),
      name,
      response: result.ok ? { output: outputOf(result, pieces) } : { error: result.error },
      ...(parts.length > 0 && { parts }),
    },
  };
}

type Media = Extract<Piece, { kind: 'media' }>;

function isTaken(piece: Piece): piece is Media {
  return piece.kind === 'media' && mediaTypes.test(piece.mimeType);
}

function outputOf(result: ToolResult, pieces: readonly Piece[]): unknown {
  if (isContent(result.data))
    return pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.note)).join('\n');
  if (result.data === undefined || holdsReference(result.data)) return toModelText(result);
  return result.data;
}

// Gemini takes a key `$ref` inside a response for a reference to one of its parts, and refuses those that are not.
function holdsReference(data: unknown): boolean {
  return typeof data === 'object' && data !== null && (JSON.stringify(data) ?? '').includes('"$ref"');
}
