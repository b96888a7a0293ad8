import { cleanerOf } from '../chain/stage-properties.ts';
import type { RouterPipeline } from '../pipeline.ts';
import { createRegistry } from '../registry.ts';
import { isToolResult, type ToolResult } from '../result.ts';
import { createRouter, type Router } from '../router.ts';
import type { Tool } from '../tool.ts';
import { traitsOf } from '../traits.ts';
import type { ToolCall } from '../types.ts';
import { differences } from './differences.ts';
import { Probes, type Sighting } from './probes.ts';
import type { Scenario } from './scenario.ts';
import { turns } from './turns.ts';

export interface TrialOptions {
  /** Tools of yours beside those that the check brings. Default: none. */
  readonly tools?: Iterable<Tool>;
  /** Calls of your tools, which are mixed in. They must come to an end by themselves. Default: none. */
  readonly samples?: readonly ToolCall[];
  /** The permission mode. Default `ask`, in which what writes is stopped where nobody is there to be asked. */
  readonly mode?: string;
  /** Whether a call may fail with `internal`, which says that a stage is at fault. Default false. */
  readonly allowInternal?: boolean;
  /** How long a run may take before it counts as one that never ends, in milliseconds. Default 5,000. */
  readonly patience?: number;
}

/** Makes the calls of a scenario. Gives what is wrong with what came of it; `undefined` when nothing is. */
export async function trial<State>(
  make: () => RouterPipeline<State>,
  scenario: Scenario,
  options: TrialOptions,
): Promise<string | undefined> {
  const { tools = [], samples = [], mode, patience = 5_000, allowInternal = false } = options;
  const probes = new Probes(scenario.calls);
  const pipeline = make();
  const router = createRouter<State>({
    // In a registry, since the pipeline may name tools that are not there.
    registry: createRegistry([...tools, ...probes.tools]),
    pipeline,
    strict: true,
    ...(mode !== undefined && { mode }),
  });
  const calls = scenario.calls.map(({ sample }, at) =>
    sample === undefined ? probes.callFor(at) : (samples[sample] as ToolCall),
  );
  const judge = new Judge(calls, probes.sightings, {
    allowInternal,
    isJson: cleanerOf(pipeline) !== undefined,
    repeats: pipeline.entries.some(({ stage }) => traitsOf(stage).repeats),
  });
  const onUnhandled = (reason: unknown): void => judge.blame(`a rejection was not handled: ${nameOf(reason)}`);
  process.on('unhandledRejection', onUnhandled);
  try {
    await inTime(played(router, scenario, calls, judge), patience);
    judge.expectAll(patience);
    probes.release();
    // Whatever comes too late comes now.
    await turns(6);
    judge.expectNoLateStart();
    return judge.problem;
  } finally {
    // What the stages have started must not outlive the trial.
    await router.close({ drain: 0, grace: 0 }).catch(() => {});
    process.off('unhandledRejection', onUnhandled);
  }
}

/** Makes the calls, and has each answer judged as it comes. */
async function played<State>(
  router: Router<State>,
  { how, deadline, abortAfter, calls: planned }: Scenario,
  calls: readonly ToolCall[],
  judge: Judge,
): Promise<void> {
  const all = new AbortController();
  const options = { signal: all.signal, ...(deadline !== undefined && { deadline }) };
  const withdrawn = later(abortAfter, all);
  try {
    if (how === 'callAll') {
      const results = await router.callAll(calls, options);
      for (const [at, result] of results.entries()) judge.answer(at, result);
    } else if (how === 'stream') {
      for await (const event of router.stream(calls, options)) {
        if (event.type === 'result') judge.answer(event.index, event.result);
      }
    } else {
      const one = async (call: ToolCall, at: number): Promise<void> => {
        const own = new AbortController();
        const signal = AbortSignal.any([all.signal, own.signal]);
        const left = later(planned[at]?.abortAfter, own);
        judge.answer(at, await router.call(call, { ...options, signal }));
        await left;
      };
      await Promise.all(calls.map(one));
    }
  } catch (error) {
    judge.blame(`router.${how} rejected with ${nameOf(error)}`);
  }
  await withdrawn;
}

async function later(after: number | undefined, controller: AbortController): Promise<void> {
  if (after === undefined) return;
  await turns(after);
  controller.abort();
}

async function inTime(pending: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([pending, expired]);
  clearTimeout(timer);
}

interface Law {
  readonly allowInternal: boolean;
  readonly isJson: boolean;
  readonly repeats: boolean;
}

/** Looks at every answer; remembers the first problem. */
class Judge {
  readonly #calls: readonly ToolCall[];
  readonly #sightings: readonly Sighting[];
  readonly #law: Law;
  problem: string | undefined;

  constructor(calls: readonly ToolCall[], sightings: readonly Sighting[], law: Law) {
    this.#calls = calls;
    this.#sightings = sightings;
    this.#law = law;
  }

  blame(problem: string): void {
    this.problem ??= `The problem: ${problem}.`;
  }

  answer(at: number, result: ToolResult): void {
    const call = this.#calls[at];
    const sighting = this.#sightings[at];
    if (call === undefined || sighting === undefined) {
      this.blame(`there is a result for call ${at}, which does not exist`);
      return;
    }
    const fault = sighting.answered ? 'got a second result' : this.#faultOf(result, call, sighting);
    sighting.answered = true;
    if (fault !== undefined) this.blame(`call ${at} (${call.name}) ${fault}`);
  }

  expectAll(patience: number): void {
    const at = this.#sightings.findIndex(({ answered }) => !answered);
    if (at >= 0) this.blame(`call ${at} (${this.#calls[at]?.name}) got no result within ${patience} ms`);
  }

  expectNoLateStart(): void {
    const at = this.#sightings.findIndex(({ startedLate }) => startedLate);
    if (at >= 0) this.blame(`the handler of call ${at} was started after the call had been answered`);
  }

  #faultOf(result: ToolResult, call: ToolCall, { running, starts }: Sighting): string | undefined {
    if (!isToolResult(result)) return `got something that is no result: ${nameOf(result)}`;
    if (call.id !== undefined && result.call_id !== call.id) return `was answered under the id "${result.call_id}"`;
    if (result.tool_name !== call.name) return `was answered under the name "${result.tool_name}"`;
    if (result.ok && running > 0) return 'succeeded before its handler had ended';
    if (!result.ok && result.effect === 'none' && starts > 0) return 'says that nothing happened, but its handler ran';
    if (starts > 1 && !this.#law.repeats) return `ran its handler ${starts} times, though no stage repeats`;
    if (!result.ok && result.code === 'internal' && !this.#law.allowInternal) {
      return `failed with internal, so a stage is at fault: ${result.error.replace(/\.$/, '')}`;
    }
    return this.#law.isJson ? jsonFault(result) : undefined;
  }
}

function jsonFault(result: ToolResult): string | undefined {
  let text: string;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    return `got a result that is no JSON: ${nameOf(error)}`;
  }
  const [first] = differences(JSON.parse(text), result);
  return first === undefined ? undefined : `got a result that JSON cannot say: ${first}`;
}

function nameOf(value: unknown): string {
  try {
    return value instanceof Error ? value.message : (JSON.stringify(value) ?? String(value));
  } catch {
    return typeof value;
  }
}
