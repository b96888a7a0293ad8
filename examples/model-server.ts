// Plays a model's HTTP API on this machine, so that the examples run a provider's real SDK without a network.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: what an SDK sends is looked at freely here, as a script of a model does
export type Sent = any;

/** What the model says to one request: an answer at once, or the events of a stream. */
export type Reply = { readonly json: object } | { readonly events: readonly object[] };

export interface ModelServer {
  readonly url: string;
  /** The bodies of all requests, in order. */
  readonly requests: readonly Sent[];
  close(): void;
}

/** Starts a server on the loopback address that answers every request with what `model` makes of its body. */
export async function playModel(model: (sent: Sent) => Reply): Promise<ModelServer> {
  const requests: Sent[] = [];
  // A connection is kept for as long as it takes: on a busy machine the next request may come late.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const sent = JSON.parse(body);
    requests.push(sent);
    const reply = model(sent);
    if ('json' in reply) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(reply.json));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    for (const event of reply.events) {
      const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => server.close(),
  };
}
