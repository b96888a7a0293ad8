import { basename, extname } from 'node:path';
import type { Kinds, Node, Program, Source } from './backend.ts';
import { type Doc, docOf } from './jsdoc.ts';
import type { Reporter } from './reporter.ts';

/** An exported function as it stands in a source file. */
export interface FunctionSource {
  readonly source: Source;
  /** The name it is exported by; `default` for the default export. */
  readonly exported: string;
  /** The name for people: the function's own, or the file's for a default export without one. */
  readonly name: string;
  /** The declaration, function expression or selected overload. */
  readonly node: Node;
  /** Where to point for what concerns the function as a whole. */
  readonly nameNode: Node;
  readonly doc: Doc;
  readonly overloaded: boolean;
}

interface Candidate {
  readonly exported: string;
  readonly name: string;
  readonly nodes: readonly Node[];
}

/** The exported functions and function-valued constants of a file, in their order; re-exports are not followed. */
export function functionsOf(program: Program, source: Source, tagged: boolean, reporter: Reporter): FunctionSource[] {
  const found: FunctionSource[] = [];
  for (const candidate of candidates(program.kinds, source)) {
    const selected = select(program.kinds, candidate, source, reporter);
    if (selected && (!tagged || isTagged(selected.doc))) found.push(selected);
  }
  return found.sort((one, other) => one.node.pos - other.node.pos);
}

const isTagged = (doc: Doc): boolean => doc.tags.some((tag) => tag.name === 'tool');

function candidates(kinds: Kinds, source: Source): Candidate[] {
  const locals = localFunctions(kinds, source);
  const found: Candidate[] = [];
  for (const [name, local] of locals) {
    const modifiers = local.statement.modifiers?.map((modifier) => modifier.kind) ?? [];
    if (!modifiers.includes(kinds.ExportKeyword)) continue;
    found.push({ exported: modifiers.includes(kinds.DefaultKeyword) ? 'default' : name, name, nodes: local.nodes });
  }
  for (const statement of source.statements) {
    if (statement.kind === kinds.ExportDeclaration && !statement.moduleSpecifier) {
      for (const specifier of statement.exportClause?.elements ?? []) {
        const local = locals.get((specifier.propertyName ?? specifier.name)?.text ?? '');
        const exported = specifier.name?.text;
        if (local && exported !== undefined) {
          found.push({ exported, name: exported === 'default' ? local.name : exported, nodes: local.nodes });
        }
      }
    }
    if (statement.kind === kinds.ExportAssignment && statement.expression) {
      const local = locals.get(statement.expression.text ?? '');
      const own = functionIn(kinds, statement.expression);
      if (local) found.push({ exported: 'default', name: local.name, nodes: local.nodes });
      else if (own) found.push({ exported: 'default', name: fileName(source), nodes: [own] });
    }
  }
  return found;
}

interface Local {
  readonly name: string;
  readonly statement: Node;
  readonly nodes: Node[];
}

/** Function declarations, with their overloads, and constants that hold a function, by name. */
function localFunctions(kinds: Kinds, source: Source): Map<string, Local> {
  const locals = new Map<string, Local>();
  for (const statement of source.statements) {
    if (statement.kind === kinds.FunctionDeclaration) {
      const name = statement.name?.text ?? fileName(source);
      const local = locals.get(name);
      if (local) local.nodes.push(statement);
      else locals.set(name, { name, statement, nodes: [statement] });
    }
    for (const declaration of statement.declarationList?.declarations ?? []) {
      const node = declaration.initializer && functionIn(kinds, declaration.initializer);
      const name = declaration.name?.text;
      if (node && name !== undefined) locals.set(name, { name, statement, nodes: [node] });
    }
  }
  return locals;
}

function functionIn(kinds: Kinds, expression: Node): Node | undefined {
  const { kind } = expression;
  if (kind === kinds.ArrowFunction || kind === kinds.FunctionExpression) return expression;
  const wraps = [kinds.ParenthesizedExpression, kinds.AsExpression, kinds.SatisfiesExpression].includes(kind);
  return wraps && expression.expression ? functionIn(kinds, expression.expression) : undefined;
}

const fileName = (source: Source): string => basename(source.fileName, extname(source.fileName));

/** Chooses among overloads: the one with `@tool`. The implementation's own signature is nobody's to call. */
function select(kinds: Kinds, candidate: Candidate, source: Source, reporter: Reporter): FunctionSource | undefined {
  const { exported, name, nodes } = candidate;
  const [first] = nodes;
  if (!first) return undefined;
  const described = nodes.map((node) => ({ node, doc: docOf(statementOf(kinds, node), source) }));
  const tagged = described.filter(({ doc }) => isTagged(doc));
  const overloaded = nodes.length > 1;
  const chosen = overloaded ? tagged[0] : described[0];
  if (!chosen || (overloaded && (tagged.length !== 1 || chosen.node.body))) {
    const label = `function \`${name}\``;
    const found = tagged.length > 1 ? `${tagged.length} of its overloads have @tool` : 'it has overloads';
    const advice = 'Put @tool into the documentation of the one signature that the tool shall have.';
    reporter.at({ label, node: nodes[1]?.name ?? first }, `${found}. ${advice}`);
    return undefined;
  }
  const { node, doc } = chosen;
  const nameNode = node.name ?? (node.parent.kind === kinds.VariableDeclaration ? node.parent.name : undefined) ?? node;
  return { source, exported, name, node, nameNode, doc, overloaded };
}

/** The documentation of a constant stands before its whole statement. */
function statementOf(kinds: Kinds, node: Node): Node {
  if (node.kind === kinds.FunctionDeclaration) return node;
  for (let current = node.parent; current; current = current.parent) {
    if (current.kind === kinds.VariableStatement || current.kind === kinds.ExportAssignment) return current;
  }
  return node;
}
