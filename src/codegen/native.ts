import type * as sync from 'typescript7/unstable/sync';
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

type Api = typeof sync;
type Syntax = { readonly SyntaxKind: Record<string, unknown> };

/**
 * The synchronous API of TypeScript 7: a compiler in a process of its own, asked over a pipe.
 * `compiler` is its `sync` module, `syntax` its `ast` module.
 */
export function nativeBackend(compiler: unknown, syntax: unknown, version: string, project: Project): Backend {
  const api = compiler as Api;
  const config = JSON.stringify(project.config);
  const session = new api.API({
    cwd: project.folder,
    fs: {
      readFile: (file) => (file === project.configFile ? config : undefined),
      fileExists: (file) => (file === project.configFile ? true : undefined),
    },
  });
  const stamps = new Map<string, string>();
  let snapshot: sync.Snapshot | undefined;
  return {
    version,
    program() {
      const previous = snapshot;
      snapshot = session.updateSnapshot(
        previous ? { fileChanges: changesSince(stamps) } : { openProjects: [project.configFile] },
      );
      previous?.dispose();
      const opened = snapshot.getProject(project.configFile);
      if (!opened) throw new Error('TypeScript did not open the project it was given.');
      const program = nativeProgram(api, syntax as Syntax, opened);
      for (const file of program.files()) stamps.set(file, stampOf(file));
      return program;
    },
    close() {
      snapshot?.dispose();
      killQuietly(session);
      session.close();
    },
  };
}

/** Without a change to a file that is known, something else must have changed: a file that was missing before. */
function changesSince(stamps: Map<string, string>): FileChanges {
  const changed: string[] = [];
  const deleted: string[] = [];
  for (const [file, stamp] of stamps) {
    const now = stampOf(file);
    if (now === 'absent') deleted.push(file);
    else if (now !== stamp) changed.push(file);
  }
  if (changed.length === 0 && deleted.length === 0) return { invalidateAll: true };
  return { changed, deleted };
}

/** Asked to end politely, the compiler may print that it was cancelled; it has nothing to save. */
function killQuietly(session: object): void {
  const { client } = session as { client?: { channel?: { child?: { kill?(signal: 'SIGKILL'): void } } } };
  client?.channel?.child?.kill?.('SIGKILL');
}

type FileChanges = { changed: string[]; deleted: string[] } | { invalidateAll: true };

function nativeProgram(api: Api, syntax: Syntax, project: sync.Project): Program {
  const { checker, program } = project;
  const kindOf = kindReader(api.TypeFlags as unknown as FlagTable);
  const isLibrary = (handle: sync.NodeHandle): boolean =>
    program.getSourceFileMetadataByPath(handle.path)?.isDefaultLibrary ?? false;

  /** The library's files are large; their nodes are of no use and are not fetched. */
  function nodeOf(handle: sync.NodeHandle | undefined): Node | undefined {
    if (!handle || isLibrary(handle)) return undefined;
    return handle.resolve(project) as unknown as Node | undefined;
  }

  function facts(type: sync.Type): TypeFacts {
    const kind = checker.isTupleType(type) ? 'tuple' : checker.isArrayType(type) ? 'array' : kindOf(type.flags);
    const symbol = type.getSymbol();
    const declaration = nodeOf(symbol?.declarations[0]);
    const aliasSymbol = type.getAliasSymbol();
    const alias = nodeOf(aliasSymbol?.declarations[0]);
    const name = aliasSymbol?.name ?? (symbol?.escapedName.startsWith('__') ? undefined : symbol?.name);
    const instance = instanceOf(symbol);
    return {
      kind,
      ...(kind === 'literal' && { value: (type as sync.LiteralType).value as string | number | boolean }),
      ...(kind === 'template' && { texts: (type as sync.TemplateLiteralType).texts }),
      ...(name !== undefined && { name }),
      ...(alias && { alias }),
      ...(declaration && { declaration }),
      ...(kind === 'object' && { callable: isCallable(type) }),
      ...(instance && { instance }),
    };
  }

  function instanceOf(symbol: sync.Symbol | undefined): TypeFacts['instance'] {
    const handle = symbol?.declarations[0];
    if (!symbol || !handle) return undefined;
    if (symbol.flags & api.SymbolFlags.Interface && isLibrary(handle)) return 'library';
    return symbol.flags & api.SymbolFlags.Class ? 'class' : undefined;
  }

  function isCallable(type: sync.Type): boolean {
    const { Call, Construct } = api.SignatureKind;
    return [Call, Construct].some((kind) => checker.getSignaturesOfType(type, kind).length > 0);
  }

  function property(symbol: sync.Symbol): Property {
    const declaration = nodeOf(symbol.declarations[0]);
    return {
      name: symbol.name,
      optional: (symbol.flags & api.SymbolFlags.Optional) !== 0,
      type: asType(checker.getTypeOfSymbol(symbol)),
      ...(declaration && { declaration }),
    };
  }

  function elements(type: sync.Type): readonly Element[] {
    const reference = type as sync.TypeReference;
    const modes = checker.isTupleType(type)
      ? (reference.getTarget() as sync.TupleType).elementFlags
      : [api.ElementFlags.Rest];
    return checker.getTypeArguments(reference).map((argument, index) => ({
      type: asType(argument),
      mode: elementMode(modes[index] ?? 0, api.ElementFlags),
    }));
  }

  return {
    kinds: kindsFrom(syntax.SyntaxKind),
    importsTs: mayImportTs(project.compilerOptions),
    source: (file) => program.getSourceFile(file) as unknown as Source | undefined,
    files: () => program.getSourceFileNames().filter((file) => !/\/node_modules\/|^bundled:/.test(file)),
    syntaxErrors: (file) =>
      program
        .getSyntacticDiagnostics(file)
        .map((diagnostic) => ({ position: diagnostic.pos, message: diagnostic.text })),
    typeOf: (node) => asType(checker.getTypeAtLocation(fromNode(node))),
    facts: (type) => facts(fromType(type)),
    members: (type) => ((fromType(type) as sync.UnionType).getTypes() ?? []).map(asType),
    properties: (type) => checker.getPropertiesOfType(fromType(type)).map(property),
    indexes: (type) =>
      checker
        .getIndexInfosOfType(fromType(type))
        .map((info) => ({ key: asType(info.keyType), value: asType(info.valueType) })),
    elements: (type) => elements(fromType(type)),
    constraint(type) {
      const constraint = checker.getBaseConstraintOfType(fromType(type));
      return constraint && asType(constraint);
    },
    declarations(name) {
      const symbol = checker.getSymbolAtLocation(fromNode(name));
      if (!symbol) return [];
      const target = symbol.flags & api.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return target.declarations.map(nodeOf).filter((node) => node !== undefined);
    },
  };
}

const asType = (type: sync.Type | undefined): Type => type as unknown as Type;
// Both of the checker's overloads take a node; `never` fits either.
const fromNode = (node: Node): never => node as never;
const fromType = (type: Type): sync.Type => type as unknown as sync.Type;
