import { type Assembler, assembler } from './assembler.ts';
import { type CallMakerOptions, callMaker } from './calls.ts';
import { asObject, asObjects, asText, type Loose } from './shape.ts';
import type { CallReader, ProviderCall } from './types.ts';

/** Ends of a response after which its last call may be incomplete. */
const cutShort: ReadonlySet<unknown> = new Set(['length', 'content_filter', 'error', 'model_length']);

/** Reads Chat Completions as OpenAI (`tool_calls`) and Mistral's SDK (`toolCalls`) spell them. */
export function readChatCalls(response: unknown, options: CallMakerOptions): readonly ProviderCall[] {
  const make = callMaker(options);
  const choice = asObjects(asObject(response)['choices'])[0];
  const message = choice ? asObject(choice['message']) : asObject(response);
  const ended = choice?.['finish_reason'] ?? choice?.['finishReason'];
  const sent = callsIn(message);
  return sent.map((call, index) => {
    const { name, arguments: args } = asObject(call['function']);
    return make({ id: call['id'], name, arguments: args }, cutShort.has(ended) && index === sent.length - 1);
  });
}

function callsIn(message: Loose): readonly Loose[] {
  const calls = asObjects(message['tool_calls'] ?? message['toolCalls']);
  // Other kinds of tool run elsewhere or are answered in another form.
  return calls.filter((call) => call['function'] !== undefined);
}

/** Reads the chunks of a streamed Chat Completion, of the first choice. */
export function chatCallReader(options: CallMakerOptions): CallReader {
  const calls = assembler(options);
  const current = { key: undefined as unknown };
  return {
    push(event) {
      const chunk = asObject(asObject(event)['data'] ?? event);
      const choice = asObjects(chunk['choices']).find((one) => (one['index'] ?? 0) === 0) ?? {};
      const delta = asObject(choice['delta']);
      const ready = callsInDelta(delta).flatMap((part) => pushPart(part, calls, current));
      const ended = choice['finish_reason'] ?? choice['finishReason'];
      return typeof ended === 'string' ? [...ready, ...calls.finish(cutShort.has(ended))] : ready;
    },
    end: () => calls.end(),
  };
}

function callsInDelta(delta: Loose): readonly Loose[] {
  return asObjects(delta['tool_calls'] ?? delta['toolCalls']);
}

function pushPart(part: Loose, calls: Assembler, current: { key: unknown }): readonly ProviderCall[] {
  const { name, arguments: args } = asObject(part['function']);
  const id = asText(part['id']) || undefined;
  const key = keyOf(part['index'], id, calls, current.key);
  const ready = current.key !== undefined && current.key !== key ? calls.close(current.key) : [];
  current.key = key;
  calls.begin(key, id, asText(name) || undefined);
  if (typeof args === 'string') calls.append(key, args);
  else if (args !== undefined && args !== null) calls.replace(key, args);
  return ready;
}

// Calls are told apart by index; but some servers give none, or give every call index 0 with an id of its own.
function keyOf(index: unknown, id: string | undefined, calls: Assembler, current: unknown): unknown {
  if (typeof index !== 'number') return id === undefined ? (current ?? 0) : id;
  const known = calls.idOf(index);
  if (id === undefined) return typeof current === 'string' && current.startsWith(`${index}:`) ? current : index;
  return known === undefined || known === id ? index : `${index}:${id}`;
}
