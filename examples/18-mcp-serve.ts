// A router as an MCP server over HTTP, and a client of it in the same program: tools are listed, calls pass the whole
// chain, what needs approval is asked of the person at the client, and who has no token is not let in.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createRouter, defineTool } from 'callgate';
import { elicitApproval, serveMcpHttp } from 'callgate/mcp';

const notes: string[] = ['Buy bread.'];

const listNotes = defineTool({
  name: 'list_notes',
  description: 'Lists all notes.',
  permission: 'read',
  parameters: { type: 'object', properties: {} },
  output: { type: 'object', properties: { notes: { type: 'array', items: { type: 'string' } } }, required: ['notes'] },
  handler: () => ({ notes: [...notes] }),
});

const addNote = defineTool({
  name: 'add_note',
  description: 'Adds a note.',
  permission: 'write',
  parameters: { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] },
  handler: ({ text }) => `There are ${notes.push(text)} notes.`,
});

const router = createRouter({ tools: [listNotes, addNote], approve: elicitApproval() });

// Without options: a free port of the loopback address. A token is needed as soon as others can reach it.
const token = 'a-token-of-at-least-sixteen-characters';
await using serving = await serveMcpHttp(router, { name: 'notes', token });

// The person at the client: sees what would happen, and decides.
const asked: string[] = [];
let decision = 'allow once';
const client = new Client({ name: 'example', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler('elicitation/create', async ({ params }) => {
  asked.push(params.message);
  return { action: 'accept', content: { decision } };
});
const headers = { authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(serving.url), { requestInit: { headers } }));

const { tools } = await client.listTools();
assert.deepEqual(
  tools.map(({ name }) => name),
  ['list_notes', 'add_note'],
);

const listed = await client.callTool({ name: 'list_notes', arguments: {} });
assert.deepEqual(listed.structuredContent, { notes: ['Buy bread.'] });

// Arguments that do not fit never reach the tool, nor the person; the model is told what is wrong.
const wrong = await client.callTool({ name: 'add_note', arguments: { text: '' } });
assert.equal(wrong.isError, true);
assert.equal(asked.length, 0);

const added = await client.callTool({ name: 'add_note', arguments: { text: 'Call mother.' } });
assert.deepEqual(added.content, [{ type: 'text', text: 'There are 2 notes.' }]);
assert.match(asked[0] ?? '', /add_note[\s\S]*Call mother/);

decision = 'deny';
const denied = await client.callTool({ name: 'add_note', arguments: { text: 'Sell the house.' } });
assert.equal(denied.isError, true);
assert.equal(notes.length, 2);

// Neither without the token, nor for a page that has made a name of its own lead here.
assert.equal((await fetch(serving.url, { method: 'POST' })).status, 401);
assert.equal(
  (await fetch(serving.url, { method: 'POST', headers: { ...headers, origin: 'https://evil.example' } })).status,
  403,
);

await client.close();
console.log('served', tools.length, 'tools; asked', asked.length, 'times');
