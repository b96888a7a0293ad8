import type { Node, Program } from './backend.ts';

/** The value of an expression that is known without running it. */
export interface Constant {
  readonly value: unknown;
}

/**
 * Evaluates a default value: literals, arrays and objects of them, arithmetic on numbers, and names whose type is one
 * literal (a `const`, a member of an enum). Gives `undefined` for whatever would have to run.
 */
export function constantOf(program: Program, node: Node): Constant | undefined {
  const { kinds } = program;
  switch (node.kind) {
    case kinds.StringLiteral:
    case kinds.NoSubstitutionTemplateLiteral:
      return { value: node.text };
    case kinds.NumericLiteral:
      return { value: Number(node.text) };
    case kinds.TrueKeyword:
      return { value: true };
    case kinds.FalseKeyword:
      return { value: false };
    case kinds.NullKeyword:
      return { value: null };
    case kinds.ParenthesizedExpression:
    case kinds.AsExpression:
    case kinds.SatisfiesExpression:
      return node.expression && constantOf(program, node.expression);
    case kinds.PrefixUnaryExpression:
      return signed(program, node);
    case kinds.BinaryExpression:
      return arithmetic(program, node);
    case kinds.ArrayLiteralExpression:
      return listOf(program, node.elements ?? []);
    case kinds.ObjectLiteralExpression:
      return objectOf(program, node.properties ?? []);
    case kinds.Identifier:
    case kinds.PropertyAccessExpression:
      return named(program, node);
    default:
      return undefined;
  }
}

function signed(program: Program, node: Node): Constant | undefined {
  const operand = node.operand && constantOf(program, node.operand);
  if (typeof operand?.value !== 'number') return undefined;
  if (node.operator === program.kinds.MinusToken) return { value: -operand.value };
  return node.operator === program.kinds.PlusToken ? operand : undefined;
}

function arithmetic(program: Program, node: Node): Constant | undefined {
  const left = node.left && constantOf(program, node.left)?.value;
  const right = node.right && constantOf(program, node.right)?.value;
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  const { kinds } = program;
  const value = {
    [kinds.PlusToken]: left + right,
    [kinds.MinusToken]: left - right,
    [kinds.AsteriskToken]: left * right,
    [kinds.SlashToken]: left / right,
    [kinds.PercentToken]: left % right,
    [kinds.AsteriskAsteriskToken]: left ** right,
  }[node.operatorToken?.kind ?? -1];
  return value !== undefined && Number.isFinite(value) ? { value } : undefined;
}

function listOf(program: Program, nodes: readonly Node[]): Constant | undefined {
  const values = nodes.map((element) => constantOf(program, element));
  return values.every((element) => element !== undefined && element.value !== undefined)
    ? { value: values.map((element) => element?.value) }
    : undefined;
}

function objectOf(program: Program, nodes: readonly Node[]): Constant | undefined {
  const entries: [string, unknown][] = [];
  for (const property of nodes) {
    const { kinds } = program;
    const name = property.name?.kind === kinds.ComputedPropertyName ? undefined : property.name?.text;
    const value =
      property.kind === kinds.PropertyAssignment && property.initializer
        ? constantOf(program, property.initializer)
        : undefined;
    if (name === undefined || name === '__proto__' || !value) return undefined;
    if (value.value !== undefined) entries.push([name, value.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function named(program: Program, node: Node): Constant | undefined {
  if (node.text === 'undefined') return { value: undefined };
  const facts = program.facts(program.typeOf(node));
  return facts.kind === 'literal' ? { value: facts.value } : undefined;
}
