import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as work from './work.mjs';

/** Where `npm run build` puts the package. */
export const builtEntry = new URL('../../../dist/src/index.js', import.meta.url).href;

/** The built package; `entry` names another build of it. */
export async function load(entry = builtEntry) {
  try {
    await access(fileURLToPath(entry));
  } catch {
    throw new Error('The package is not built: run `npm run build` first.');
  }
  return import(entry);
}

/** The one tool of the bench. */
export function addTool(callgate, more = {}) {
  return callgate.defineTool({
    name: 'add',
    description: work.description,
    parameters: work.parameters,
    permission: 'read',
    timeout: work.deadline,
    handler: work.handler,
    ...more,
  });
}

/** A router with the whole default chain and nothing else. */
export function defaultRouter(callgate, tool = {}, options = {}) {
  return callgate.createRouter({ tools: [addTool(callgate, tool)], mode: 'trusted', ...options });
}
