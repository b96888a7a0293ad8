export { type GuardGuess, type GuardGuesses, guessGuards } from './client/guess-guards.ts';
export { mcpTools } from './client/mcp-tools.ts';
export type { Sender, SendOptions } from './client/sender.ts';
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
export { strayPaths } from './gateway/stray-paths.ts';
export { type ElicitApprovalOptions, elicitApproval } from './server/approval.ts';
export { type McpClientOfCall, type McpQuestionOptions, mcpClient } from './server/client-of.ts';
export { type McpConnection, type McpServerFactory, mcpServer } from './server/factory.ts';
export { serveMcpHttp } from './server/http.ts';
export type { McpHttpOptions, McpServeOptions, McpServing, McpStdioOptions } from './server/options.ts';
export { serveMcpStdio } from './server/stdio.ts';
