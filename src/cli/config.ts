import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { didYouMean } from '../basics/nearest.ts';
import { isPlainRecord } from '../basics/plain-object.ts';
import { defaultPipelineOptions } from '../default-pipeline.ts';
import { readPolicyFile } from '../policy/file.ts';
import { ruleMemory } from '../policy/rule-memory.ts';
import { routerOptionNames } from '../router-options.ts';
import { type Config, ownOptions } from './define-config.ts';
import { reasonOf, Unusable } from './errors.ts';
import { loadModule } from './load-module.ts';

/** A configuration, and where it comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** Undefined when there is none. */
  readonly file: string | undefined;
}

const names = ['mjs', 'js', 'ts', 'mts'].map((extension) => `callgate.config.${extension}`);
const known: readonly string[] = [
  ...new Set([...routerOptionNames, 'pipeline', ...defaultPipelineOptions, ...ownOptions]),
];

/** Loads the configuration that was named, else the one in `folder`, else none. Throws {@link Unusable}. */
export async function loadConfig(named: string | undefined, folder: string): Promise<LoadedConfig> {
  const file = named === undefined ? foundIn(folder) : resolve(folder, named);
  if (file === undefined) return { config: {}, file };
  if (named !== undefined && !existsSync(file)) throw new Unusable(`There is no configuration ${named}.`);
  const exported = (await loadModule(file)) as { default?: unknown };
  // A CommonJS module that was compiled from `export default` carries it one deeper.
  const inner = (exported.default as { default?: unknown } | null | undefined)?.default;
  const config: unknown = await (inner ?? exported.default);
  return { config: checked(config, basename(file), dirname(file)), file };
}

function foundIn(folder: string): string | undefined {
  const found = names.filter((name) => existsSync(resolve(folder, name)));
  if (found.length > 1) throw new Unusable(`There are ${found.join(' and ')}; say which by --config FILE.`);
  return found[0] === undefined ? undefined : resolve(folder, found[0]);
}

function checked(config: unknown, name: string, folder: string): Config {
  if (!isPlainRecord(config)) {
    throw new Unusable(`${name} must export a configuration: export default defineConfig({ tools: [...] }).`);
  }
  for (const option of Object.keys(config)) {
    if (known.includes(option)) continue;
    throw new Unusable(
      `${name} has the option "${option}", which does not exist.${didYouMean(option, known)} There are: ${known.join(', ')}.`,
    );
  }
  const { roots, answers, policy, concurrency } = config as Config;
  // With none at a time the run would never begin.
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0)) {
    throw new Unusable(`${name}: concurrency must be a whole number from 1; it is ${String(concurrency)}.`);
  }
  return {
    ...config,
    ...(Array.isArray(roots) && { roots: roots.map((root) => rootFrom(root, folder)) }),
    ...(typeof answers === 'string' && { answers: resolve(folder, answers) }),
    ...('policy' in config && policyOptions(config as Config, policy, name, folder)),
  };
}

/** What a policy file gives: its modes, and a memory that holds its rules and gets more. */
function policyOptions(config: Config, policy: unknown, name: string, folder: string): Partial<Config> {
  if (typeof policy !== 'string') throw new Unusable(`${name}: policy must be the name of a file.`);
  if (typeof config.pipeline === 'object') {
    throw new Unusable(`${name}: policy would have no effect: give it to the permission stage, by ruleMemory().`);
  }
  if (config.remember !== undefined) throw new Unusable(`${name} has both policy and remember, which is its file.`);
  const path = resolve(folder, policy);
  // A mistyped name must not become an open door.
  if (!existsSync(path)) throw new Unusable(`${name}: there is no policy ${policy}. The shortest is {"rules": []}.`);
  try {
    const { modes } = readPolicyFile(path);
    return {
      policy: path,
      remember: ruleMemory(path),
      ...(modes !== undefined && { modes: { ...modes, ...config.modes } }),
    };
  } catch (error) {
    throw new Unusable(`${policy}: ${reasonOf(error)}`);
  }
}

type Root = NonNullable<Config['roots']>[number];

function rootFrom(root: Root, folder: string): Root {
  if (typeof root === 'string') return resolve(folder, root);
  return typeof root?.path === 'string' ? { ...root, path: resolve(folder, root.path) } : root;
}
