// An agent loop in full, with a scripted model in the place of a real one. The loop never guesses: every call comes
// back as one result, and a mistake is an answer that the model can act on.
import assert from 'node:assert/strict';
import { createRouter, defineTool, type ToolCall, toModelText } from 'callgate';

const notes = new Map([['rag', 'Retrieval-augmented generation: look things up before you answer.']]);

const searchNotes = defineTool({
  name: 'search_notes',
  description: 'Search the notes by keyword.',
  parameters: {
    type: 'object',
    properties: { keyword: { type: 'string' } },
    required: ['keyword'],
    additionalProperties: false,
  },
  permission: 'read',
  handler: ({ keyword }) => notes.get(keyword.toLowerCase()) ?? `No note about ${keyword}.`,
});

const addNote = defineTool({
  name: 'add_note',
  description: 'Keep a note.',
  parameters: {
    type: 'object',
    properties: { keyword: { type: 'string' }, text: { type: 'string' } },
    required: ['keyword', 'text'],
    additionalProperties: false,
  },
  permission: 'write',
  handler: ({ keyword, text }) => void notes.set(keyword, text),
});

type Message = { role: 'user' | 'tool' | 'assistant'; text: string; calls?: ToolCall[]; call_id?: string };

/** Plays a model: what it says next depends on what it was told last. */
function scriptedModel(messages: Message[]): Message {
  const last = messages.at(-1)?.text ?? '';
  if (last === 'What is RAG?') {
    return { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'search_note', arguments: '{"keyword":"RAG"}' }] };
  }
  if (last.includes('Did you mean search_notes')) {
    const search = { id: 'c2', name: 'search_notes', arguments: '{"keyword":"RAG"}' };
    const keep = { id: 'c3', name: 'add_note', arguments: '{"keyword":"asked","text":"RAG"}' };
    return { role: 'assistant', text: '', calls: [search, keep] };
  }
  const found = messages.find(({ call_id }) => call_id === 'c2')?.text;
  return { role: 'assistant', text: `Your notes say: ${found}` };
}

const asked: string[] = [];
const router = createRouter({
  tools: [searchNotes, addNote],
  approve: async ({ tool, arguments: args }) => {
    asked.push(`${tool} ${JSON.stringify(args)}`);
    return true;
  },
});

const messages: Message[] = [{ role: 'user', text: 'What is RAG?' }];
for (let turn = 0; turn < 5; turn++) {
  const reply = scriptedModel(messages);
  messages.push(reply);
  if (reply.calls === undefined) break;
  for (const result of await router.callAll(reply.calls, { deadline: 30_000 })) {
    messages.push({ role: 'tool', text: toModelText(result), call_id: result.call_id });
  }
}

assert.equal(
  messages.at(-1)?.text,
  'Your notes say: Retrieval-augmented generation: look things up before you answer.',
);
assert.deepEqual(asked, ['add_note {"keyword":"asked","text":"RAG"}']);
assert.equal(notes.get('asked'), 'RAG');
