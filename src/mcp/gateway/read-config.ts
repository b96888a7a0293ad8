import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { didYouMean, inQuotes } from '../../basics/nearest.ts';
import { jsonOf, type PolicyFile, parsePolicy, readPolicyFile } from '../../policy/file.ts';
import { builtInModes } from '../../policy/modes.ts';
import { compile } from '../../schema/engine.ts';
import type { GuardDeclarations } from '../client/types.ts';
import { ConfigError, type GatewayConfig, type GatewayLimits, type GatewayStages, type UrlRules } from './config.ts';
import { configSchema } from './config-schema.ts';
import type { Environment } from './expand.ts';
import { type ConfigOrigin, ConfigText } from './origin.ts';
import { readServers, type WrittenServer } from './read-servers.ts';

/** The file as it is written, once its form has been checked. */
interface Written {
  readonly mcpServers: Readonly<Record<string, WrittenServer>>;
  readonly guards?: GuardDeclarations;
  readonly roots?: readonly string[];
  readonly mode?: string;
  readonly policy?: string | object;
  readonly urls?: UrlRules;
  readonly timeout?: number;
  readonly secrets?: readonly string[];
  readonly identities?: string;
  readonly approvals?: 'elicit' | 'deny';
  readonly stages?: Omit<GatewayStages, 'audit'> & { readonly audit?: string | NonNullable<GatewayStages['audit']> };
  readonly limits?: GatewayLimits;
}

/**
 * Reads a gateway's configuration file: JSON with `mcpServers` as MCP clients have it, and what may be done with their
 * tools. Names of files are relative to the file's folder. Throws a {@link ConfigError}, with line and column, for
 * whatever in it could not be used later.
 */
export function readGatewayConfig(path: string, environment: Environment): GatewayConfig {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const name = basename(path);
    throw new ConfigError(isMissing ? `There is no configuration ${name}.` : `${name} could not be read.`);
  }
  return parseGatewayConfig(text, { name: basename(path), folder: dirname(resolve(path)), environment });
}

/** As {@link readGatewayConfig}, of a text at hand. */
export function parseGatewayConfig(text: string, origin: ConfigOrigin): GatewayConfig {
  const config = new ConfigText(text, origin);
  const written = formOf(config);
  const { guards = {}, roots = [], urls, timeout, identities, approvals, limits = {} } = written;
  const { policy, policyFile } = policyOf(written, config);
  const servers = readServers(written.mcpServers, config);
  keepSecrets(written, config);
  return {
    servers,
    guards,
    roots: roots.map((root, at) => config.folder(root, `/roots/${at}`)),
    mode: modeOf(written, policy, config),
    policy,
    policyFile,
    urls,
    timeout,
    secrets: [...config.secrets],
    identities: identities === undefined ? undefined : config.path(identities),
    ...(approvals !== undefined && { approvals }),
    stages: stagesOf(written, config),
    limits,
  };
}

function formOf(config: ConfigText): Written {
  let value: unknown;
  try {
    value = jsonOf(config.text, config.origin.name);
  } catch (error) {
    // What stands there may be a secret that has lost its quotation marks.
    throw new ConfigError((error as Error).message.replace(/, found "[^"]{8,}"/, ', found something else'));
  }
  const violations = compile(configSchema, { defaults: false })(value) ?? [];
  // What should not be there explains better than what is missing instead.
  const violation = violations.find(({ pointer }) => hintFor(pointer) !== '') ?? violations[0];
  if (violation === undefined) return value as Written;
  throw config.fault(violation.pointer, `${shown(violation)}${hintFor(violation.pointer)}.`);
}

/** What is said of a server may be secret, wherever it stands; its kind says enough. */
function shown({ pointer, message }: { readonly pointer: string; readonly message: string }): string {
  if (!pointer.startsWith('/mcpServers')) return message;
  return message.replace(/ \(got (string|number) .*\)$/s, (_, kind: string) => ` (got a ${kind})`);
}

/** What people's files for other programs have, and what stands for it here. */
const foreign: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^\/(?:servers|mcp)$/, 'the servers stand in "mcpServers"'],
  [/^\/rules$/, 'rules stand in "policy": { "rules": [...] }'],
  [/^\/mcpServers\/[^/]+\/(?:autoApprove|alwaysAllow)$/, 'write a rule in "policy" for what needs no asking'],
  [/^\/mcpServers\/[^/]+\/timeout$/, 'a "timeout" stands beside "mcpServers", in milliseconds'],
  [/^\/guards\/[^/]+\/level$/, '"permission" says how much tools can do'],
];

function hintFor(pointer: string): string {
  const hint = foreign.find(([pattern]) => pattern.test(pointer))?.[1];
  return hint === undefined ? '' : `; ${hint}`;
}

function policyOf({ policy }: Written, config: ConfigText): Pick<GatewayConfig, 'policy' | 'policyFile'> {
  if (policy === undefined) return { policy: undefined, policyFile: undefined };
  try {
    if (typeof policy !== 'string') return { policy: parsePolicy(policy), policyFile: undefined };
    const path = config.path(policy);
    // A mistyped name must not become an open door.
    if (!existsSync(path)) throw new TypeError(`there is no policy ${policy}. The shortest is {"rules": []}.`);
    return { policy: readPolicyFile(path), policyFile: path };
  } catch (error) {
    throw config.fault('/policy', (error as Error).message);
  }
}

function modeOf({ mode = 'ask' }: Written, policy: PolicyFile | undefined, config: ConfigText): string {
  const modes = [...Object.keys(builtInModes), ...Object.keys(policy?.modes ?? {})];
  if (modes.includes(mode)) return mode;
  const advice = didYouMean(mode, modes, 'sentence', inQuotes) || ` The modes are: ${modes.join(', ')}.`;
  throw config.fault('/mode', `there is no mode "${mode}".${advice}`);
}

function keepSecrets({ secrets = [] }: Written, config: ConfigText): void {
  const { environment } = config.origin;
  for (const [at, name] of secrets.entries()) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    // A mistyped name would leave the real one open.
    if (value === undefined) {
      throw config.fault(`/secrets/${at}`, `the environment variable ${name} is not set, so there is nothing to keep.`);
    }
    config.secret(value);
  }
}

function stagesOf({ stages = {} }: Written, config: ConfigText): GatewayStages {
  const { audit, ...others } = stages;
  const { rateLimit = [] } = others;
  for (const [at, { perSecond, perMinute, perHour }] of [rateLimit].flat().entries()) {
    if ([perSecond, perMinute, perHour].filter((calls) => calls !== undefined).length === 1) continue;
    const place = Array.isArray(rateLimit) ? `/stages/rateLimit/${at}` : '/stages/rateLimit';
    throw config.fault(place, 'a rate limit has one of "perSecond", "perMinute" and "perHour".');
  }
  if (audit === undefined) return others;
  const written = typeof audit === 'string' ? { file: audit } : audit;
  return { ...others, audit: { ...written, file: config.path(written.file) } };
}
