// The declarations of the package as TypeScript reads them: what each entry of package.json exports, from `pkg/`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { inRoot } from "./project.mjs";

/** The newest TypeScript that can be asked by programs. */
export const ts = createRequire(inRoot("tools", "reference", "package.json"))("typescript");

/** Entries with declarations of their own, in the order of package.json; `others` are further names of the same one. */
export function entries() {
  const { exports: all, name } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const found = new Map();
  for (const [path, target] of Object.entries(all)) {
    if (!target.types?.endsWith(".d.ts") || /\.(css|wasm)$/.test(target.default)) continue;
    const entry = found.get(target.types) ?? { name: path.replace(".", name), file: inRoot(target.types), others: [] };
    if (found.has(target.types)) entry.others.push(path.replace(".", name));
    found.set(target.types, entry);
  }
  return [...found.values()];
}

/** What the compiler knows of these entries, with no more of its libraries than is needed: each with its symbols by name, aliases followed. */
export function load(some = entries(), libraries = { noLib: true }) {
  const options = { module: ts.ModuleKind.NodeNext, types: [], strict: true, ...libraries };
  const host = ts.createCompilerHost(options);
  // What others declare is named, and not read: that is most of the time.
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      if (!text.startsWith(".")) return { resolvedModule: undefined };
      const resolvedFileName = join(from, "..", text).replace(/\.js$/, ".d.ts");
      return { resolvedModule: { resolvedFileName, extension: ts.Extension.Dts } };
    });
  const program = ts.createProgram({ rootNames: some.map(({ file }) => file), options, host });
  const checker = program.getTypeChecker();
  const followed = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const loaded = some.map((entry) => {
    const source = program.getSourceFile(entry.file);
    if (!source) throw new Error(`${entry.file} is not there: run \`npm run build\``);
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
    const named = symbols.map((symbol) => ({ name: symbol.name, symbol: followed(symbol) }));
    return { ...entry, symbols: named.sort((a, b) => byCode(a.name, b.name)) };
  });
  return { checker, followed, entries: loaded };
}

/** The same order on every machine. */
export const byCode = (a, b) => (a < b ? -1 : Number(a > b));

const own = join(inRoot("pkg"), sep);
export const isOwn = (declaration) => join(declaration.getSourceFile().fileName).startsWith(own);
