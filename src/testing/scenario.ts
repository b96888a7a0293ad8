import type { Random } from './random.ts';

/** What the handler of a planned call does. */
const behaviours = [
  'sync',
  'async',
  'slow',
  'generator',
  'progress',
  'odd data',
  'throw',
  'reject',
  'hang until aborted',
  'late',
  'hang',
] as const;
type Behaviour = (typeof behaviours)[number];

const forms = ['object', 'JSON text', 'broken JSON', 'wrong arguments', 'no arguments', 'unknown tool'] as const;
type ArgumentsForm = (typeof forms)[number];

/** One call of a scenario. */
export interface PlannedCall {
  readonly tool: string;
  readonly behaviour: Behaviour;
  /** Which of the odd things it throws or gives, counted round. */
  readonly variant: number;
  readonly form: ArgumentsForm;
  /** `shared`: under an id that other calls have as well. */
  readonly id: 'own' | 'shared' | 'none';
  /** After how many turns of the event loop its caller withdraws it; only with `how: 'call'`. */
  readonly abortAfter?: number;
  /** The index of a call of the user's own, in place of all the above. */
  readonly sample?: number;
}

/** Calls that are made together, and what befalls them. */
export interface Scenario {
  readonly how: 'call' | 'callAll' | 'stream';
  /** In milliseconds. */
  readonly deadline?: number;
  /** After how many turns of the event loop all are withdrawn. */
  readonly abortAfter?: number;
  readonly calls: readonly PlannedCall[];
}

/** Whether a call with such a handler comes to an end only if somebody ends it. */
function needsAnEnd({ behaviour }: PlannedCall): boolean {
  return behaviour === 'hang until aborted' || behaviour === 'late' || behaviour === 'hang';
}

export function randomScenario(random: Random, most: number, tools: readonly string[], samples: number): Scenario {
  const how = random.pick(['call', 'callAll', 'stream'] as const);
  const calls = Array.from({ length: 1 + random.below(most) }, (): PlannedCall => {
    const sample = samples > 0 && random.fraction() < 0.5 ? random.below(samples) : undefined;
    return {
      tool: random.pick(tools),
      behaviour: random.pick(behaviours),
      variant: random.below(1_000),
      // Mostly what reaches the handler: what does not is stopped early and meets fewer stages.
      form: random.fraction() < 0.7 ? random.pick(forms.slice(0, 2)) : random.pick(forms.slice(2)),
      id: random.fraction() < 0.8 ? 'own' : random.pick(['shared', 'none'] as const),
      ...(how === 'call' && random.fraction() < 0.25 && { abortAfter: random.below(6) }),
      ...(sample !== undefined && { sample }),
    };
  });
  return withAnEnd({
    how,
    calls,
    ...(random.fraction() < 0.2 && { deadline: 1 + random.below(10) }),
    ...(random.fraction() < 0.2 && { abortAfter: random.below(8) }),
  });
}

/** A call that hangs is given a deadline, and those beside it too, since they may wait for its place. */
function withAnEnd(scenario: Scenario): Scenario {
  if (scenario.deadline !== undefined || !scenario.calls.some(needsAnEnd)) return scenario;
  return { ...scenario, deadline: 5 };
}

/** The same scenario with something less in it, most first. */
export function* simpler(scenario: Scenario): Generator<Scenario> {
  const { calls, how, ...rest } = scenario;
  const without = (at: number): PlannedCall[] => calls.toSpliced(at, 1);
  const half = Math.ceil(calls.length / 2);
  if (calls.length > 2) {
    yield withAnEnd({ ...scenario, calls: calls.slice(0, half) });
    yield withAnEnd({ ...scenario, calls: calls.slice(half) });
  }
  if (calls.length > 1) for (const at of calls.keys()) yield withAnEnd({ ...scenario, calls: without(at) });
  const { abortAfter, ...unaborted } = scenario;
  if (abortAfter !== undefined) yield unaborted;
  const { deadline, ...unlimited } = scenario;
  if (deadline !== undefined && !calls.some(needsAnEnd)) yield unlimited;
  if (how !== 'call') yield { ...rest, how: 'call', calls };
  for (const [at, call] of calls.entries()) {
    for (const plainer of plainerCalls(call)) yield withAnEnd({ ...scenario, calls: calls.with(at, plainer) });
  }
}

function* plainerCalls(call: PlannedCall): Generator<PlannedCall> {
  const { abortAfter, ...kept } = call;
  if (abortAfter !== undefined) yield kept;
  if (call.sample !== undefined) return;
  if (call.behaviour !== 'sync') yield { ...call, behaviour: 'sync' };
  if (call.behaviour !== 'sync' && call.behaviour !== 'async') yield { ...call, behaviour: 'async' };
  if (call.form !== 'object') yield { ...call, form: 'object' };
  if (call.id !== 'own') yield { ...call, id: 'own' };
}

/** A scenario in words, a line a call. */
export function described({ how, deadline, abortAfter, calls }: Scenario): string[] {
  const all = [
    how === 'call' ? 'router.call, once for each' : `router.${how}`,
    ...(deadline === undefined ? [] : [`deadline ${deadline} ms`]),
    ...(abortAfter === undefined ? [] : [`all withdrawn after ${abortAfter} turns of the event loop`]),
  ].join(', ');
  return [
    `${all}:`,
    ...calls.map((call, at) => {
      const what =
        call.sample === undefined
          ? `${call.tool}, handler: ${handler(call)}, arguments: ${call.form}, id: ${call.id}`
          : `your call ${call.sample}`;
      return `  ${at}: ${what}${call.abortAfter === undefined ? '' : `, withdrawn after ${call.abortAfter} turns`}`;
    }),
  ];
}

function handler({ behaviour, variant }: PlannedCall): string {
  return ['throw', 'reject', 'odd data'].includes(behaviour) ? `${behaviour} (${variant})` : behaviour;
}
