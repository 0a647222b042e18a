// The public API as text: for each entry, the declarations that it exports, without comments; then those that they name and that no
// entry exports. What changes here changes for users.
import { byCode, isOwn, load, ts } from "./declarations.mjs";
import { inRoot } from "./project.mjs";

/** What the entries exported when somebody last meant it. */
export const snapshot = inRoot("tests", "fixtures", "api");

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

/** The text of each file of the snapshot, by its name. */
export function publicApi() {
  const { followed, checker, entries } = load();
  // A symbol is printed for the first entry that has it; the others say where.
  const homes = new Map();
  for (const { name: entry, symbols } of entries)
    for (const { name, symbol } of symbols) if (!homes.has(symbol)) homes.set(symbol, { entry, name });

  const inside = new Map();
  const waiting = [];
  const textOf = (symbol) =>
    (symbol.declarations ?? [])
      .map((declaration) => {
        if (!isOwn(declaration)) return `// of another package: ${symbol.name}`;
        visit(declaration);
        return printed(declaration);
      })
      .sort(byCode)
      .join("\n");
  /** Notes what a declaration names and no entry exports. */
  function visit(node) {
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      if (symbol) note(followed(symbol));
    } else if (ts.isImportTypeNode(node) && node.qualifier) {
      const symbol = checker.getSymbolAtLocation(ts.isIdentifier(node.qualifier) ? node.qualifier : node.qualifier.right);
      if (symbol) note(followed(symbol));
    }
    if (!isPrivate(node)) ts.forEachChild(node, visit);
  }
  function note(symbol) {
    const [declaration] = symbol.declarations ?? [];
    if (!declaration || homes.has(symbol) || inside.has(symbol)) return;
    if (!isOwn(declaration) || !isTop(declaration) || isGenerated(declaration)) return;
    inside.set(symbol, undefined);
    waiting.push(symbol);
  }

  const files = new Map();
  for (const { name: entry, others, symbols } of entries) {
    const head = [`// ${entry}`, ...others.map((other) => `// The same as ${other}.`)].join("\n");
    const parts = symbols.map(({ name, symbol }) => {
      const home = homes.get(symbol);
      if (home.entry === entry && home.name === name) return textOf(symbol);
      return `export { ${home.name === name ? name : `${home.name} as ${name}`} } from "${home.entry}";`;
    });
    files.set(`${fileName(entry)}.txt`, `${head}\n\n${parts.join("\n")}\n`);
  }
  while (waiting.length) {
    const symbol = waiting.pop();
    inside.set(symbol, textOf(symbol));
  }
  const rest = [...inside.values()].sort(byCode).join("\n");
  files.set("inside.txt", `// What the entries name without exporting it.\n\n${rest}\n`);
  return files;
}

const fileName = (entry) => entry.replace("glove-wasm/", "").replaceAll("/", "-");

/** The glue of the wasm files, which changes with each of their functions; no user can reach it. */
const isGenerated = (declaration) => /\/pkg\/(src\/wasm|[\w-]*bg\.wasm)/.test(declaration.getSourceFile().fileName);

const isTop = (declaration) => {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return !ts.isSourceFile(declaration) && ts.isSourceFile(statement.parent);
};

const isPrivate = (node) =>
  ts.isClassElement(node) &&
  ((node.name && ts.isPrivateIdentifier(node.name)) ||
    Boolean(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) ||
    // Marked for what is built around it, and left out of the reference.
    ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal"));

/** A declaration as it is written, without comments and what is private. */
function printed(declaration) {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const result = ts.transform(statement, [
    (context) => {
      const without = (node) => (isPrivate(node) ? undefined : ts.visitEachChild(node, without, context));
      return (node) => ts.visitNode(node, without);
    },
  ]);
  const text = printer.printNode(ts.EmitHint.Unspecified, result.transformed[0], statement.getSourceFile());
  result.dispose();
  return text.replace(/^export (default )?/, "").replace(/^declare /, "");
}
