import { checkMilliseconds } from '../../basics/milliseconds.ts';
import { checkOptions } from '../../basics/options.ts';
import { type Connect, ServerConnection } from './connection.ts';
import { borrowedSession, type SessionOptions, sessionMaker } from './session.ts';
import type {
  ConnectedClient,
  McpAddress,
  McpCommand,
  McpServerConnection,
  McpSource,
  McpToolsOptions,
} from './types.ts';
import type { NamingOptions } from './unfit-names.ts';

const optionNames = [
  ...([
    'name',
    'registry',
    'guards',
    'timeout',
    'connectTimeout',
    'restart',
    'allow',
    'deny',
    'trustAnnotations',
    'acceptGuesses',
    'requestTimeout',
    'wantsProgress',
  ] as const),
  ...(['roots', 'maxMessageBytes', 'maxQueuedBytes', 'era', 'onChange', 'onDrift', 'onLog', 'clock'] as const),
] satisfies (keyof McpToolsOptions)[];

/**
 * Adds the tools of an MCP server to a registry, as `name.tool`, and keeps them there: what the server changes is
 * followed, and a server that dies is started again, while its calls fail with `unavailable`. All that the server says is
 * taken for somebody else's words: a tool has no permission level unless `guards` or `trustAnnotations` give it one.
 *
 * Needs the package `@modelcontextprotocol/client`, loaded on first use. Rejects with an Error when it is missing, or when
 * the server cannot be started, reached or understood; with a TypeError for options that cannot be meant, among them names
 * in `guards`, `allow` and `deny` that stand for none of the tools, and guarded arguments that none of those meant can have.
 *
 * Its tools fail with: `tool_error` with the server's words, `unavailable`, `invalid_arguments`, `invalid_output`.
 *
 * @example
 * await using files = await mcpTools(
 *   { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', './workspace'] },
 *   { name: 'fs', registry, guards: { 'fs.*': { paths: { path: 'read' } }, 'fs.write_file': { paths: { path: 'write' } } } },
 * );
 */
export async function mcpTools(source: McpSource, options: McpToolsOptions): Promise<McpServerConnection> {
  return await connectTools(source, {}, options);
}

/** How a gateway wants to hear of what it was given. */
export interface Telling {
  /** A tool's name as it stands where somebody has written it. */
  readonly shown?: NamingOptions['shown'];
  /** Gets what would be refused otherwise: options that do not fit the tools. */
  readonly onFault?: ((fault: string) => void) | undefined;
}

/** The same, for a gateway. Rejects with an `UnfitNamesError` for options that do not fit the tools. */
export async function connectTools(
  source: McpSource,
  { shown = String, onFault }: Telling,
  options: McpToolsOptions,
): Promise<McpServerConnection> {
  checkOptions('mcpTools', options, optionNames, ['allow', 'deny', 'guards']);
  checkNames(options);
  const connectTimeout = checkMilliseconds(options.connectTimeout ?? 30_000, 'mcpTools({ connectTimeout })');
  for (const option of ['timeout', 'requestTimeout'] as const) {
    if (options[option] !== undefined) checkMilliseconds(options[option], `mcpTools({ ${option} })`);
  }
  const { name, registry, maxMessageBytes = 33_554_432, maxQueuedBytes = 16_777_216, roots, era = 'auto' } = options;
  if (registry.list({ source: name }).length > 0) {
    throw new TypeError(
      `mcpTools({ name }): there are tools from "${name}" already; each server needs a name of its own.`,
    );
  }
  const { connect, ...rest } = isClient(source)
    ? { connect: borrow(source), restart: false as const }
    : { connect: make(checkedSource(source), { connectTimeout, maxMessageBytes, maxQueuedBytes, roots }, era) };
  const connection = new ServerConnection({ ...options, ...rest }, connectTimeout, connect, shown);
  await connection.start(onFault);
  return connection;
}

function borrow(client: ConnectedClient): Connect {
  return async (events) => borrowedSession(client, events);
}

function make(
  source: McpCommand | McpAddress,
  options: Omit<SessionOptions, 'signal'>,
  era: 'auto' | 'legacy' | 'modern',
): Connect {
  const newSession = sessionMaker(source, era);
  return (events, signal) => newSession(events, { ...options, signal });
}

function isClient(source: McpSource): source is ConnectedClient {
  return typeof (source as Partial<ConnectedClient> | null)?.request === 'function';
}

function checkedSource(source: McpCommand | McpAddress): McpCommand | McpAddress {
  const { command, url } = (source ?? {}) as Partial<McpCommand & McpAddress>;
  if ((command === undefined) === (url === undefined)) {
    throw new TypeError(
      'mcpTools() takes a source: { command, args, env, cwd }, or { url, headers }, or a connected client.',
    );
  }
  checkOptions('mcpTools source', source, url === undefined ? ['command', 'args', 'env', 'cwd'] : ['url', 'headers']);
  const { env, headers } = source as Partial<McpCommand & McpAddress>;
  for (const [name, value] of Object.entries({ ...env, ...headers })) {
    if (typeof value === 'string') continue;
    throw new TypeError(
      `mcpTools: ${env === undefined ? 'headers' : 'env'}.${name} must be a text; it is ${typeof value}.`,
    );
  }
  if (url === undefined) {
    if (typeof command !== 'string' || command === '') throw new TypeError('mcpTools: command must be a program.');
    return source;
  }
  const { protocol, username, password } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw new TypeError('mcpTools: url must be an http or https URL.');
  // Requests cannot be made with them, and the error would show them.
  if (username !== '' || password !== '') {
    throw new TypeError('mcpTools: url must be without user name and password; headers can carry an Authorization.');
  }
  return source;
}

function checkNames(options: McpToolsOptions): void {
  const { name, registry, era, allow, deny } = options;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new TypeError('mcpTools({ name }) must be 1 to 64 letters, digits, _ and -, and begins with none of -.');
  }
  if (typeof registry?.add !== 'function') {
    throw new TypeError(
      'mcpTools({ registry }) must be a registry, made by createRegistry(): the tools are put into it.',
    );
  }
  if (era !== undefined && !['auto', 'legacy', 'modern'].includes(era)) {
    throw new TypeError('mcpTools({ era }) must be auto, legacy or modern.');
  }
  for (const [option, list] of Object.entries({ allow, deny })) {
    if (list === undefined || (Array.isArray(list) && list.every((pattern) => typeof pattern === 'string'))) continue;
    throw new TypeError(`mcpTools({ ${option} }) must be a list of names.`);
  }
  for (const option of ['trustAnnotations', 'acceptGuesses'] as const) {
    if (options[option] === undefined || typeof options[option] === 'boolean') continue;
    throw new TypeError(`mcpTools({ ${option} }) must be true or false.`);
  }
  for (const option of ['maxMessageBytes', 'maxQueuedBytes'] as const) {
    const { [option]: bytes = 1_024 } = options;
    if (Number.isSafeInteger(bytes) && bytes >= 1_024) continue;
    throw new TypeError(`mcpTools({ ${option} }) must be a whole number of bytes, at least 1,024.`);
  }
}
