import { buildAutomaton } from './automaton.ts';
import { LinearMatcher } from './linear.ts';
import { parsePattern } from './syntax.ts';
import { steps, type Work, workOf } from './work.ts';

/** Steps of backtracking that one test may take: some milliseconds. */
const mostSteps = 1_000_000;
/** The same where there is nothing but backtracking. */
const mostStepsWithoutChoice = 10_000_000;

/** A compiled `pattern`, as the engine uses it. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles a schema's `pattern` so that no text can make it slow. The platform's `RegExp` backtracks, which takes
 * exponential time for patterns such as `^(a+)+$`; where the text is long enough for that to matter, an automaton in
 * linear time gives the same answer. Patterns that only backtracking can match (look-around, back references) refuse
 * texts that could take too long; those that could take exponential time throw.
 *
 * With Unicode rules first, as JSON Schema has it; many patterns in the wild are regular expressions only without them
 * (`\:`), and mean the same.
 */
export function compilePattern(pattern: string): Pattern {
  const { native, flags } = compileNative(pattern);
  const node = parsePattern(pattern);
  const work: Work = node === undefined ? { factor: Number.POSITIVE_INFINITY, degree: 1 } : workOf(node);
  let linear: LinearMatcher | null | undefined;
  const makeLinear = (): LinearMatcher | null => {
    const automaton = node === undefined ? undefined : buildAutomaton(node, flags);
    return automaton === undefined ? null : new LinearMatcher(automaton, flags === 'u');
  };
  if (!Number.isFinite(work.factor)) {
    linear = makeLinear();
    if (linear === null) throw new SlowPattern(pattern);
  }
  return {
    test(text) {
      const cost = steps(work, text.length);
      if (cost <= mostSteps) return native.test(text);
      linear ??= makeLinear();
      if (linear !== null) return linear.test(text);
      return cost <= mostStepsWithoutChoice && native.test(text);
    },
    toString: () => native.toString(),
  };
}

/** A pattern that could take exponential time, and that only a backtracking engine can match. */
export class SlowPattern {
  readonly pattern: string;

  constructor(pattern: string) {
    this.pattern = pattern;
  }
}

function compileNative(pattern: string): { native: RegExp; flags: '' | 'u' } {
  try {
    return { native: new RegExp(pattern, 'u'), flags: 'u' };
  } catch {
    return { native: new RegExp(pattern), flags: '' };
  }
}
