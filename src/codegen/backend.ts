/**
 * The seam between the generator and a TypeScript compiler. Two files stand behind it: `classic.ts` for the JavaScript
 * API (TypeScript 5.9 and 6) and `native.ts` for the API of the Go compiler (TypeScript 7). Everything that decides what is
 * written lives on this side of the seam, so that every compiler gives the same bytes.
 */

/** A compiler with the entry files loaded. Calling `program` again picks up what changed on disk. */
export interface Backend {
  /** The compiler's version, such as `6.0.3`. */
  readonly version: string;
  program(): Program;
  /** Ends what the compiler runs in the background. */
  close(): void;
}

/** Whether imports may end in `.ts` under these settings. */
export function mayImportTs(settings: {
  readonly allowImportingTsExtensions?: unknown;
  readonly rewriteRelativeImportExtensions?: unknown;
}): boolean {
  return settings.allowImportingTsExtensions === true || settings.rewriteRelativeImportExtensions === true;
}

/** The questions the generator asks. Nodes are the compiler's own; types are opaque and compared by identity. */
export interface Program {
  readonly kinds: Kinds;
  /** Whether the project's settings let an import end in `.ts`. */
  readonly importsTs: boolean;
  source(file: string): Source | undefined;
  /** The source files that are not a library's: what a watcher must look at. */
  files(): readonly string[];
  syntaxErrors(file: string): readonly { readonly position: number; readonly message: string }[];
  /** The type of a declaration, an expression or a type node. */
  typeOf(node: Node): Type;
  facts(type: Type): TypeFacts;
  /** The members of a union or intersection, the types inside a template; in no particular order. */
  members(type: Type): readonly Type[];
  /** In no particular order. */
  properties(type: Type): readonly Property[];
  indexes(type: Type): readonly { readonly key: Type; readonly value: Type }[];
  /** The elements of an array (one, rest) or a tuple. */
  elements(type: Type): readonly Element[];
  /** What a type that is not known yet must at least be: the constraint of a type parameter. */
  constraint(type: Type): Type | undefined;
  /** Where a name is declared, imports followed. */
  declarations(name: Node): readonly Node[];
}

declare const type: unique symbol;
/** A compiler's type. */
export interface Type {
  readonly [type]?: never;
}

export type TypeKind =
  | 'any'
  | 'unknown'
  | 'string'
  | 'number'
  | 'boolean'
  | 'bigint'
  | 'symbol'
  | 'null'
  | 'undefined'
  | 'never'
  | 'literal'
  | 'template'
  | 'union'
  | 'intersection'
  | 'parameter'
  | 'array'
  | 'tuple'
  | 'object'
  | 'anyObject'
  | 'deferred';

export interface TypeFacts {
  readonly kind: TypeKind;
  /** The value of a literal. */
  readonly value?: string | number | boolean;
  /** The text between the types of a template; one more than there are types. */
  readonly texts?: readonly string[];
  /** The alias, else the symbol, as far as it has a name. */
  readonly name?: string;
  /** The declaration of the alias, whose type node gives the order of a union. */
  readonly alias?: Node;
  /** Where it is declared; for an enum member, what gives its place among its fellows. */
  readonly declaration?: Node;
  /** Can be called or constructed. */
  readonly callable?: boolean;
  /** An instance of a class, or an interface of the standard library such as `Date` or `Map`. */
  readonly instance?: 'class' | 'library';
}

export interface Property {
  readonly name: string;
  readonly optional: boolean;
  readonly type: Type;
  /** Absent for what a mapped type made up. */
  readonly declaration?: Node;
}

export interface Element {
  readonly type: Type;
  readonly mode: 'required' | 'optional' | 'rest';
}

/** A syntax node: the fields that both compilers give the same name, each present on some kinds only. */
export interface Node {
  readonly kind: number;
  readonly pos: number;
  readonly end: number;
  readonly parent: Node;
  getStart(source?: Node): number;
  getSourceFile(): Node;
  forEachChild(visit: (child: Node) => void): void;
  readonly name?: Node;
  readonly text?: string;
  readonly type?: Node;
  readonly typeName?: Node;
  readonly typeArguments?: readonly Node[];
  readonly typeParameters?: readonly Node[];
  readonly constraint?: Node;
  readonly elementType?: Node;
  readonly objectType?: Node;
  readonly types?: readonly Node[];
  readonly elements?: readonly Node[];
  readonly properties?: readonly Node[];
  readonly members?: readonly Node[];
  readonly literal?: Node;
  readonly operator?: number;
  readonly operatorToken?: Node;
  readonly operand?: Node;
  readonly left?: Node;
  readonly right?: Node;
  readonly expression?: Node;
  readonly initializer?: Node;
  readonly propertyName?: Node;
  readonly parameters?: readonly Node[];
  readonly questionToken?: Node;
  readonly dotDotDotToken?: Node;
  readonly modifiers?: readonly Node[];
  readonly statements?: readonly Node[];
  readonly declarationList?: Node;
  readonly declarations?: readonly Node[];
  readonly exportClause?: Node;
  readonly moduleSpecifier?: Node;
  readonly body?: Node;
  readonly head?: Node;
}

export interface Source extends Node {
  readonly text: string;
  readonly fileName: string;
  readonly statements: readonly Node[];
}

const kindNames = [
  'ArrayLiteralExpression',
  'ArrayType',
  'ArrowFunction',
  'AsExpression',
  'AsteriskAsteriskToken',
  'AsteriskToken',
  'BinaryExpression',
  'ComputedPropertyName',
  'DefaultKeyword',
  'EnumDeclaration',
  'EnumMember',
  'ExportAssignment',
  'ExportDeclaration',
  'ExportKeyword',
  'FalseKeyword',
  'FunctionDeclaration',
  'FunctionExpression',
  'Identifier',
  'ImportSpecifier',
  'IndexedAccessType',
  'KeyOfKeyword',
  'LiteralType',
  'MinusToken',
  'NamedTupleMember',
  'NoSubstitutionTemplateLiteral',
  'NullKeyword',
  'NumericLiteral',
  'ObjectBindingPattern',
  'ObjectLiteralExpression',
  'OptionalType',
  'ParenthesizedExpression',
  'ParenthesizedType',
  'PercentToken',
  'PlusToken',
  'PrefixUnaryExpression',
  'PropertyAccessExpression',
  'PropertyAssignment',
  'ReadonlyKeyword',
  'RestType',
  'SatisfiesExpression',
  'SlashToken',
  'StringLiteral',
  'TrueKeyword',
  'TupleType',
  'TypeAliasDeclaration',
  'TypeOperator',
  'TypeReference',
  'UnionType',
  'VariableDeclaration',
  'VariableStatement',
] as const;

/** The numbers a compiler gives to the kinds of nodes; they differ between compilers. */
export type Kinds = { readonly [name in (typeof kindNames)[number]]: number };

/** Picks our kinds out of a compiler's enum. */
export function kindsFrom(enumeration: { readonly [name: string]: unknown }): Kinds {
  return Object.fromEntries(kindNames.map((name) => [name, enumeration[name]])) as unknown as Kinds;
}
