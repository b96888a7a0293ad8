import type * as Package from '@modelcontextprotocol/client';
import type * as Stdio from '@modelcontextprotocol/client/stdio';

const missing =
  'mcpTools() needs the package "@modelcontextprotocol/client", which is not installed: npm install @modelcontextprotocol/client';

/** The client package, loaded on first use. Rejects with an Error that names it when it is missing. */
export function clientPackage(): Promise<typeof Package> {
  return import('@modelcontextprotocol/client').catch(refuse);
}

/** The part of the package for servers that are programs. */
export function stdioPackage(): Promise<typeof Stdio> {
  return import('@modelcontextprotocol/client/stdio').catch(refuse);
}

function refuse(cause: unknown): never {
  if ((cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') throw new Error(missing, { cause });
  throw cause;
}
