import { AssertionError } from 'node:assert';
import { checkOptions } from '../basics/options.ts';
import type { RouterPipeline } from '../pipeline.ts';
import { checkFinite } from '../resilience/numbers.ts';
import { probeNames } from './probes.ts';
import { seededRandom } from './random.ts';
import { described, randomScenario, type Scenario, simpler } from './scenario.ts';
import { type TrialOptions, trial } from './trial.ts';

export interface CheckPipelineOptions extends TrialOptions {
  /** How many runs. Default 100. */
  readonly runs?: number;
  /** Decides the runs, so that they can be repeated. Default 1. */
  readonly seed?: number;
  /** The most calls in a run. Default 6. */
  readonly calls?: number;
}

const optionNames = ['runs', 'seed', 'calls', 'tools', 'samples', 'mode', 'allowInternal', 'patience'];

/** What was done. */
export interface CheckReport {
  readonly runs: number;
  readonly calls: number;
}

/**
 * Drives a pipeline with random calls, whose handlers answer, fail, hang or come late, whose arguments are right or wrong,
 * and which are withdrawn or run out of time; and asserts that every call gets exactly one result that is its own: well-formed,
 * under its id and name, as JSON can say it where a stage sees to that, no success before the handler has ended, no
 * `effect: 'none'` after it has started, no handler started after the answer, no rejection that nobody handles, and no
 * `internal` (see `allowInternal`).
 *
 * Give a function that makes the pipeline where its stages keep something from call to call: each run then has its own.
 * Throws an AssertionError with the smallest run that it could find in which this does not hold, and how to repeat it.
 *
 * @example
 * test('one result a call', async () => {
 *   await checkPipeline(() => myPipeline({ roots: ['./fixtures'] }), { runs: 500 });
 * });
 */
export async function checkPipeline<State = unknown>(
  pipeline: RouterPipeline<State> | (() => RouterPipeline<State>),
  options: CheckPipelineOptions = {},
): Promise<CheckReport> {
  checkOptions('checkPipeline', options, optionNames);
  const { runs = 100, seed = 1, calls: most = 6, samples = [], ...rest } = options;
  if (!(runs >= 1) || !(most >= 1)) throw new TypeError('checkPipeline() needs at least one run of one call.');
  if (options.patience !== undefined) checkFinite(options.patience, 'checkPipeline({ patience })');
  const make = typeof pipeline === 'function' ? pipeline : () => pipeline;
  const run = (scenario: Scenario): Promise<string | undefined> => trial(make, scenario, { samples, ...rest });
  let calls = 0;
  const random = seededRandom(seed);
  for (let made = 1; made <= runs; made++) {
    const scenario = randomScenario(random, most, probeNames, samples.length);
    calls += scenario.calls.length;
    const problem = await run(scenario);
    if (problem === undefined) continue;
    const smallest = await smaller(run, scenario, problem);
    throw new AssertionError({
      message: [
        `Run ${made} of ${runs} (seed ${seed}) did not give every call its one result.`,
        smallest.problem,
        'The smallest run found in which it does not hold:',
        ...described(smallest.scenario).map((line) => `  ${line}`),
        `To repeat it: checkPipeline(pipeline, { seed: ${seed}, runs: ${made} }).`,
      ].join('\n'),
      operator: 'checkPipeline',
      stackStartFn: checkPipeline,
    });
  }
  return { runs, calls };
}

/** More than this would make a test that fails a test that hangs. */
const mostTrials = 300;

async function smaller(
  run: (scenario: Scenario) => Promise<string | undefined>,
  failing: Scenario,
  found: string,
): Promise<{ readonly scenario: Scenario; readonly problem: string }> {
  let scenario = failing;
  let problem = found;
  let trials = 0;
  for (let progress = true; progress; ) {
    progress = false;
    for (const candidate of simpler(scenario)) {
      if (++trials > mostTrials) break;
      const same = await run(candidate);
      if (same === undefined) continue;
      scenario = candidate;
      problem = same;
      progress = true;
      break;
    }
  }
  return { scenario, problem };
}
