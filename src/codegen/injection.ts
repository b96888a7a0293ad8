import type { Node, Program, Source, Type } from './backend.ts';

/** What the router gives to a function itself, instead of the model. */
export type Injection = 'context' | 'signal';

// No JSON value has these, and nobody names four fields like this by accident.
const contextFields: readonly string[] = ['signal', 'call', 'idempotencyKey', 'progress'];

/**
 * Tells the tool context and an AbortSignal from data. `node` is the type as written, for a project in which the type
 * cannot be found yet, such as one where callgate is not installed.
 */
export function injectionOf(program: Program, type: Type, node?: Node): Injection | undefined {
  const facts = program.facts(type);
  if (facts.kind === 'any') return node && byName(node);
  if (facts.kind === 'union') {
    const present = program.members(type).filter((member) => program.facts(member).kind !== 'undefined');
    return present.length === 1 && present[0] ? injectionOf(program, present[0], node) : undefined;
  }
  if (facts.kind !== 'object' && facts.kind !== 'intersection') return undefined;
  if (facts.name === 'AbortSignal') return 'signal';
  const names = new Set(program.properties(type).map((property) => property.name));
  return contextFields.every((field) => names.has(field)) ? 'context' : undefined;
}

function byName(node: Node): Injection | undefined {
  const written = (node.getSourceFile() as Source).text.slice(node.getStart(node.getSourceFile()), node.end);
  if (/^ToolContext\b/.test(written)) return 'context';
  return written === 'AbortSignal' ? 'signal' : undefined;
}
