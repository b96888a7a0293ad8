import { createRouter, type Tool } from 'callgate';
import { serveMcpHttp } from 'callgate/mcp';
import { describe, expect, it } from 'vitest';
import { headerMismatch } from '../../../src/mcp/server/param-headers.ts';

const where: Tool = {
  name: 'where',
  description: 'Where something is.',
  permission: 'read',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string', 'x-mcp-header': 'City' },
      floor: { type: 'integer', 'x-mcp-header': 'Floor' },
      open: { type: 'boolean', 'x-mcp-header': 'Open' },
      at: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
      list: { type: 'array', items: { type: 'string' } },
      said: { type: 'string' },
    },
  } as Tool['parameters'],
  handler: (args) => args,
};

type Table = { readonly [name: string]: unknown };
const packed = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** What fits, or the header that does not. */
const rows: readonly (readonly [what: string, args: Table, headers: Table, wrong: string | undefined])[] = [
  ['nothing at all', {}, {}, undefined],
  ['the same text', { city: 'Bonn' }, { 'Mcp-Param-City': 'Bonn' }, undefined],
  ['the same text, the header in other case', { city: 'Bonn' }, { 'mcp-param-city': 'Bonn' }, undefined],
  ['no header', { city: 'Bonn' }, {}, 'Mcp-Param-City'],
  ['another text', { city: 'Bonn' }, { 'Mcp-Param-City': 'bonn' }, 'Mcp-Param-City'],
  ['a header for nothing', {}, { 'Mcp-Param-City': 'Bonn' }, undefined],
  ['a header for null', { city: null }, { 'Mcp-Param-City': 'Bonn' }, undefined],
  ['packed text', { city: 'Köln ' }, { 'Mcp-Param-City': packed('Köln ') }, undefined],
  ['other packed text', { city: 'Köln' }, { 'Mcp-Param-City': packed('Bonn') }, 'Mcp-Param-City'],
  ['text that is packed badly', { city: 'Köln' }, { 'Mcp-Param-City': '=?base64?S8O2bG4?=' }, 'Mcp-Param-City'],
  ['packed bytes that are no text', { city: '\ufffd' }, { 'Mcp-Param-City': '=?base64?/w==?=' }, 'Mcp-Param-City'],
  ['a mark at the beginning that is packed', { city: '\ufeffx' }, { 'Mcp-Param-City': packed('\ufeffx') }, undefined],
  ['the same number', { floor: 42 }, { 'Mcp-Param-Floor': '42.0' }, undefined],
  ['another number', { floor: 42 }, { 'Mcp-Param-Floor': '43' }, 'Mcp-Param-Floor'],
  ['a number in another form', { floor: 42 }, { 'Mcp-Param-Floor': '0x2a' }, 'Mcp-Param-Floor'],
  ['a truth', { open: true }, { 'Mcp-Param-Open': 'true' }, undefined],
  ['another truth', { open: true }, { 'Mcp-Param-Open': 'True' }, 'Mcp-Param-Open'],
  ['something deeper', { at: { zone: 'a' } }, { 'Mcp-Param-Zone': 'b' }, 'Mcp-Param-Zone'],
  ['what no header can say', { city: { a: 1 } }, {}, undefined],
  ['what nobody declared', { said: 'x', list: ['y'] }, { 'Mcp-Param-Said': 'z' }, undefined],
];

describe('headers that repeat arguments', () => {
  it.each(rows)('%s', (_what, args, headers, wrong) => {
    const found = headerMismatch(where.parameters, args, new Headers(headers as Record<string, string>));
    expect(found?.header).toBe(wrong);
  });

  it.each([
    ['on the whole', { type: 'string', 'x-mcp-header': 'A' }],
    [
      'in a list',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
    ],
    ['of an object', { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }],
    ['by a name that no header has', { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A: b' } } }],
    ['among what is inherited', { type: 'object', properties: { toString: { type: 'string', 'x-mcp-header': 'A' } } }],
  ])('are not looked for where they may not be declared: %s', (_what, schema) => {
    expect(headerMismatch(schema, { a: 'x' }, new Headers())).toBeUndefined();
  });

  it('are compared by a server over HTTP before anything runs', async () => {
    let ran = 0;
    const router = createRouter({ tools: [{ ...where, handler: () => ++ran }] });
    await using serving = await serveMcpHttp(router);
    const send = async (headers: Record<string, string>, args: Table = { city: 'Bonn' }) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const answer = await fetch(serving.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'where',
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 'a',
          method: 'tools/call',
          params: { name: 'where', arguments: args, _meta },
        }),
      });
      return {
        status: answer.status,
        ...((await answer.json()) as { id: unknown; error?: unknown; result?: unknown }),
      };
    };
    expect(await send({ 'mcp-param-city': 'Köln' })).toMatchObject({
      status: 400,
      id: 'a',
      error: { code: -32_020, data: { mismatch: { header: 'Mcp-Param-City' } } },
    });
    expect(await send({})).toMatchObject({ status: 400, error: { code: -32_020 } });
    expect(ran).toBe(0);
    expect(await send({ 'mcp-param-city': 'Bonn' })).toMatchObject({ status: 200, id: 'a', result: {} });
    expect(await send({}, {})).toMatchObject({ status: 200 });
    expect(ran).toBe(2);
  });
});
