import type { ExecResult } from '../capabilities/process/types.ts';
import { defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.ts';

/** How long a command may take, as a model says it. */
export const timeLimit = {
  type: 'integer',
  minimum: 1,
  maximum: 600_000,
  default: 30_000,
  description: 'Ended after this time',
} as const;

/** Longer than a call may ask for: what was written until then shall be answered with, and not thrown away. */
export const longestCall: number = timeLimit.maximum + 10_000;

/** What {@link runShell} and `run_python` answer with. */
export interface CommandData {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly duration_ms: number;
  readonly truncated: boolean;
  /** Where it ran. */
  readonly sandbox: string;
  /** Why it was ended early: `timeout`, or `output` when it wrote more than is read. */
  readonly stopped?: string;
}

/**
 * Runs a command line in the workspace, in the sandbox that there is. Plain commands (words and quoted text, joined by
 * `| && || ;`) run without a shell; the sandbox's shell runs all others. Background jobs end with the command.
 * A program that fails is no failure of the tool: its exit code is in the data. So is a command that took longer than
 * `timeout_ms`, with what it wrote until then.
 *
 * Fails with `command_denied`: `no-sandbox`, `unparsed`, `relative`, `characters`, `length`; and `path_denied`.
 */
export const runShell: Tool = defineTool({
  name: 'run_shell',
  description:
    'Run a command line in the workspace folder, without network. Plain commands that only read (ls, cat, grep, rg, find, git log ...) joined by | && || ; run at once; anything else may have to be approved. Standard input is empty.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'Command line' },
      timeout_ms: timeLimit,
    },
    required: ['command'],
    additionalProperties: false,
  },
  permission: 'execute',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  timeout: longestCall,
  commands: ['command'],
  handler: async ({ command, timeout_ms: timeout }, { exec }) => dataOf(await exec.run(command, { timeout })),
});

/** How a command ended, in the form that tools answer with. */
export function dataOf(result: ExecResult): CommandData {
  const { exitCode, signal, stdout, stderr, durationMs, truncated, stopped, tier } = result;
  return {
    exit_code: exitCode,
    signal,
    stdout,
    stderr,
    duration_ms: durationMs,
    truncated,
    sandbox: tier,
    ...(stopped !== undefined && { stopped }),
  };
}
