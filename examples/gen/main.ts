// Tools made from plain functions. Written by: callgate gen notes.ts --out tools.gen.ts
import assert from 'node:assert/strict';
import { createRouter, type ToolCall } from 'callgate';
import { searchNotesParameters, tools } from './tools.gen.ts';

// The schema says what the signature says: one source of truth.
assert.deepEqual(searchNotesParameters.required, ['keyword']);
assert.equal(searchNotesParameters.properties.limit.default, 5);
assert.deepEqual(searchNotesParameters.properties.order.enum, ['newest', 'oldest', 'title']);

const router = createRouter({ tools, mode: 'auto' });
const call = async (name: string, args: ToolCall['arguments']) => router.call({ id: name, name, arguments: args });

// A date travels as text, and arrives in the function as a Date.
const saved = await call('save_note', { note: { title: 'Milk', text: 'buy milk', due: '2026-05-01T09:00:00Z' } });
assert.deepEqual(saved.data, { id: 1, due: '2026-05-01T09:00:00.000Z' });
await call('save_note', { note: { title: 'Bread', text: 'buy bread', tags: ['food'] } });

assert.deepEqual((await call('search_notes', '{"keyword": "buy"}')).data, ['Bread', 'Milk']);
assert.deepEqual((await call('search_notes', { keyword: 'buy', limit: 1, order: 'oldest' })).data, ['Milk']);
assert.equal((await call('forget', { tags: ['food'] })).data, 1);

// What the signature does not allow does not reach the function.
const wrong = await call('search_notes', { filename: 'buy' });
assert.equal(!wrong.ok && wrong.code, 'invalid_arguments');
console.log(wrong.error);
