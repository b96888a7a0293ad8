import type { Node, Source } from './backend.ts';
import type { Problem } from './problems.ts';
import { shown } from './project.ts';

/** Where a value stands: what it is called in messages, and the node to point at. */
export interface Place {
  /** Such as: parameter `options.limit`. */
  readonly label: string;
  readonly node: Node;
}

/** Collects what is wrong, so that one run shows all of it. */
export interface Reporter {
  readonly problems: Problem[];
  at(place: Place, message: string): void;
  atPosition(source: Source, position: number, message: string): void;
}

export function createReporter(cwd: string): Reporter {
  const problems: Problem[] = [];
  function atPosition(source: Source, position: number, message: string): void {
    const before = source.text.slice(0, position).split('\n');
    const problem = {
      file: shown(cwd, source.fileName),
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
      message,
    };
    const same = (known: Problem): boolean =>
      known.line === problem.line && known.file === problem.file && known.message === message;
    if (!problems.some(same)) problems.push(problem);
  }
  return {
    problems,
    atPosition,
    at(place, message) {
      const source = place.node.getSourceFile() as Source;
      atPosition(source, place.node.getStart(source), `${place.label}: ${message}`);
    },
  };
}

/** A place inside another one. */
export function within(place: Place, step: string, node: Node | undefined): Place {
  const label = place.label.replace(/`$/, `${step}\``);
  return { label, node: node && isOwn(node) ? node : place.node };
}

// What stands in a package cannot be changed by the reader; point at the use of it instead.
const isOwn = (node: Node): boolean => !(node.getSourceFile() as Source).fileName.includes('/node_modules/');
