import type { Automaton } from './automaton.ts';

/** Sets of states that are kept; then all are forgotten and built again as needed. */
const mostKept = 1_000;

/** A set of states that the automaton can be in, and where each character leads from there. */
interface Step {
  readonly states: readonly number[];
  /** A match ends here, whatever follows. */
  readonly matches: boolean;
  /** A match ends here if the text does. */
  readonly matchesAtEnd: boolean;
  readonly next: Map<number, Step>;
}

/**
 * Tells whether a text contains a match, in time proportional to its length: it follows all ways through the automaton at
 * once, and remembers sets of states it has been in.
 */
export class LinearMatcher {
  readonly #automaton: Automaton;
  readonly #isUnicode: boolean;
  readonly #kept = new Map<string, Step>();
  #first: Step;

  constructor(automaton: Automaton, isUnicode: boolean) {
    this.#automaton = automaton;
    this.#isUnicode = isUnicode;
    this.#first = this.#step([automaton.start], true);
  }

  test(text: string): boolean {
    let step = this.#first;
    for (let at = 0; at < text.length; at++) {
      if (step.matches) return true;
      const code = this.#isUnicode ? (text.codePointAt(at) as number) : text.charCodeAt(at);
      if (code > 0xffff) at++;
      step = step.next.get(code) ?? this.#advance(step, code);
    }
    return step.matches || step.matchesAtEnd;
  }

  #advance(step: Step, code: number): Step {
    const character = String.fromCodePoint(code);
    const reached: number[] = [];
    for (const at of step.states) {
      const state = this.#automaton.states[at];
      if (state?.kind === 'read' && state.accepts.test(character)) reached.push(state.to);
    }
    // A match may begin at every character.
    reached.push(this.#automaton.start);
    const next = this.#step(reached, false);
    if (step.next.size < mostKept) step.next.set(code, next);
    return next;
  }

  #step(from: readonly number[], atStart: boolean): Step {
    const inside = this.#closure(from, atStart, false);
    const states = [...inside].sort((one, other) => one - other);
    const name = `${atStart}:${states.join()}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    if (this.#kept.size >= mostKept) {
      for (const old of this.#kept.values()) old.next.clear();
      this.#kept.clear();
    }
    const step: Step = {
      states,
      matches: this.#hasMatch(inside),
      matchesAtEnd: this.#hasMatch(this.#closure(from, atStart, true)),
      next: new Map(),
    };
    this.#kept.set(name, step);
    return step;
  }

  #closure(from: readonly number[], atStart: boolean, atEnd: boolean): Set<number> {
    const reached = new Set<number>();
    const waiting = [...from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (reached.has(at)) continue;
      reached.add(at);
      const state = this.#automaton.states[at];
      if (state?.kind === 'split') waiting.push(...state.to);
      else if (state?.kind === 'assert' && (state.at === 'start' ? atStart : atEnd)) waiting.push(state.to);
    }
    return reached;
  }

  #hasMatch(states: ReadonlySet<number>): boolean {
    for (const at of states) if (this.#automaton.states[at]?.kind === 'match') return true;
    return false;
  }
}
