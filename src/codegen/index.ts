export {
  createGenerator,
  type GenerateOptions,
  type GenerateResult,
  type Generator,
  generate,
} from './generate.ts';
export { callgateGen, type PluginOptions } from './plugin.ts';
export { formatProblem, GenerateError, GenerateSetupError, type Problem } from './problems.ts';
export { type Watcher, type WatchOptions, watch } from './watch.ts';
