import type * as ts from 'typescript';
import {
  type Backend,
  type Element,
  kindsFrom,
  mayImportTs,
  type Node,
  type Program,
  type Property,
  type Source,
  type Type,
  type TypeFacts,
} from './backend.ts';
import { elementMode, type FlagTable, kindReader } from './flags.ts';
import { type Project, stampOf } from './project.ts';

/** The JavaScript API of TypeScript 5.9 and 6. `compiler` is the imported module. */
export function classicBackend(compiler: unknown, project: Project): Backend {
  const api = compiler as typeof ts;
  const parsed = api.parseJsonConfigFileContent(project.config, api.sys, project.folder, {}, project.configFile);
  const host = cachingHost(api, api.createCompilerHost(parsed.options, true));
  let last: ts.Program | undefined;
  return {
    version: api.version,
    program() {
      last = api.createProgram({
        rootNames: [...project.entries],
        options: parsed.options,
        host,
        ...(last && { oldProgram: last }),
      });
      return classicProgram(api, last);
    },
    close() {
      last = undefined;
    },
  };
}

/** Parses a file again only when it has changed on disk; with the old program this makes a second run cheap. */
function cachingHost(api: typeof ts, host: ts.CompilerHost): ts.CompilerHost {
  const cache = new Map<string, { readonly stamp: string; readonly source: ts.SourceFile | undefined }>();
  const parse = host.getSourceFile;
  host.getSourceFile = (fileName, options, ...rest) => {
    const settled = cache.get(fileName);
    const stamp = fileName.includes('/node_modules/') && settled ? settled.stamp : stampOf(fileName);
    if (settled?.stamp === stamp) return settled.source;
    const source = parse(fileName, options, ...rest);
    // The builder compares versions where a plain program compares identities; both must change with the text.
    if (source) (source as { version?: string }).version = api.sys.createHash?.(source.text) ?? source.text;
    cache.set(fileName, { stamp, source });
    return source;
  };
  return host;
}

function classicProgram(api: typeof ts, program: ts.Program): Program {
  const checker = program.getTypeChecker();
  const kindOf = kindReader(api.TypeFlags as unknown as FlagTable);
  const isLibrary = (node: ts.Node): boolean => program.isSourceFileDefaultLibrary(node.getSourceFile());
  const own = (node: ts.Node | undefined): ts.Node | undefined => (node && !isLibrary(node) ? node : undefined);

  function facts(type: ts.Type): TypeFacts {
    const kind = checker.isTupleType(type) ? 'tuple' : checker.isArrayType(type) ? 'array' : kindOf(type.flags);
    const symbol = type.getSymbol();
    const declaration = own(symbol?.declarations?.[0]);
    const alias = own(type.aliasSymbol?.declarations?.[0]);
    const name = type.aliasSymbol?.name ?? (symbol?.name.startsWith('__') ? undefined : symbol?.name);
    const instance = instanceOf(symbol);
    return {
      kind,
      ...(kind === 'literal' && { value: literalOf(type) }),
      ...(kind === 'template' && { texts: (type as ts.TemplateLiteralType).texts }),
      ...(name !== undefined && { name }),
      ...(alias && { alias: asNode(alias) }),
      ...(declaration && { declaration: asNode(declaration) }),
      ...(kind === 'object' && { callable: isCallable(type) }),
      ...(instance && { instance }),
    };
  }

  function instanceOf(symbol: ts.Symbol | undefined): TypeFacts['instance'] {
    const declaration = symbol?.declarations?.[0];
    if (!symbol || !declaration) return undefined;
    if (symbol.flags & api.SymbolFlags.Interface && isLibrary(declaration)) return 'library';
    return symbol.flags & api.SymbolFlags.Class ? 'class' : undefined;
  }

  function literalOf(type: ts.Type): string | number | boolean {
    if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
    return checker.typeToString(type) === 'true';
  }

  function isCallable(type: ts.Type): boolean {
    return type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;
  }

  function property(symbol: ts.Symbol): Property {
    const declaration = own(symbol.declarations?.[0]);
    return {
      name: symbol.name,
      optional: (symbol.flags & api.SymbolFlags.Optional) !== 0,
      type: asType(checker.getTypeOfSymbol(symbol)),
      ...(declaration && { declaration: asNode(declaration) }),
    };
  }

  function elements(type: ts.Type): readonly Element[] {
    const reference = type as ts.TypeReference;
    const modes = checker.isTupleType(type) ? (reference.target as ts.TupleType).elementFlags : [api.ElementFlags.Rest];
    return checker.getTypeArguments(reference).map((argument, index) => ({
      type: asType(argument),
      mode: elementMode(modes[index] ?? 0, api.ElementFlags),
    }));
  }

  return {
    kinds: kindsFrom(api.SyntaxKind as unknown as Record<string, unknown>),
    importsTs: mayImportTs(program.getCompilerOptions()),
    source: (file) => program.getSourceFile(file) as unknown as Source | undefined,
    files: () =>
      program
        .getSourceFiles()
        .map((source) => source.fileName)
        .filter((file) => !file.includes('/node_modules/')),
    syntaxErrors: (file) =>
      program.getSyntacticDiagnostics(program.getSourceFile(file)).map((diagnostic) => ({
        position: diagnostic.start,
        message: api.flattenDiagnosticMessageText(diagnostic.messageText, ' '),
      })),
    typeOf: (node) => asType(checker.getTypeAtLocation(fromNode(node))),
    facts: (type) => facts(fromType(type)),
    members: (type) => (fromType(type) as ts.UnionOrIntersectionType).types.map(asType),
    properties: (type) => checker.getPropertiesOfType(fromType(type)).map(property),
    indexes: (type) =>
      checker
        .getIndexInfosOfType(fromType(type))
        .map((info) => ({ key: asType(info.keyType), value: asType(info.type) })),
    elements: (type) => elements(fromType(type)),
    constraint(type) {
      const constraint = checker.getBaseConstraintOfType(fromType(type));
      return constraint && asType(constraint);
    },
    declarations(name) {
      const symbol = checker.getSymbolAtLocation(fromNode(name));
      if (!symbol) return [];
      const target = symbol.flags & api.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return (target.declarations ?? []).filter((node) => !isLibrary(node)).map(asNode);
    },
  };
}

const asNode = (node: ts.Node): Node => node as unknown as Node;
const asType = (type: ts.Type): Type => type as unknown as Type;
const fromNode = (node: Node): ts.Node => node as unknown as ts.Node;
const fromType = (type: Type): ts.Type => type as unknown as ts.Type;
