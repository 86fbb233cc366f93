// Prints the public declarations of TypeScript files according to the compiler's declaration output: a line
// `= path`, then a line `kind name` for each exported item and each of its members that is not private.
//
// Arguments: paths. Run it in a folder from which `typescript` can be resolved.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ts = createRequire(join(process.cwd(), "reference.js"))("typescript");

const options = { target: "esnext", module: "esnext", moduleDetection: "auto", experimentalDecorators: true };

/** Returns the declarations of a file; declaration files are read as they are. */
function declarations(path) {
  const text = readFileSync(path, "utf8");
  if (/\.d\.[mc]?ts$/.test(path)) return text;
  return ts.transpileDeclaration(text, { fileName: path, compilerOptions: options }).outputText;
}

function has(node, kind) {
  return (node.modifiers ?? []).some((modifier) => modifier.kind === kind);
}

/** Yields the exported statements of a block. */
function* exported(statements) {
  const isExport = (node) => ts.isExportDeclaration(node) || ts.isExportAssignment(node);
  // Without export statements, all declarations are exported.
  const all = !statements.some(isExport);
  const isOpen = (node) => ts.isModuleDeclaration(node) && (ts.isStringLiteral(node.name) || node.name.text === "global");
  const listed = new Set();
  for (const node of statements) {
    if (ts.isExportDeclaration(node) && !node.moduleSpecifier && node.exportClause) {
      for (const element of node.exportClause.elements) listed.add((element.propertyName ?? element.name).text);
    } else if (ts.isExportAssignment(node) && ts.isIdentifier(node.expression)) {
      listed.add(node.expression.text);
    }
  }
  // The compiler generates this name for a default export without a name.
  listed.delete("_default");
  const isListed = (name) => name && ts.isIdentifier(name) && listed.has(name.text);
  for (const node of statements) {
    if (ts.isImportDeclaration(node)) continue;
    const names = ts.isVariableStatement(node) ? node.declarationList.declarations.map((one) => one.name) : [node.name];
    const isExported = isExport(node) || isOpen(node) || has(node, ts.SyntaxKind.ExportKeyword) || names.some(isListed);
    if (isExported || (all && !ts.isImportEqualsDeclaration(node))) yield node;
  }
}

function* bound(name) {
  if (ts.isIdentifier(name)) yield name.text;
  else for (const element of name.elements) if (element.name) yield* bound(element.name);
}

function nameOf(node) {
  if (!node.name) return "default";
  return ts.isComputedPropertyName(node.name) ? node.name.expression.getText() : node.name.text;
}

function* members(nodes) {
  for (const node of nodes) {
    if (has(node, ts.SyntaxKind.PrivateKeyword) || (node.name && ts.isPrivateIdentifier(node.name))) continue;
    if (ts.isConstructorDeclaration(node)) yield ["method", "constructor"];
    else if (ts.isConstructSignatureDeclaration(node)) yield ["method", "new"];
    else if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isAccessor(node)) yield ["method", nameOf(node)];
    else if (ts.isPropertyDeclaration(node) || ts.isPropertySignature(node)) yield ["field", nameOf(node)];
    else if (ts.isEnumMember(node)) yield ["variant", nameOf(node)];
  }
}

function* items(statements) {
  for (const node of exported(statements)) {
    if (ts.isFunctionDeclaration(node)) yield ["function", nameOf(node)];
    else if (ts.isClassDeclaration(node)) yield* [["class", nameOf(node)], ...members(node.members)];
    else if (ts.isInterfaceDeclaration(node)) yield* [["interface", nameOf(node)], ...members(node.members)];
    else if (ts.isEnumDeclaration(node)) yield* [["enum", nameOf(node)], ...members(node.members)];
    else if (ts.isTypeAliasDeclaration(node) || ts.isImportEqualsDeclaration(node)) yield ["type", nameOf(node)];
    else if (ts.isModuleDeclaration(node)) yield* moduleItems(node);
    else if (ts.isVariableStatement(node)) {
      for (const one of node.declarationList.declarations) for (const name of bound(one.name)) yield ["constant", name];
    } else if (ts.isExportDeclaration(node)) yield* reexports(node);
    else if (ts.isExportAssignment(node)) yield ["default", node.isExportEquals ? "export" : "default"];
  }
}

function* moduleItems(node) {
  yield ["module", nameOf(node)];
  if (!node.body) return;
  if (ts.isModuleDeclaration(node.body)) yield* moduleItems(node.body);
  else yield* items(node.body.statements);
}

function* reexports(node) {
  if (!node.exportClause) yield ["reexport", node.moduleSpecifier.text];
  else if (ts.isNamespaceExport(node.exportClause)) yield ["reexport", node.exportClause.name.text];
  else for (const element of node.exportClause.elements) yield ["reexport", element.name.text];
}

for (const path of process.argv.slice(2)) {
  const source = ts.createSourceFile(path, declarations(path), ts.ScriptTarget.Latest, true);
  console.log(`= ${path}`);
  for (const [kind, name] of items(source.statements)) console.log(`${kind} ${name}`);
}
