export { type GuardGuess, type GuardGuesses, guessGuards } from './client/guess-guards.ts';
export { mcpTools } from './client/mcp-tools.ts';
export type {
  ConnectedClient,
  GuardDeclaration,
  GuardDeclarations,
  McpAddress,
  McpChange,
  McpCommand,
  McpDrift,
  McpLog,
  McpServerConnection,
  McpSource,
  McpStatus,
  McpToolsOptions,
  RestartOptions,
  SkippedTool,
} from './client/types.ts';
export type { McpHttpOptions, McpServeOptions, McpServing, McpStdioOptions } from './server/options.ts';
