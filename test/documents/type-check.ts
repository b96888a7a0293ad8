import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { project } from './markdown.ts';
import type { Snippet } from './snippets.ts';

const prelude = join(project, 'test/fixtures/names-in-documents.ts');

/** A snippet as a module of a program that exists in memory only. */
interface Module {
  readonly path: string;
  readonly snippet: Snippet;
  readonly source: ts.SourceFile;
  /** What it declares or imports, and whether that is a type only. */
  readonly own: ReadonlyMap<string, Own>;
}

interface Own {
  readonly isType: boolean;
  readonly isImported: boolean;
}

/** Where names come from that a snippet does not declare: a module's specifier for each. */
type Source = ReadonlyMap<string, { readonly from: string; readonly isType: boolean }>;

/**
 * Type-checks snippets, each as a module of its own, all in one program, against the package by its public names. What a
 * snippet leaves open comes from earlier ones under the same heading, from the package, or from `names-in-documents.ts`;
 * a snippet with imports of its own has to import all that it has of the package. Gives what is wrong, with the places.
 */
export function typeCheck(snippets: readonly Snippet[]): string[] {
  const entries = entryPoints();
  const options = compilerOptions(entries);
  const texts = new Map<string, string>();
  const host = hostFor(options, texts);
  const roots = [...entries.values(), prelude];
  const before = ts.createProgram(roots, options, host);
  const given = exportsOf(before, [[prelude, prelude]]);
  const exported = exportsOf(before, [...entries]);

  const modules = snippets.map(moduleOf);
  for (const [index, module] of modules.entries()) {
    const open = namesOpenIn(module);
    const isWhole = [...module.own.values()].some(({ isImported }) => isImported);
    const { snippet } = module;
    const file = join(project, snippet.document);
    const sources = [
      ...earlier(modules.slice(0, index), snippet),
      ...(isWhole ? [] : [exported]),
      given,
      // An example of what is not public.
      ...(file.endsWith('.ts') ? [exportsOf(before, [[file, file]])] : []),
    ];
    texts.set(module.path, written(module, importsOf(open, sources, snippet.language)));
  }
  const program = ts.createProgram([...roots, ...texts.keys()], options, host, before);
  const wrong = [prelude, ...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    if (file === undefined) throw new Error(`${path} is not in the program.`);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  const places = new Map(modules.map(({ path, snippet }) => [path, snippet]));
  return [...program.getOptionsDiagnostics(), ...wrong].map((diagnostic) => told(diagnostic, places));
}

/** The package's entry points with types, and the source of each. */
export function entryPoints(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const found = new Map<string, string>();
  for (const [name, target] of Object.entries(exports)) {
    if (typeof target === 'string' || name.includes('*')) continue;
    const source = target.types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts');
    found.set(`callgate${name.slice(1)}`, join(project, source));
  }
  return found;
}

export function compilerOptions(entries: ReadonlyMap<string, string>): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, project);
  const paths = Object.fromEntries([...entries].map(([name, path]) => [name, [path]]));
  return {
    ...options,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    paths,
    allowJs: true,
    checkJs: true,
  };
}

function hostFor(options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const parsed = new Map<string, ts.SourceFile | undefined>();
  return {
    ...host,
    jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
    fileExists: (path) => texts.has(path) || fileExists(path),
    readFile: (path) => texts.get(path) ?? readFile(path),
    getSourceFile(path, languageVersion, ...rest) {
      const text = texts.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, languageVersion, true);
      if (!parsed.has(path)) parsed.set(path, getSourceFile(path, languageVersion, ...rest));
      return parsed.get(path);
    },
  };
}

function exportsOf(program: ts.Program, modules: readonly (readonly [from: string, path: string])[]): Source {
  const checker = program.getTypeChecker();
  const names = new Map<string, { from: string; isType: boolean }>();
  for (const [from, path] of modules) {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const isTyped = symbol.declarations?.some(ts.isTypeOnlyImportOrExportDeclaration) === true;
      const isType = isTyped || (target.flags & ts.SymbolFlags.Value) === 0;
      if (!names.has(symbol.name)) names.set(symbol.name, { from, isType });
    }
  }
  return names;
}

function moduleOf(snippet: Snippet): Module {
  const path = join(project, `${snippet.document}.${snippet.line}.${snippet.language}`);
  const source = ts.createSourceFile(path, snippet.text, ts.ScriptTarget.ES2023, true);
  const own = new Map<string, Own>();
  const declare = (name: ts.Node | undefined, isType = false, isImported = false): void => {
    if (name === undefined) return;
    if (ts.isIdentifier(name)) own.set(name.text, { isType, isImported });
    else if (ts.isObjectBindingPattern(name) || ts.isArrayBindingPattern(name)) {
      for (const element of name.elements) if (ts.isBindingElement(element)) declare(element.name);
    }
  };
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) declare(name);
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) declare(statement.name);
    else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
      declare(statement.name, true);
    else if (ts.isImportDeclaration(statement)) {
      const clause = statement.importClause;
      declare(clause?.name, false, true);
      const bindings = clause?.namedBindings;
      if (bindings !== undefined && ts.isNamespaceImport(bindings)) declare(bindings.name, false, true);
      for (const { name } of bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : []) {
        declare(name, false, true);
      }
    }
  }
  return { path, snippet, source, own };
}

/** All names in a snippet that it neither declares nor imports; some of them are members of something. */
function namesOpenIn({ source, own }: Module): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && !own.has(node.text)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** What the snippets above in the same section declare, the nearest first. */
function earlier(modules: readonly Module[], { document, section }: Snippet): Source[] {
  if (section === undefined) return [];
  return modules
    .filter(({ snippet }) => snippet.document === document && snippet.section === section)
    .map(({ path: from, own }) => {
      const declared = [...own].filter(([, { isImported }]) => !isImported);
      return new Map(declared.map(([name, { isType }]) => [name, { from, isType }]));
    })
    .reverse();
}

function importsOf(names: ReadonlySet<string>, sources: readonly Source[], language: Snippet['language']): string {
  return [...names]
    .map((name) => {
      const found = sources.find((source) => source.has(name))?.get(name);
      if (found === undefined || (found.isType && language === 'js')) return '';
      return `import { ${found.isType ? 'type ' : ''}${name} } from '${found.from}'; `;
    })
    .join('');
}

/** The text of the module, with the snippet's own lines where they are. */
function written({ snippet, own }: Module, imports: string): string {
  const names = [...own].filter(([, { isImported }]) => !isImported);
  const exported = names.map(([name, { isType }]) => `${isType ? 'type ' : ''}${name}`).join(', ');
  return `${imports}${snippet.text}\nexport { ${exported} };\n`;
}

function told({ file, start, messageText }: ts.Diagnostic, places: ReadonlyMap<string, Snippet>): string {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined) return message;
  const line = file.getLineAndCharacterOfPosition(start ?? 0).line;
  const snippet = places.get(file.fileName);
  return snippet === undefined
    ? `${file.fileName}:${line + 1}: ${message}`
    : `${snippet.document}:${snippet.line + line}: ${message}`;
}
