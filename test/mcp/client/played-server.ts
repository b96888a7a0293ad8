import { Client, InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';

type Params = { readonly [name: string]: unknown };
type Answer = unknown;

/** What a server that is played in this process answers; whatever it may be, it goes out as it is. */
export interface Script {
  /** Entries of `tools/list`; a function gets the request's parameters and gives the whole result. */
  tools: unknown[] | ((params: Params) => Answer);
  /** The result of `tools/call`; `never` for none, an `RpcError` for an error of the protocol. */
  call?: (params: Params, server: PlayedServer, id: unknown) => Answer | Promise<Answer>;
}

export const never: unique symbol = Symbol('never answered');

export class RpcError {
  readonly code: number;
  readonly message: string;

  constructor(code: number, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** A server that no package keeps from breaking rules, and a real client that is connected to it. */
export interface PlayedServer {
  readonly client: Client;
  readonly script: Script;
  /** All that the client has sent. */
  readonly received: { method?: string; id?: unknown; params?: Params }[];
  notify(method: string, params?: Params): void;
  /** Sends an answer by hand. */
  answer(id: unknown, result: unknown): void;
  die(): Promise<void>;
}

export async function play(script: Script): Promise<PlayedServer> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const received: PlayedServer['received'] = [];
  const send = (message: object): void => {
    // Never in the same turn as the question, as over any real connection.
    setImmediate(() => void theirs.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage).catch(() => {}));
  };
  const client = new Client({ name: 'test', version: '1' });
  const server: PlayedServer = {
    client,
    script,
    received,
    notify: (method, params) => send({ method, ...(params && { params }) }),
    answer: (id, result) => send({ id, result }),
    die: () => theirs.close(),
  };
  theirs.onmessage = async (message) => {
    const { id, method, params = {} } = message as { id?: unknown; method?: string; params?: Params };
    received.push(message as PlayedServer['received'][number]);
    if (id === undefined || method === undefined) return;
    const answer = await reply(server, method, params, id);
    if (answer instanceof RpcError) send({ id, error: { code: answer.code, message: answer.message } });
    else if (answer !== never) send({ id, result: answer });
  };
  await theirs.start();
  await client.connect(ours);
  return server;
}

function reply(server: PlayedServer, method: string, params: Params, id: unknown): Answer {
  const { tools, call } = server.script;
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'played', version: '7' },
      };
    case 'tools/list':
      return typeof tools === 'function' ? tools(params) : { tools };
    case 'tools/call':
      return call?.(params, server, id) ?? { content: [] };
    default:
      return new RpcError(-32601, 'Method not found');
  }
}

/** An entry of `tools/list`. */
export function listed(name: string, more: object = {}): { name: string } {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} }, ...more } as {
    name: string;
  };
}
