import type { Transport } from '@modelcontextprotocol/client';
import { answerInstead, isMessage, refusalOf } from '../messages.ts';

/** In the data of an error: the stream that was to bring the answer has ended without it. */
export const withoutAnswer: object = Object.freeze({ reason: 'stream_ended' });

/**
 * Makes a transport's messages safe for the package, and leaves nobody waiting for ever. What a server sends must not be able
 * to end this process: the package throws over some of it, such as what is very deep. It drops what is no message of the
 * protocol, and does not look after a stream that ends before it has brought an answer, where each request `hasStream`.
 */
export function careful(transport: Transport, onError: (error: Error) => void, hasStream: boolean): void {
  let deliver: Transport['onmessage'];
  const open = new Set<unknown>();
  const pass = (message: unknown): void => {
    onError(new Error('The server sent something that is no message of the protocol.'));
    const refusal = refusalOf(message);
    if (refusal !== undefined) transport.send(refusal).catch(onError);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => deliver,
    set(handler: Transport['onmessage']) {
      deliver =
        handler &&
        ((...[message, ...more]: Parameters<typeof handler>) => {
          try {
            const read = isMessage(message) ? message : answerInstead(message);
            if (read === undefined) return pass(message);
            if (!('method' in read)) open.delete(read.id);
            handler(read, ...more);
          } catch (error) {
            onError(error instanceof Error ? error : new Error(String(error)));
          }
        });
    },
  });
  if (!hasStream) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message) || !('id' in message)) return send(message, options);
    const { id } = message;
    open.add(id);
    options?.requestSignal?.addEventListener('abort', () => open.delete(id), { once: true });
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      if (!open.has(id)) return;
      const error = { code: -32_000, message: 'The stream has ended without an answer.', data: withoutAnswer };
      transport.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    return send(message, { ...options, onRequestStreamEnd }).catch((error: unknown) => {
      open.delete(id);
      throw error;
    });
  };
}
