import { basename } from 'node:path';
import type { Approve } from '../policy/approval.ts';
import { createRouter, type Router, type RouterOptions } from '../router.ts';
import { recordedAnswers } from './answers.ts';
import { loadConfig } from './config.ts';
import { type Config, ownOptions } from './define-config.ts';
import { reasonOf, Unusable, UsageError } from './errors.ts';
import { type SessionValues, withCommandLine } from './session-options.ts';

/** A router as the configuration and the command line want it. */
export interface Session {
  readonly router: Router;
  readonly config: Config;
  /** The configuration's file; undefined when there is none. */
  readonly file: string | undefined;
  /** Gives back what the configuration holds. Never throws. */
  close(): Promise<void>;
}

/**
 * Makes the router. `approve` asks the person at the terminal, where there is one; it is used unless the configuration
 * has an approver or recorded answers. Without a configuration there are the built-in tools over `cwd`.
 */
export async function openSession(values: SessionValues, cwd: string, approve?: Approve): Promise<Session> {
  const { config: written, file } = await loadConfig(values.config, cwd);
  const close = async (): Promise<void> => {
    try {
      await written.close?.();
    } catch {
      // The results are out; a clean-up that fails changes nothing about them.
    }
  };
  try {
    const config = withCommandLine(written, values, cwd);
    const completed = await complete(config, file === undefined ? cwd : undefined, approve);
    return { router: routerOf(completed, file), config: completed, file, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function complete(config: Config, root: string | undefined, approve: Approve | undefined): Promise<Config> {
  const { tools, registry, answers } = config;
  if (answers !== undefined && config.approve !== undefined) {
    throw new Unusable('The configuration has both approve and answers: there must be one who answers.');
  }
  const asked = answers === undefined ? (config.approve ?? approve) : await recordedAnswers(answers);
  const builtIn = tools === undefined && registry === undefined;
  return {
    ...config,
    ...(builtIn && { tools: (await import('./default-tools.ts')).defaultTools }),
    ...(config.pipeline === undefined && config.roots === undefined && root !== undefined && { roots: [root] }),
    ...(config.pipeline === undefined && asked !== undefined && { approve: asked }),
  };
}

function routerOf(config: Config, file: string | undefined): Router {
  const options = Object.fromEntries(Object.entries(config).filter(([option]) => !ownOptions.includes(option)));
  try {
    return createRouter(options as RouterOptions);
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    const where = file === undefined ? '' : `${basename(file)}: `;
    throw new Unusable(`${where}${reasonOf(error)}`);
  }
}
