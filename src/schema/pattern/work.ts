import type { Node } from './syntax.ts';

/** How hard a backtracking engine may have to work: `factor * length ** degree` steps at worst. */
export interface Work {
  readonly factor: number;
  readonly degree: number;
}

/** Estimates, from above, the steps that backtracking takes on a text that does not match; infinite for exponential. */
export function workOf(node: Node): Work {
  const { factor, degree } = measure(node);
  // Without an anchor the whole is tried again from every place of the text.
  return isAnchored(node) ? { factor, degree } : { factor, degree: degree + 1 };
}

export function steps({ factor, degree }: Work, length: number): number {
  return factor * Math.max(1, length) ** degree;
}

function measure(node: Node): Work {
  switch (node.kind) {
    case 'character':
    case 'start':
    case 'end':
      return { factor: 1, degree: 0 };
    case 'sequence':
      return node.parts.map(measure).reduce(multiply, { factor: 1, degree: 0 });
    case 'choice':
      return node.branches.map(measure).reduce(add);
    case 'beyond':
      return measure(node.part);
    case 'repeat': {
      const inner = measure(node.part);
      const ways = node.most - node.least + 1;
      const outer = Number.isFinite(ways) ? { factor: ways, degree: 0 } : { factor: 1, degree: 1 };
      if (node.most <= 1) return add(inner, { factor: 1, degree: 0 });
      // What can match in more than one way, over and over, has ways without number.
      const isCertain = inner.factor === 1 && inner.degree === 0;
      return isCertain ? outer : { factor: Number.POSITIVE_INFINITY, degree: 1 };
    }
  }
}

function multiply(one: Work, other: Work): Work {
  return { factor: one.factor * other.factor, degree: one.degree + other.degree };
}

function add(one: Work, other: Work): Work {
  return { factor: one.factor + other.factor, degree: Math.max(one.degree, other.degree) };
}

function isAnchored(node: Node): boolean {
  if (node.kind === 'start') return true;
  if (node.kind === 'sequence') return node.parts[0] !== undefined && isAnchored(node.parts[0]);
  return node.kind === 'choice' && node.branches.every(isAnchored);
}
