import { defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.ts';
import { dataOf, longestCall, timeLimit } from './run-shell.ts';

/**
 * Runs a Python program with the system's `python3` in the workspace, in the sandbox that there is. Answers as
 * `run_shell` does. The portable sandbox has no Python.
 *
 * Fails with `command_denied`: `no-sandbox`, `python`, `characters`, `length` (131,071 bytes at most).
 */
export const runPython: Tool = defineTool({
  name: 'run_python',
  description:
    'Run a Python 3 program in the workspace folder, without network. Print what you want to see; standard input is empty.',
  parameters: {
    type: 'object',
    properties: {
      code: { type: 'string', minLength: 1, description: 'Python source' },
      timeout_ms: timeLimit,
    },
    required: ['code'],
    additionalProperties: false,
  },
  permission: 'execute',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  timeout: longestCall,
  commands: { code: 'python' },
  handler: async ({ code, timeout_ms: timeout }, { exec }) => dataOf(await exec.run(code, { timeout })),
});
