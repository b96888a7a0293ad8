import { describe, expect, test } from 'vitest';
import { answerInstead, isMessage } from '../../src/mcp/messages.ts';

const answer = { jsonrpc: '2.0', id: 1 };
const error = { code: -32_000, message: 'no' };

describe('an answer that is none of the protocol', () => {
  test.each<[what: string, sent: object, meant: object]>([
    ['a result beside an error that is null', { result: { a: 1 }, error: null }, { result: { a: 1 } }],
    ['an error beside a result that is null', { result: null, error }, { error }],
    ['a result beside members that no answer has', { result: {}, time: 5, params: {} }, { result: {} }],
  ])('%s is read as it is meant', (_what, sent, meant) => {
    expect(isMessage({ ...answer, ...sent })).toBe(false);
    expect(answerInstead({ ...answer, ...sent })).toEqual({ ...answer, ...meant });
  });

  test.each<[what: string, sent: object]>([
    ['nothing at all', {}],
    ['a result that is null', { result: null }],
    ['a result that is a text', { result: 'done' }],
    ['a result whose _meta is none', { result: { _meta: 5 } }],
    ['a result of another version', { jsonrpc: '1.0', result: { a: 1 } }],
  ])('%s says nothing', (_what, sent) => {
    expect(answerInstead({ ...answer, ...sent })).toEqual({ ...answer, result: {} });
  });

  test.each<[what: string, sent: object]>([
    ['an error that is null', { error: null }],
    ['both null', { result: null, error: null }],
    ['an error that is a text', { error: 'boom' }],
    ['an error with a code that is a text', { error: { code: 'E', message: 'no' } }],
    ['a result and an error', { result: { a: 1 }, error }],
    ['an error that is false', { result: { a: 1 }, error: false }],
  ])('%s says that it failed', (_what, sent) => {
    expect(answerInstead({ ...answer, ...sent })).toMatchObject({ id: 1, error: { code: -32_603 } });
  });

  test('is no request and no notification', () => {
    expect(answerInstead({ ...answer, method: 'x', result: {} })).toBeUndefined();
    expect(answerInstead({ jsonrpc: '2.0', result: {} })).toBeUndefined();
    expect(answerInstead([answer])).toBeUndefined();
  });
});
