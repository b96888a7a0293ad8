import type { PolicyFile } from '../../policy/file.ts';
import type { GuardDeclarations, McpAddress, McpCommand } from '../client/types.ts';

/** A configuration that cannot be used; the message names file, line and column where they are known. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A server behind the gateway. */
export interface GatewayServer {
  readonly name: string;
  readonly source: McpCommand | McpAddress;
  /** Nothing starts without it. */
  readonly required: boolean;
}

/** A gateway's configuration, checked: variables are in their places, and names of files are absolute. */
export interface GatewayConfig {
  readonly servers: readonly GatewayServer[];
  readonly guards: GuardDeclarations;
  readonly roots: readonly string[];
  readonly mode: string;
  readonly policy: PolicyFile | undefined;
  /** The policy's file, when it stands in one. */
  readonly policyFile: string | undefined;
  readonly urls: UrlRules | undefined;
  /** In milliseconds. */
  readonly timeout: number | undefined;
  /** Values that must never leave. */
  readonly secrets: readonly string[];
  /** The file that remembers what tools say of themselves. */
  readonly identities: string | undefined;
  readonly stages: GatewayStages;
  readonly limits: GatewayLimits;
}

/** Which URLs may be in arguments that are declared as URLs; see the URL guard. */
export interface UrlRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly ports?: readonly number[];
  readonly privateAddresses?: readonly string[];
}

/** Stages beside the default ones. */
export interface GatewayStages {
  readonly audit?: { readonly file: string; readonly arguments?: boolean; readonly maxArgumentCharacters?: number };
  readonly budget?: { readonly calls?: number; readonly perTool?: Readonly<Record<string, number>> };
  readonly loopGuard?: { readonly repeats?: number };
}

/** How large things may be. */
export interface GatewayLimits {
  readonly maxCharacters?: number;
  readonly maxErrorCharacters?: number;
  readonly maxBinaryCharacters?: number;
  readonly maxArgumentBytes?: number;
}
