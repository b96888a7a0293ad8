import type * as Sdk from '@modelcontextprotocol/server';
import type { Router } from '../../router.ts';

/**
 * One page of the tools that a router offers. A cursor names the tool that the page before ended with, so that tools which
 * come and go in between neither repeat nor hide others.
 */
export async function listTools<State>(
  sdk: typeof Sdk,
  router: Router<State>,
  pageSize: number,
  cursor: string | undefined,
): Promise<Sdk.ListToolsResult> {
  const tools = await router.schemas('mcp');
  const first = cursor === undefined ? 0 : 1 + tools.findIndex(({ name }) => cursorOf(name) === cursor);
  if (cursor !== undefined && first === 0) {
    const text = 'The cursor leads nowhere: the list of tools has changed. List them from the start.';
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, text);
  }
  const page = tools.slice(first, first + pageSize);
  const last = page.at(-1);
  const isLast = last === undefined || first + pageSize >= tools.length;
  return { tools: page as Sdk.Tool[], ...(!isLast && { nextCursor: cursorOf(last.name) }) };
}

function cursorOf(name: string): string {
  return Buffer.from(name).toString('base64url');
}
