import type { Node } from './syntax.ts';

/** More states than any pattern that people write; `(a{1,500}){1,500}` is to be refused, not built. */
const mostStates = 4_000;

/** A nondeterministic automaton: states are numbers, and every state is one of the four forms. */
type State =
  | { readonly kind: 'match' }
  | { readonly kind: 'split'; to: number[] }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end'; to: number }
  | { readonly kind: 'read'; readonly accepts: RegExp; to: number };

export interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
}

/** Builds the automaton of a pattern (Thompson's construction); `undefined` for what none of this size can match. */
export function buildAutomaton(node: Node, flags: string): Automaton | undefined {
  const builder = new Builder(flags);
  const end = builder.add({ kind: 'match' });
  const start = builder.build(node, end);
  return start === undefined ? undefined : { states: builder.states, start };
}

class Builder {
  readonly states: State[] = [];
  readonly #flags: string;
  readonly #readers = new Map<string, RegExp>();

  constructor(flags: string) {
    this.#flags = flags;
  }

  add(state: State): number {
    return this.states.push(state) - 1;
  }

  /** Builds from the end to the front: gives the state that matches `node` and goes on to `next`. */
  build(node: Node, next: number): number | undefined {
    if (this.states.length > mostStates) return undefined;
    switch (node.kind) {
      case 'character':
        return this.add({ kind: 'read', accepts: this.#reader(node.source), to: next });
      case 'start':
      case 'end':
        return this.add({ kind: 'assert', at: node.kind, to: next });
      case 'sequence': {
        let state: number | undefined = next;
        for (const part of node.parts.toReversed()) {
          if (state === undefined) return undefined;
          state = this.build(part, state);
        }
        return state;
      }
      case 'choice': {
        const to: number[] = [];
        for (const branch of node.branches) {
          const state = this.build(branch, next);
          if (state === undefined) return undefined;
          to.push(state);
        }
        return this.add({ kind: 'split', to });
      }
      case 'repeat':
        return this.#repeat(node.part, node.least, node.most, next);
      case 'beyond':
        return undefined;
    }
  }

  #repeat(part: Node, least: number, most: number, next: number): number | undefined {
    if (least > mostStates || (Number.isFinite(most) && most > mostStates)) return undefined;
    let state: number | undefined = next;
    if (Number.isFinite(most)) {
      for (let count = least; count < most && state !== undefined; count++) {
        const once = this.build(part, state);
        state = once === undefined ? undefined : this.add({ kind: 'split', to: [once, next] });
      }
    } else {
      const loop: State = { kind: 'split', to: [next] };
      state = this.add(loop);
      const again = this.build(part, state);
      if (again === undefined) return undefined;
      loop.to.push(again);
    }
    for (let count = 0; count < least && state !== undefined; count++) state = this.build(part, state);
    return state;
  }

  /** One character is matched by the platform itself, so that classes and escapes mean what they always mean. */
  #reader(source: string): RegExp {
    let reader = this.#readers.get(source);
    if (reader === undefined) {
      reader = new RegExp(`^${source}$`, this.#flags);
      this.#readers.set(source, reader);
    }
    return reader;
  }
}
