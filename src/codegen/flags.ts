import type { Element, TypeKind } from './backend.ts';

/** A compiler's table of type flags: the names are the same everywhere, the numbers are not. */
export type FlagTable = { readonly [name: string]: number | string };

/** The order matters: an enum type carries the flag of its members beside that of the union. */
const kindByFlag: readonly (readonly [flag: string, kind: TypeKind])[] = [
  ['Any', 'any'],
  ['Unknown', 'unknown'],
  ['Boolean', 'boolean'],
  ['Union', 'union'],
  ['Intersection', 'intersection'],
  ['StringLiteral', 'literal'],
  ['NumberLiteral', 'literal'],
  ['BooleanLiteral', 'literal'],
  ['BigIntLiteral', 'bigint'],
  ['TemplateLiteral', 'template'],
  ['String', 'string'],
  ['StringMapping', 'string'],
  ['Number', 'number'],
  ['Enum', 'number'],
  ['BigInt', 'bigint'],
  ['ESSymbol', 'symbol'],
  ['UniqueESSymbol', 'symbol'],
  ['Undefined', 'undefined'],
  ['Void', 'undefined'],
  ['Null', 'null'],
  ['Never', 'never'],
  ['TypeParameter', 'parameter'],
  ['NonPrimitive', 'anyObject'],
  ['Object', 'object'],
];

/** Tells the kind of a type by its flags; what needs instantiation first (`keyof T`, conditional types) is `deferred`. */
export function kindReader(table: FlagTable): (flags: number) => TypeKind {
  const rows = kindByFlag.map(([flag, kind]) => [Number(table[flag]), kind] as const);
  return (flags) => rows.find(([bit]) => (flags & bit) !== 0)?.[1] ?? 'deferred';
}

/** The mode of a tuple's element by its flags. */
export function elementMode(
  flags: number,
  table: { readonly Required: number; readonly Optional: number },
): Element['mode'] {
  if (flags & table.Required) return 'required';
  return flags & table.Optional ? 'optional' : 'rest';
}
