import type * as McpNode from '@modelcontextprotocol/node';
import type * as McpServer from '@modelcontextprotocol/server';
import type * as McpStdio from '@modelcontextprotocol/server/stdio';

// Optional peers: a program that serves nothing has no need of them, and whoever misses one is told which.

/** The protocol's server package. Throws an Error that names it where it is not installed. */
export function serverPackage(): Promise<typeof McpServer> {
  return load(() => import('@modelcontextprotocol/server'), '@modelcontextprotocol/server');
}

/** Its transport over standard input and output. */
export function stdioPackage(): Promise<typeof McpStdio> {
  return load(() => import('@modelcontextprotocol/server/stdio'), '@modelcontextprotocol/server');
}

/** Its bridge to `node:http`. */
export function nodePackage(): Promise<typeof McpNode> {
  return load(() => import('@modelcontextprotocol/node'), '@modelcontextprotocol/node');
}

async function load<Module>(bring: () => Promise<Module>, name: string): Promise<Module> {
  try {
    return await bring();
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(`Serving over MCP needs the package ${name}, version 2: npm install ${name}`, { cause });
  }
}
