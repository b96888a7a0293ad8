import type { DefaultPipelineOptions, defaultPipeline } from '../default-pipeline.ts';
import type { RouterPipeline } from '../pipeline.ts';
import type { ApprovalAnswer } from '../policy/approval.ts';
import type { CommonOptions } from '../router-options.ts';
import type { Maybe } from '../types.ts';

/** The default pipeline, as `pipeline` of a configuration gets it. */
export type StandardPipeline = ReturnType<typeof defaultPipeline>;

/** An answer that was given before the run: it counts only for a call with this id, tool and arguments. */
export interface RecordedAnswer {
  readonly call_id: string;
  readonly tool: string;
  /** As the approver was shown them: after validation and defaults, with canonical paths. */
  readonly arguments: unknown;
  readonly answer: ApprovalAnswer;
}

/**
 * What a `callgate.config.mjs` (or `.js`, `.ts`) gives the command line: the tools, and either a pipeline or the options
 * of the default one. Relative paths in it are relative to its folder.
 */
export interface Config extends CommonOptions<unknown>, DefaultPipelineOptions {
  /**
   * Changes the default pipeline, which is made from the options here, or gives one of your own. In one of your own, the
   * options of the default pipeline (`roots`, `rules`, `timeout`, `answers` ...) are the stages' own and not given here.
   */
  readonly pipeline?: RouterPipeline<unknown> | ((standard: StandardPipeline) => RouterPipeline<unknown>);
  /**
   * A policy file: its rules and modes count with those given here, and rules that are approved for always are added to
   * it. It must exist; the shortest is `{"rules": []}`.
   */
  readonly policy?: string;
  /** How many calls of `callgate run` are under way at the same time. Default 1: each sees what the ones before did. */
  readonly concurrency?: number;
  /**
   * Answers to questions that were recorded before: a list, or the name of a JSON file with one. Nobody is asked then,
   * and a question without an answer in it is a denial.
   */
  readonly answers?: string | readonly RecordedAnswer[];
  /** Called when the command has ended, however it did. */
  readonly close?: () => Maybe<void>;
}

/**
 * Types a configuration; gives it back as it is.
 *
 * @example
 * // callgate.config.mjs
 * export default defineConfig({ tools: [searchNotes], roots: ['./workspace'], mode: 'ask' });
 */
export function defineConfig(config: Config): Config {
  return config;
}

/** The names of {@link Config}'s own options, beside those of the router and of the default pipeline. */
export const ownOptions: readonly string[] = ['policy', 'concurrency', 'answers', 'close'] satisfies (keyof Config)[];
