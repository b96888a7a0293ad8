import type { PathIntent } from '../../capabilities/fs/types.ts';
import type { CommandLanguage } from '../../capabilities/process/types.ts';
import type { Clock } from '../../clock.ts';
import type { Registry } from '../../registry.ts';
import type { PermissionLevel, Tool } from '../../tool.ts';
import type { Sender } from './sender.ts';

/** A server that is started as a program and spoken to over its standard input and output. */
export interface McpCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables beside those that every server gets (`PATH`, `HOME`, `USER` and the like). Nothing else is inherited. */
  readonly env?: { readonly [name: string]: string };
  /** Its working folder. Default: that of this process. */
  readonly cwd?: string;
}

/**
 * A server that is reached over HTTP: Streamable HTTP, or what came before it (HTTP with SSE). Redirects are followed within
 * its origin only.
 */
export interface McpAddress {
  /** http or https, without user name and password. */
  readonly url: string | URL;
  /** Sent with every request, and to no other origin, such as `{ Authorization: 'Bearer ...' }`. */
  readonly headers?: { readonly [name: string]: string };
}

/** What is used of a `Client` of `@modelcontextprotocol/client` that the program has connected itself. */
export interface ConnectedClient extends Sender {
  setNotificationHandler(method: 'notifications/tools/list_changed', handler: () => void): void;
  removeNotificationHandler(method: string): void;
  getServerVersion(): { name: string; version: string } | undefined;
  onclose?: (() => void) | undefined;
}

export type McpSource = McpCommand | McpAddress | ConnectedClient;

/** Which arguments of foreign tools are paths, URLs and commands, as in {@link Tool}, and how much the tools can do. */
export interface GuardDeclaration {
  readonly paths?: { readonly [argument: string]: PathIntent };
  readonly urls?: readonly string[];
  readonly commands?: readonly string[] | { readonly [argument: string]: CommandLanguage };
  /** The tools' permission level, whatever the server says of them. */
  readonly permission?: PermissionLevel;
}

/**
 * Declarations by the names of tools, with their namespace or (where there is no dot in them) without; `*` stands for any
 * characters. Where several match, what a later one says of an argument, or of the level, counts.
 *
 * A name without `*` that no tool has is refused when the server is connected, and so is an argument that no tool which is
 * meant can have by its schema. A tool that loses such an argument later is left out, and `onLog` is told.
 *
 * @example
 * const guards: GuardDeclarations = {
 *   'fs.*': { paths: { path: 'read' } },
 *   'fs.write_file': { paths: { path: 'write' } },
 * };
 */
export interface GuardDeclarations {
  readonly [tool: string]: GuardDeclaration;
}

/** How a server that has died is started, or connected to, again. All times in milliseconds. */
export interface RestartOptions {
  /** Before the first attempt. It doubles with each that fails. Default 500. */
  readonly delay?: number;
  /** The longest time between two attempts. Default 30,000. */
  readonly maxDelay?: number;
  /** Attempts in a row that may fail, or servers that die within a minute; then it stays away. Default 8. */
  readonly attempts?: number;
}

/** What a server says while it works: as it came, to be cleaned before it is shown on a terminal. */
export interface McpLog {
  readonly server: string;
  /** Of the protocol (`debug` to `emergency`); `stderr` for what it wrote to its standard error. */
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}

/** A tool is no longer what it was. */
export interface McpDrift {
  /** With its namespace. */
  readonly name: string;
  readonly before: Tool;
  readonly after: Tool;
  /** What differs, such as `description` or `parameters`. */
  readonly changed: readonly string[];
}

/** The tools of a server are others now, by their names with namespace. */
export interface McpChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** A tool of a server that was not taken, and why. */
export interface SkippedTool {
  /** As the server calls it. */
  readonly name: string;
  readonly reason: string;
}

export interface McpToolsOptions {
  /** The namespace: a tool `read` of the server becomes `name.read`. Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** Where the tools are added, and taken out again. */
  readonly registry: Registry;
  readonly guards?: GuardDeclarations;
  /** How long a call may take, in milliseconds. Default: what the router's timeout stage says. */
  readonly timeout?: number;
  /**
   * How long the server may take to answer a call, in milliseconds; then it is told that nobody waits for it any more, and
   * the call fails with `timeout`. Costs less than a limit of the router's. Default: none.
   */
  readonly requestTimeout?: number;
  /** Whether anybody wants to hear how far a call has come, by the call's id. Default: always asked for. */
  readonly wantsProgress?: (callId: string) => boolean;
  /** How long it may take until the server is ready and has told its tools, in milliseconds. Default 30,000. */
  readonly connectTimeout?: number;
  /** How a server that has died comes back; `false` for never. Not for a client that the program has connected itself. */
  readonly restart?: RestartOptions | false;
  /**
   * Tools to take, by the names that the server gives them, or with the namespace; `*` stands for any characters. A name
   * without it that no tool has is refused when the server is connected. Default: all.
   */
  readonly allow?: readonly string[];
  /** Tools not to take, likewise. Stronger than `allow`. Default: none. */
  readonly deny?: readonly string[];
  /**
   * Whether what the server says of its tools decides their permission level: reading only is `read`, not destructive
   * `write`, destructive `dangerous`, and reaching further than this machine `network`. Default false: such hints are
   * kept for people to see, but tools have no level unless `guards` gives one, so that most modes ask.
   */
  readonly trustAnnotations?: boolean;
  /**
   * Whether arguments that look like paths, URLs or commands (see {@link guessGuards}) are guarded as such, where `guards`
   * says nothing of them. Default false: guesses are for a person to confirm.
   */
  readonly acceptGuesses?: boolean;
  /** Folders that the server is told about when it asks for the client's roots, absolute. Default: none. */
  readonly roots?: readonly string[];
  /** The longest message the server may send, in bytes; after a longer one a program is ended,
   * and an answer over HTTP given up. Default 33,554,432 (32 MiB). */
  readonly maxMessageBytes?: number;
  /**
   * How much of what is sent may wait for the server to read it, in bytes; over HTTP, in requests that it has not begun to
   * answer. A further call fails with `unavailable` and is not sent, and a program that goes on asking for something
   * without reading the answers is ended. Default 16,777,216 (16 MiB).
   */
  readonly maxQueuedBytes?: number;
  /** Which revisions of the protocol to try; `legacy` is up to 2025-11-25, `modern` from 2026-07-28. Default `auto`. */
  readonly era?: 'auto' | 'legacy' | 'modern';
  /** Gets what has changed after the server said so, or came back. */
  readonly onChange?: (change: McpChange) => void;
  /**
   * Gets a tool that has changed, before its new form counts. With `false`, or a promise of it, the tool is taken out
   * instead. Default: the new
   * form counts, and `permission` asks again where it keeps `identities`.
   */
  readonly onDrift?: (drift: McpDrift) => unknown;
  /** Gets what the server logs. Nothing of it reaches a model. */
  readonly onLog?: (log: McpLog) => void;
  /** For waiting before a restart. */
  readonly clock?: Clock;
}

/**
 * - `connected`: calls go through.
 * - `reconnecting`: the server has died and will be started again; calls fail with `unavailable` meanwhile.
 * - `failed`: it has died too often.
 * - `closed`: by `close()`.
 */
export type McpStatus = 'connected' | 'reconnecting' | 'failed' | 'closed';

/** A server whose tools are in a registry. */
export interface McpServerConnection {
  readonly name: string;
  /** The names that are registered now. */
  readonly tools: readonly string[];
  /** Tools of the server that are not. */
  readonly skipped: readonly SkippedTool[];
  readonly status: McpStatus;
  /** What the server says it is. */
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** The end of what the server wrote to its standard error, for diagnosis; at most 8 KiB. */
  readonly stderr: string;
  /** Takes the tools out, ends the connection and the program. Never rejects. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
