import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { project } from './documents/markdown.ts';
import { compilerOptions, entryPoints } from './documents/type-check.ts';

// These work out a type from another one; what comes of them is what somebody would name.
const workedOut = ['AddsNothing', 'AddsOf', 'StandardInput', 'StandardOutput', 'With'];

test('every type that a public signature names can be imported by its name', () => {
  const entries = entryPoints();
  const stages = readdirSync(join(project, 'middleware')).map((file) => join(project, 'middleware', file));
  expect(unnamed([...entries.values(), ...stages], compilerOptions(entries))).toEqual(workedOut);
}, 60_000);

/** The types, of modules of ours, that signatures of `modules` name and that none of these exports. */
function unnamed(modules: readonly string[], options: ts.CompilerOptions): string[] {
  const program = ts.createProgram([...modules], options);
  const checker = program.getTypeChecker();
  const targetOf = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const isOurs = ({ fileName }: ts.SourceFile): boolean =>
    ['src', 'middleware'].some((folder) => fileName.startsWith(join(project, folder)));

  const exported = new Set<ts.Symbol>();
  for (const path of modules) {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${path} exports nothing.`);
    for (const symbol of checker.getExportsOfModule(module)) exported.add(targetOf(symbol));
  }

  const reached = new Set(exported);
  const look = (name: ts.Node): void => {
    const found = checker.getSymbolAtLocation(name);
    if (found !== undefined && targetOf(found).flags & ts.SymbolFlags.Type) reached.add(targetOf(found));
  };
  const visit = (node: ts.Node): void => {
    // Bodies, values and private members are no part of a signature.
    if (ts.isBlock(node) || (ts.isClassElement(node) && node.name && ts.isPrivateIdentifier(node.name))) return;
    if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)) {
      if (node.type !== undefined) visit(node.type);
      return;
    }
    if (ts.isTypeReferenceNode(node)) look(node.typeName);
    if (ts.isExpressionWithTypeArguments(node)) look(node.expression);
    ts.forEachChild(node, visit);
  };
  // What is added on the way is come to as well.
  for (const symbol of reached) {
    for (const declaration of symbol.declarations ?? []) if (isOurs(declaration.getSourceFile())) visit(declaration);
  }
  return [...reached]
    .filter((symbol) => !exported.has(symbol) && isExported(symbol))
    .map(({ name }) => name)
    .sort();

  /** What its own module keeps to itself is a part of what names it, and not a type of its own. */
  function isExported({ declarations = [] }: ts.Symbol): boolean {
    return declarations.some(
      (each) =>
        isOurs(each.getSourceFile()) && ts.getCombinedModifierFlags(each as ts.Declaration) & ts.ModifierFlags.Export,
    );
  }
}
