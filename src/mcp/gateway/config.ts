import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { nearest } from '../../nearest.ts';
import { jsonOf, type PolicyFile, parsePolicy, readPolicyFile } from '../../policy/file.ts';
import { builtInModes } from '../../policy/modes.ts';
import { compile } from '../../schema/engine.ts';
import { pointerStep } from '../../schema/pointer.ts';
import { configSchema } from './config-schema.ts';
import { type Environment, expand } from './expand.ts';
import { lineAndColumn, placeIn } from './place.ts';

/** A configuration that cannot be used; the message names file, line and column where that is known. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Where a server is. */
export type ServerSource =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      /** Beside the few variables that every server gets. */
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** A server behind the gateway. */
export interface GatewayServer {
  readonly name: string;
  readonly source: ServerSource;
  /** Nothing starts without it. */
  readonly required: boolean;
}

/** What a tool's arguments are, and how much it can do; by the tool's name, or a pattern. */
export interface GatewayGuard {
  readonly paths?: Readonly<Record<string, 'read' | 'write'>>;
  readonly urls?: readonly string[];
  readonly commands?: readonly string[] | Readonly<Record<string, 'shell' | 'python'>>;
  readonly level?: string;
  /** In milliseconds. */
  readonly timeout?: number;
}

/** A gateway's configuration, checked: variables are in their places, and names of files are absolute. */
export interface GatewayConfig {
  readonly servers: readonly GatewayServer[];
  readonly guards: Readonly<Record<string, GatewayGuard>>;
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
  readonly identities: string | undefined;
  readonly stages: GatewayStages;
  readonly limits: GatewayLimits;
}

/** See the URL guard. */
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

/** The file as it is written, once its form has been checked. */
interface Written {
  readonly mcpServers: Readonly<Record<string, WrittenServer>>;
  readonly guards?: Readonly<Record<string, GatewayGuard>>;
  readonly roots?: readonly string[];
  readonly mode?: string;
  readonly policy?: string | object;
  readonly urls?: UrlRules;
  readonly timeout?: number;
  readonly secrets?: readonly string[];
  readonly identities?: string;
  readonly stages?: Omit<GatewayStages, 'audit'> & { readonly audit?: string | NonNullable<GatewayStages['audit']> };
  readonly limits?: GatewayLimits;
}

interface WrittenServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: 'stdio' | 'http' | 'streamable-http';
  readonly required?: boolean;
  readonly disabled?: boolean;
}

/**
 * Reads a gateway's configuration file: JSON with `mcpServers` as MCP clients have it, and what may be done with their
 * tools. Relative names of files are relative to the file's folder. Throws a {@link ConfigError} for whatever in it could
 * not be used later, with line and column.
 */
export function readGatewayConfig(path: string, environment: Environment): GatewayConfig {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(isMissing ? `There is no configuration ${path}.` : `${path} could not be read.`);
  }
  return parseGatewayConfig(text, { name: basename(path), folder: dirname(resolve(path)), environment });
}

/** Where the text of a configuration comes from. */
export interface ConfigOrigin {
  /** For messages. */
  readonly name: string;
  readonly folder: string;
  readonly environment: Environment;
}

/** As {@link readGatewayConfig}, of a text at hand. */
export function parseGatewayConfig(text: string, origin: ConfigOrigin): GatewayConfig {
  const fault = (pointer: string, problem: string): ConfigError =>
    new ConfigError(`${origin.name}:${lineAndColumn(text, placeIn(text, pointer))}: ${problem}`);
  return new Reading(formOf(text, origin.name, fault), origin, fault).config();
}

type Fault = (pointer: string, problem: string) => ConfigError;

function formOf(text: string, name: string, fault: Fault): Written {
  let value: unknown;
  try {
    value = jsonOf(text, name);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  const [violation] = compile(configSchema, { defaults: false })(value) ?? [];
  if (violation !== undefined) throw fault(violation.pointer, `${violation.message}${hintFor(violation.pointer)}.`);
  return value as Written;
}

/** What people's files for other programs have, and what stands for it here. */
const foreign: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^\/(?:servers|mcp)$/, 'the servers stand in "mcpServers"'],
  [/^\/rules$/, 'rules stand in "policy": { "rules": [...] }'],
  [/^\/mcpServers\/[^/]+\/(?:autoApprove|alwaysAllow)$/, 'write a rule in "policy" for what needs no asking'],
  [/^\/mcpServers\/[^/]+\/(?:timeout)$/, 'a timeout stands beside "mcpServers", or in "guards" for single tools'],
  [/^\/mcpServers\/[^/]+\/type$/, 'servers that speak only the old HTTP+SSE are not supported'],
];

function hintFor(pointer: string): string {
  const hint = foreign.find(([pattern]) => pattern.test(pointer))?.[1];
  return hint === undefined ? '' : `; ${hint}`;
}

class Reading {
  readonly #written: Written;
  readonly #origin: ConfigOrigin;
  readonly #fault: Fault;
  readonly #secrets = new Set<string>();

  constructor(written: Written, origin: ConfigOrigin, fault: Fault) {
    this.#written = written;
    this.#origin = origin;
    this.#fault = fault;
  }

  config(): GatewayConfig {
    const { guards = {}, roots = [], urls, timeout, identities, limits = {} } = this.#written;
    const { policy, policyFile } = this.#policy();
    const servers = this.#servers();
    this.#namedSecrets();
    return {
      servers,
      guards,
      roots: roots.map((root, at) => this.#folder(this.#expanded(root, `/roots/${at}`), `/roots/${at}`)),
      mode: this.#mode(policy),
      policy,
      policyFile,
      urls,
      timeout,
      secrets: [...this.#secrets],
      identities: identities === undefined ? undefined : this.#path(identities),
      stages: this.#stages(),
      limits,
    };
  }

  #servers(): readonly GatewayServer[] {
    const servers: GatewayServer[] = [];
    for (const [name, written] of Object.entries(this.#written.mcpServers)) {
      const at = `/mcpServers${pointerStep(name)}`;
      if (!/^[A-Za-z0-9_][A-Za-z0-9_-]{0,40}$/.test(name)) {
        throw this.#fault(
          at,
          `"${name}" is no name for a server: its tools begin with it, so it is 1 to 41 letters, digits, _ and -.`,
        );
      }
      if (written.disabled) continue;
      servers.push({ name, source: this.#source(written, at), required: written.required ?? false });
    }
    if (servers.length === 0) throw this.#fault('/mcpServers', '"mcpServers" has no server that is to be started.');
    return servers;
  }

  #source(written: WrittenServer, at: string): ServerSource {
    const { command, args, env, cwd, url, headers, type } = written;
    if ((command === undefined) === (url === undefined)) {
      throw this.#fault(at, 'a server has either a "command" that starts it or a "url" to reach it.');
    }
    const stray = Object.keys(written).find((key) =>
      (command === undefined ? ['args', 'env', 'cwd'] : ['headers']).includes(key),
    );
    if (stray !== undefined) {
      const has = command === undefined ? 'url' : 'command';
      throw this.#fault(`${at}/${stray}`, `"${stray}" has no effect for a server with a "${has}".`);
    }
    if (type !== undefined && (type === 'stdio') !== (command !== undefined)) {
      throw this.#fault(
        `${at}/type`,
        `a server of the type "${type}" has a "${type === 'stdio' ? 'command' : 'url'}".`,
      );
    }
    if (url !== undefined) {
      const address = this.#expanded(url, `${at}/url`);
      if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
        throw this.#fault(`${at}/url`, 'the "url" must be one with http: or https:.');
      }
      const sent = this.#table(headers, `${at}/headers`);
      for (const value of Object.values(sent ?? {})) this.#secret(value.replace(/^\w+ /, ''));
      return { url: address, ...(sent !== undefined && { headers: sent }) };
    }
    const variables = this.#table(env, `${at}/env`);
    for (const [name, value] of Object.entries(variables ?? {})) {
      if (/KEY|TOKEN|SECRET|PASS|CREDENTIAL/i.test(name)) this.#secret(value);
    }
    return {
      command: this.#expanded(command as string, `${at}/command`),
      ...(args !== undefined && { args: args.map((arg, index) => this.#expanded(arg, `${at}/args/${index}`)) }),
      ...(variables !== undefined && { env: variables }),
      cwd: cwd === undefined ? this.#origin.folder : this.#folder(this.#expanded(cwd, `${at}/cwd`), `${at}/cwd`),
    };
  }

  #table(table: Readonly<Record<string, string>> | undefined, at: string): Record<string, string> | undefined {
    if (table === undefined) return undefined;
    const entries = Object.entries(table).map(([name, value]): [string, string] => [
      name,
      this.#expanded(value, at + pointerStep(name)),
    ]);
    return Object.fromEntries(entries);
  }

  #expanded(text: string, at: string): string {
    try {
      return expand(text, this.#origin.environment);
    } catch (error) {
      throw this.#fault(at, `${(error as Error).message}.`);
    }
  }

  #secret(value: string): void {
    if (value !== '') this.#secrets.add(value);
  }

  #namedSecrets(): void {
    for (const [at, name] of (this.#written.secrets ?? []).entries()) {
      const value = Object.hasOwn(this.#origin.environment, name) ? this.#origin.environment[name] : undefined;
      // A mistyped name would leave the real one open.
      if (value === undefined) {
        throw this.#fault(
          `/secrets/${at}`,
          `the environment variable ${name} is not set, so there is nothing to keep.`,
        );
      }
      this.#secret(value);
    }
  }

  #mode(policy: PolicyFile | undefined): string {
    const { mode = 'ask' } = this.#written;
    const modes = [...Object.keys(builtInModes), ...Object.keys(policy?.modes ?? {})];
    if (modes.includes(mode)) return mode;
    const [similar] = nearest(mode, modes, 1);
    const advice = similar === undefined ? `The modes are: ${modes.join(', ')}` : `Did you mean "${similar}"?`;
    throw this.#fault('/mode', `there is no mode "${mode}". ${advice}`);
  }

  #policy(): Pick<GatewayConfig, 'policy' | 'policyFile'> {
    const { policy } = this.#written;
    if (policy === undefined) return { policy: undefined, policyFile: undefined };
    try {
      if (typeof policy !== 'string') return { policy: parsePolicy(policy), policyFile: undefined };
      const path = this.#path(policy);
      // A mistyped name must not become an open door.
      if (!existsSync(path)) throw new TypeError(`there is no policy ${policy}. The shortest is {"rules": []}.`);
      return { policy: readPolicyFile(path), policyFile: path };
    } catch (error) {
      throw this.#fault('/policy', (error as Error).message);
    }
  }

  #stages(): GatewayStages {
    const { audit, ...others } = this.#written.stages ?? {};
    if (audit === undefined) return others;
    const written = typeof audit === 'string' ? { file: audit } : audit;
    return { ...others, audit: { ...written, file: this.#path(written.file) } };
  }

  #path(name: string): string {
    return resolve(this.#origin.folder, name);
  }

  #folder(name: string, at: string): string {
    const path = this.#path(name);
    if (!existsSync(path)) throw this.#fault(at, `there is no folder ${name}.`);
    return path;
  }
}
