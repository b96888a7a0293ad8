import { toModelText } from '../model-text.ts';
import { portableNames } from './aliases.ts';
import { assembler } from './assembler.ts';
import { callMaker } from './calls.ts';
import { ollamaSchema } from './dialects/ollama.ts';
import { descriptionOf, makeOffer } from './offer.ts';
import { pairResults } from './pairing.ts';
import { piecesOf } from './pieces.ts';
import { asObject, asObjects, type Loose } from './shape.ts';
import type { CallReader, ProviderFormat, ReadOffer } from './types.ts';

export interface OllamaTool {
  type: string;
  function: { name: string; description: string; parameters: OllamaParameters };
}

/** A schema as Ollama's SDK types it; the server takes more. */
export interface OllamaParameters {
  type: string;
  required?: string[];
  properties?: {
    [name: string]: { type?: string | string[]; description?: string; enum?: unknown[]; items?: unknown };
  };
}

export interface OllamaToolMessage {
  role: 'tool';
  tool_name: string;
  content: string;
  /** Base64. */
  images?: string[];
}

/**
 * Ollama. Its calls have no ids, so each gets one of ours and results go back by name and order. Results are text, with
 * images beside it. It has no error flag; a failure is the text `{"error": "..."}`.
 */
export const ollama: ProviderFormat<OllamaTool[], OllamaToolMessage[]> = {
  name: 'ollama',
  definitions: (tools) =>
    makeOffer(
      tools,
      portableNames,
      (tool) => ollamaSchema(tool.parameters),
      (offered): OllamaTool => ({
        type: 'function',
        function: {
          name: offered.alias,
          description: descriptionOf(offered),
          parameters: offered.schema as unknown as OllamaParameters,
        },
      }),
      (definitions) => definitions,
    ),
  readCalls(response, offer) {
    const make = callMaker({ offer });
    const sent = callsIn(response);
    const cut = isCut(response);
    return sent.map((call, index) => make(rawOf(call), cut && index === sent.length - 1));
  },
  createCallReader,
  writeResults: (calls, results) =>
    pairResults(calls, results).map(({ name, result }) => {
      const images = piecesOf(result).flatMap((piece) =>
        piece.kind === 'media' && piece.mimeType.startsWith('image/') ? [piece.data] : [],
      );
      return { role: 'tool', tool_name: name, content: toModelText(result), ...(images.length > 0 && { images }) };
    }),
};

function callsIn(response: unknown): readonly Loose[] {
  const object = asObject(response);
  return asObjects(asObject(object['message'] ?? object)['tool_calls']);
}

function isCut(response: unknown): boolean {
  return asObject(response)['done_reason'] === 'length';
}

function rawOf(call: Loose): { id: unknown; name: unknown; arguments: unknown } {
  const { name, arguments: args } = asObject(call['function']);
  return { id: call['id'], name, arguments: args };
}

function createCallReader(offer?: ReadOffer): CallReader {
  const calls = assembler({ offer });
  let begun = 0;
  return {
    push(event) {
      // Every call comes whole, in a chunk of its own or with others.
      for (const call of callsIn(event)) {
        const { id, name, arguments: args } = rawOf(call);
        calls.begin(++begun, id, name);
        calls.replace(begun, args);
      }
      return asObject(event)['done'] === true ? calls.finish(isCut(event)) : [];
    },
    end: () => calls.end(),
  };
}
