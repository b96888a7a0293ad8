import type { ErrorCode } from '../../errors.ts';
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
  /** Whether the person at the client is asked about calls that need it, or nobody. Default `elicit`. */
  readonly approvals?: 'elicit' | 'deny';
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

/** Stages beside the default ones, with those of their options that can stand in JSON; times in milliseconds. */
export interface GatewayStages {
  readonly audit?: { readonly file: string; readonly arguments?: boolean; readonly maxArgumentCharacters?: number };
  readonly budget?: { readonly calls?: number; readonly perTool?: Readonly<Record<string, number>> };
  readonly loopGuard?: { readonly repeats?: number };
  readonly dedupe?: ForTools & { readonly window?: number };
  readonly cache?: ForTools & { readonly ttl?: number; readonly maxEntries?: number; readonly maxBytes?: number };
  readonly retry?: ForTools & {
    readonly attempts?: number;
    readonly delay?: number;
    readonly maxDelay?: number;
    readonly budget?: number;
    /** Names, or patterns, of tools that may be called twice. */
    readonly safe?: readonly string[];
  };
  readonly circuitBreaker?: ForTools & {
    readonly failures?: number;
    readonly within?: number;
    readonly openFor?: number;
    readonly probes?: number;
    readonly codes?: readonly ErrorCode[];
  };
  readonly rateLimit?: GatewayRate | readonly GatewayRate[];
  readonly concurrency?: {
    readonly total?: number;
    readonly perTool?: number | Readonly<Record<string, number>>;
    readonly queue?: number;
    readonly wait?: number;
  };
}

/** So many calls in a time: one of the first three. */
export interface GatewayRate extends ForTools {
  readonly perSecond?: number;
  readonly perMinute?: number;
  readonly perHour?: number;
  readonly burst?: number;
  readonly shared?: boolean;
  readonly maxWait?: number;
}

interface ForTools {
  /** Names of tools, or patterns: the stage acts on these only. */
  readonly tools?: readonly string[];
}

/** How large things may be. */
export interface GatewayLimits {
  readonly maxCharacters?: number;
  readonly maxErrorCharacters?: number;
  readonly maxBinaryCharacters?: number;
  readonly maxArgumentBytes?: number;
}
