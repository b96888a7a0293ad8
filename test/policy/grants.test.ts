import { expect, test } from 'vitest';
import { covers, type Grant, type Present } from '../../src/policy/grants.ts';
import { toolOf } from './stand-in.ts';

const grantOf = (written: unknown): Grant => ({
  callId: 'c1',
  identity: 'same',
  kinds: new Set(),
  arguments: written,
});
const presentOf = (filled: unknown): Present => ({
  callId: 'c1',
  identity: 'same',
  registered: toolOf(),
  digest: 'any',
  arguments: filled,
  effects: [],
});

test.each<[string, unknown, unknown, boolean]>([
  ['the same', { a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
  ['what a schema added', { a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }, true],
  ['a value that was changed', { a: { b: 1 } }, { a: { b: 2 } }, false],
  ['a value that was left out', { a: 1, b: 1 }, { a: 1 }, false],
  ['a longer list', { a: [1] }, { a: [1, 2] }, false],
  ['a list that became an object', { a: [1] }, { a: { 0: 1 } }, false],
  ['an object that became a list', { a: {} }, { a: [] }, false],
  ['the same date', { a: new Date(0) }, { a: new Date(0) }, true],
  ['another date', { a: new Date(0) }, { a: new Date(1) }, false],
  ['a date for its text', { a: '1970' }, { a: new Date(0) }, false],
])('an edit by an approver and the call it becomes: %s', (_, written, filled, expected) => {
  expect(covers(grantOf(written), presentOf(filled))).toBe(expected);
});
