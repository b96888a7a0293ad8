import type { McpServerConnection, McpSource, McpToolsOptions } from './types.ts';

/** Under construction. */
export function mcpTools(_source: McpSource, _options: McpToolsOptions): Promise<McpServerConnection> {
  return Promise.reject(new Error('not yet'));
}
