import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../basics/plain-object.ts';

const members = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

/** Whether the packages, which look at what is inside as well, will deal with it: what they drop would never be answered. */
export function isMessage(message: unknown): message is JSONRPCMessage {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return false;
  for (const name of Object.keys(message)) if (!members.includes(name)) return false;
  const { id, method, params, result, error } = message;
  if (id !== undefined && !isId(id)) return false;
  if (method === undefined) {
    return result === undefined ? isError(error) : error === undefined && isRecord(result) && isMeta(result['_meta']);
  }
  if (typeof method !== 'string' || result !== undefined || error !== undefined) return false;
  return params === undefined || (isRecord(params) && isMeta(params['_meta']));
}

/** What is said at once to whoever sent a request that is none; nothing where no answer is waited for. */
export function refusalOf(message: unknown): JSONRPCMessage | undefined {
  if (!isRecord(message) || typeof message['method'] !== 'string' || !isId(message['id'])) return undefined;
  const text = 'The request is none of JSON-RPC 2.0: look at its members, its params and their _meta.';
  return { jsonrpc: '2.0', id: message['id'], error: { code: -32600, message: text } };
}

/**
 * What an answer that is none is read as, so that whoever waits for it is not left waiting: without what is null and what no
 * answer has, which some programs write, or else as an answer that says nothing.
 */
export function answerInstead(message: unknown): JSONRPCMessage | undefined {
  if (!isRecord(message) || message['method'] !== undefined || !isId(message['id'])) return undefined;
  const { jsonrpc, id, result, error } = message;
  const meant = { jsonrpc, id, ...(isThere(error) && { error }), ...(isThere(result) && { result }) };
  if (isMessage(meant)) return meant;
  if (error === undefined) return { jsonrpc: '2.0', id, result: {} };
  return {
    jsonrpc: '2.0',
    id,
    error: { code: -32603, message: 'It failed, and how is not said as the protocol says it.' },
  };
}

function isThere(member: unknown): boolean {
  return member !== undefined && member !== null;
}

function isError(error: unknown): boolean {
  return isRecord(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string';
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  const { progressToken: token } = meta;
  return token === undefined || isId(token);
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
