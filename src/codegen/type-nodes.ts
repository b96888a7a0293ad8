import type { Node, Program } from './backend.ts';

/** The type node of a list's items. */
export function itemNode(program: Program, list: Node | undefined): Node | undefined {
  const node = unwrapped(program, list);
  if (node?.kind === program.kinds.ArrayType) return node.elementType;
  return node?.kind === program.kinds.TypeReference ? node.typeArguments?.[0] : undefined;
}

/** The type node of one element of a tuple. */
export function elementNode(program: Program, tuple: Node | undefined, index: number): Node | undefined {
  const { kinds } = program;
  const node = unwrapped(program, tuple);
  const element = node?.kind === kinds.TupleType ? node.elements?.[index] : undefined;
  if (element?.kind === kinds.NamedTupleMember || element?.kind === kinds.OptionalType) return element.type;
  if (element?.kind === kinds.RestType) return itemNode(program, element.type);
  return element;
}

/** The type node of the values of a `Record`. */
export function valueNode(program: Program, record: Node | undefined): Node | undefined {
  const node = unwrapped(program, record);
  return node?.kind === program.kinds.TypeReference ? node.typeArguments?.[1] : undefined;
}

/** Looks through parentheses, `readonly` and the names of plain aliases. */
function unwrapped(program: Program, node: Node | undefined): Node | undefined {
  const { kinds } = program;
  for (let current = node, steps = 0; current && steps < 20; steps++) {
    if (current.kind === kinds.ParenthesizedType) current = current.type;
    else if (current.kind === kinds.TypeOperator && current.operator === kinds.ReadonlyKeyword) current = current.type;
    else {
      const alias = aliasOf(program, current);
      if (!alias) return current;
      current = alias;
    }
  }
  return undefined;
}

function aliasOf(program: Program, node: Node): Node | undefined {
  const { kinds } = program;
  if (node.kind !== kinds.TypeReference || node.typeArguments || !node.typeName) return undefined;
  const [declaration] = program.declarations(node.typeName);
  return declaration?.kind === kinds.TypeAliasDeclaration && !declaration.typeParameters ? declaration.type : undefined;
}
