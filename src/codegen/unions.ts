import type { Node, Program, Type, TypeFacts } from './backend.ts';

/** A member of a union, with the type node that named it, where there is one. */
export interface Member {
  readonly type: Type;
  readonly node: Node | undefined;
}

/**
 * The members of a union in the order of its declaration. Compilers keep them in an order of their own, each another one; the
 * source's order is the only one that all can agree on. What the source does not name comes last: members of an enum
 * as they are declared, the rest by value.
 */
export function orderedMembers(program: Program, type: Type, node: Node | undefined): readonly Member[] {
  const places = new Map<unknown, { readonly rank: number; readonly node: Node }>();
  const note: Note = (key, at) => {
    if (!places.has(key)) places.set(key, { rank: places.size, node: at });
  };
  const { alias } = program.facts(type);
  if (node) walk(program, node, note, new Set());
  if (alias?.type) walk(program, alias.type, note, new Set());
  return program
    .members(type)
    .map((member) => ({ type: member, ...(places.get(keyOf(program, member)) ?? places.get(nameOf(program, member))) }))
    .sort((one, other) => (one.rank ?? Infinity) - (other.rank ?? Infinity) || compareUnnamed(program, one, other))
    .map((member) => ({ type: member.type, node: member.node }));
}

type Note = (key: unknown, node: Node) => void;

function keyOf(program: Program, type: Type): unknown {
  const facts = program.facts(type);
  return facts.kind === 'literal' ? `${typeof facts.value}:${String(facts.value)}` : type;
}

/** Inside a generic type the source names `List<T>` where the union has `List<string>`. */
function nameOf(program: Program, type: Type): unknown {
  const { name } = program.facts(type);
  return name === undefined ? type : `name:${name}`;
}

/** Visits the types that a type node names, from left to right, through aliases, `keyof`, `typeof list[number]` and the like. */
function walk(program: Program, node: Node, note: Note, seen: Set<Node>): void {
  if (seen.has(node)) return;
  seen.add(node);
  const { kinds } = program;
  const visit = (child: Node): void => walk(program, child, note, seen);
  if (node.kind === kinds.UnionType) {
    node.types?.forEach(visit);
    return;
  }
  if (node.kind === kinds.ParenthesizedType) {
    if (node.type) visit(node.type);
    return;
  }
  const type = program.typeOf(node);
  const { kind } = program.facts(type);
  if (kind !== 'union' && kind !== 'boolean') {
    note(keyOf(program, type), node);
    note(nameOf(program, type), node);
    return;
  }
  if (node.kind === kinds.TypeReference && node.typeName) {
    for (const declaration of program.declarations(node.typeName)) {
      if (declaration.kind === kinds.TypeAliasDeclaration && declaration.type) visit(declaration.type);
    }
    node.typeArguments?.forEach(visit);
  }
  if (node.kind === kinds.IndexedAccessType && node.objectType) {
    const list = program.typeOf(node.objectType);
    if (program.facts(list).kind === 'tuple')
      for (const element of program.elements(list)) note(keyOf(program, element.type), node);
  }
  if (node.kind === kinds.TypeOperator && node.operator === kinds.KeyOfKeyword && node.type) {
    for (const property of program.properties(program.typeOf(node.type)).toSorted(byDeclaration)) {
      note(`string:${property.name}`, node);
    }
  }
  const rest = program.members(type).map((member) => ({ type: member, node }));
  for (const member of rest.sort((one, other) => compareUnnamed(program, one, other)))
    note(keyOf(program, member.type), node);
}

/** Whatever order the compiler gives, the declarations' own order comes out. */
export function byDeclaration(
  one: { readonly name: string; readonly declaration?: Node },
  other: { readonly name: string; readonly declaration?: Node },
): number {
  if (one.declaration && other.declaration) return byPlace(one.declaration, other.declaration);
  if (one.declaration || other.declaration) return one.declaration ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

function byPlace(one: Node, other: Node): number {
  const [first, second] = [one, other].map((node) => (node.getSourceFile() as { fileName?: string }).fileName ?? '');
  if (first !== second && first !== undefined && second !== undefined) return first < second ? -1 : 1;
  return one.pos - other.pos;
}

/** A total order that no compiler's own order shows through: members of enums, other literals, types with a place, the rest. */
function compareUnnamed(program: Program, one: { readonly type: Type }, other: { readonly type: Type }): number {
  const [left, right] = [program.facts(one.type), program.facts(other.type)];
  const group = groupOf(left) - groupOf(right);
  if (group !== 0) return group;
  if (left.declaration && right.declaration) return byPlace(left.declaration, right.declaration);
  if (typeof left.value === 'number' && typeof right.value === 'number') return left.value - right.value;
  const [a, b] = [left, right].map(({ kind, value, name }) => `${typeof value}:${kind}:${String(value ?? name ?? '')}`);
  return a === b || a === undefined || b === undefined ? 0 : a < b ? -1 : 1;
}

function groupOf(facts: TypeFacts): number {
  return (facts.kind === 'literal' ? 0 : 2) + (facts.declaration ? 0 : 1);
}
