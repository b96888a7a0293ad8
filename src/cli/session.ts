import { basename } from 'node:path';
import { defaultPipeline, defaultPipelineOptions } from '../default-pipeline.ts';
import type { Approve } from '../policy/approval.ts';
import { createRouter, type Router } from '../router.ts';
import { type RouterOptions, routerOptionNames } from '../router-options.ts';
import type { Tool } from '../tool.ts';
import { recordedAnswers } from './answers.ts';
import { loadConfig } from './config.ts';
import { type Config, ownOptions } from './define-config.ts';
import { reasonOf, Unusable } from './errors.ts';
import { type SessionValues, withCommandLine } from './session-options.ts';
import { within } from './within.ts';

/** A router as the configuration and the command line want it. */
export interface Session {
  readonly router: Router;
  readonly config: Config;
  /** The configuration's file; undefined when there is none. */
  readonly file: string | undefined;
  /**
   * Closes the router, which ends what its stages have started, and gives back what the configuration holds. Handlers that
   * go on after their calls were answered are waited for, but not for long. Never throws.
   */
  close(): Promise<void>;
}

/** How long handlers that were told to stop are waited for, in milliseconds. */
const grace = 500;
/** The longest that a router may take to close, in milliseconds; what it has started then ends with the process. */
const longestClose = 8_000;

/**
 * Makes the router. `approve` asks the person at the terminal, where there is one; it is used unless the configuration
 * has an approver or recorded answers. Without a configuration there are the built-in tools over `cwd`.
 */
export async function openSession(values: SessionValues, cwd: string, approve?: Approve): Promise<Session> {
  const { config: written, file } = await loadConfig(values.config, cwd);
  let router: Router | undefined;
  const close = async (): Promise<void> => {
    // The results are out; a clean-up that fails changes nothing about them.
    if (router !== undefined) await within(router.close({ drain: 0, grace }), longestClose).catch(() => {});
    try {
      await written.close?.();
    } catch {
      // Likewise.
    }
  };
  try {
    const config = withCommandLine(written, values, cwd);
    const completed = await complete(config, file === undefined ? cwd : undefined, approve);
    router = routerOf(completed, file);
    return { router, config: completed, file, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function complete(config: Config, root: string | undefined, approve: Approve | undefined): Promise<Config> {
  const { tools, registry, answers, pipeline } = config;
  if (answers !== undefined && config.approve !== undefined) {
    throw new Unusable('The configuration has both approve and answers: there must be one who answers.');
  }
  const withTools = tools === undefined && registry === undefined ? { ...config, tools: await builtInTools() } : config;
  if (typeof pipeline === 'object') {
    if (answers === undefined) return withTools;
    throw new Unusable(
      'answers would have no effect: the configuration has a pipeline of its own, with its own approver.',
    );
  }
  const asked = answers === undefined ? (config.approve ?? approve) : await recordedAnswers(answers);
  return {
    ...withTools,
    ...(config.roots === undefined && root !== undefined && { roots: [root] }),
    ...(asked !== undefined && { approve: asked }),
  };
}

async function builtInTools(): Promise<readonly Tool[]> {
  return (await import('./default-tools.ts')).defaultTools;
}

function routerOf(config: Config, file: string | undefined): Router {
  try {
    return createRouter(routerOptions(config));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const where = file === undefined ? '' : `${basename(file)}: `;
    throw new Unusable(`${where}${reasonOf(error)}`);
  }
}

function routerOptions(config: Config): RouterOptions {
  const { pipeline } = config;
  const options = without(config, ownOptions);
  if (typeof pipeline !== 'function') return options as RouterOptions;
  const standard = without(options, ['pipeline', ...routerOptionNames]);
  return {
    ...without(options, defaultPipelineOptions),
    pipeline: pipeline(defaultPipeline(standard)),
  } as RouterOptions;
}

function without(options: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}
