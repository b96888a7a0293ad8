export type { McpHttpOptions, McpServeOptions, McpServing, McpStdioOptions } from './server/options.ts';
