export {
  createGenerator,
  type GenerateOptions,
  type GenerateResult,
  type Generator,
  generate,
} from './generate.ts';
export { callgateGen, type Plugin, type PluginOptions } from './plugin.ts';
export { formatProblem, GenerateError, GenerateSetupError, type Problem } from './problems.ts';
export { type Watcher, type WatchOptions, type WatchRun, watch } from './watch.ts';
export type { WriteOutcome } from './write.ts';
