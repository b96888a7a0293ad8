import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';

/**
 * Tells a server that asks for them the folders that the host has named. Everything else that servers may ask of a client
 * (a model's words, a person's answers) is not offered, and is refused by the package as unknown.
 */
export function answerRoots(client: Client, roots: readonly string[]): void {
  const list = roots.map((root) => ({ uri: pathToFileURL(root).href, name: root.split(/[\\/]/).at(-1) || root }));
  client.setRequestHandler('roots/list', () => ({ roots: list }));
}
