// The reference of options: for each entry, every type of options that it exports, from the declarations and their comments.
import { entries, isOwn, load, ts } from "./declarations.mjs";
import { inRoot } from "./project.mjs";

export const folder = inRoot("docs", "reference");

const extra = new Set("AgentDefinition Hook Middleware ModelFacts Plugin RenderProps SandboxGrants SandboxTool Skill".split(" "));
/** These say again what another has. */
const again = new Set(["AdapterOptions", "ChatHandlerOptions"]);
/** What is given to functions and components. What renderers get is no option. */
const isOptions = (name) => extra.has(name) || /(Config|Options|Limits|Budgets|(?<!Part|Render)Props)$/.test(name);

/** The pages by their names in `docs/reference`, and the options that no sentence describes. */
export function optionPages() {
  const { checker, entries: loaded } = load(entries(), { lib: ["lib.es5.d.ts"] });
  const seen = new Set();
  const [pages, silent, index] = [new Map(), [], []];
  for (const { name: entry, symbols } of loaded) {
    const [parts, names] = [[], []];
    for (const { name, symbol } of symbols) {
      const [declaration] = symbol.declarations ?? [];
      const isType = declaration && (ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration));
      if (!isType || again.has(symbol.name) || !isOptions(name) || seen.has(symbol) || !isOwn(declaration)) continue;
      seen.add(symbol);
      const properties = checker.getDeclaredTypeOfSymbol(symbol).getApparentProperties();
      const rows = properties.map((property) => row(checker, property)).filter(Boolean);
      if (rows.length === 0) continue;
      silent.push(...rows.filter(({ sentence }) => !sentence).map((one) => `${entry}: ${name}.${one.name}`));
      const lines = rows.map((one) => `| ${one.name} | ${one.type} | ${one.default} | ${one.sentence} |`);
      names.push(name);
      const about = comment(checker, symbol);
      parts.push(
        [`## ${name}`, about, ["| option | type | default | |", "|---|---|---|---|", ...lines].join("\n")]
          .filter(Boolean)
          .join("\n\n"),
      );
    }
    if (parts.length === 0) continue;
    const head = `# Options of \`${entry}\`\n\nWritten from the types by \`npm run options\`. A \`?\` marks what may be left out. [All entries](README.md)`;
    pages.set(fileName(entry), `${[head, ...parts].join("\n\n")}\n`);
    index.push(
      `| [\`${entry}\`](${fileName(entry)}) | ${names.map((name) => `[${name}](${fileName(entry)}#${name.toLowerCase()})`).join(", ")} |`,
    );
  }
  const head =
    "# Reference of options\n\nEvery option of the package, with its type, its default and a sentence, written from the types.";
  pages.set("README.md", `${head}\n\n| entry | options of |\n|---|---|\n${index.join("\n")}\n`);
  return { pages, silent };
}

const fileName = (entry) => `${entry.replace("glove-wasm/", "").replaceAll("/", "-")}.md`;

/** An option as a row of the table; nothing for what another package declares, and for names that only tell of another. */
function row(checker, property) {
  const declaration = property.declarations?.find(isOwn);
  const tags = property.getJsDocTags(checker).map(({ name }) => name);
  if (!declaration || tags.includes("internal") || tags.includes("deprecated")) return undefined;
  const optional = property.flags & ts.SymbolFlags.Optional ? "?" : "";
  const sentence = cell(comment(checker, property));
  const name = /^\W|\s/.test(property.name) ? undefined : property.name;
  return name && { name: `\`${name}${optional}\``, type: code(typeOf(declaration)), default: defaultOf(sentence), sentence };
}

const comment = (checker, symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, " ").trim();

/** As it is written. A function is written as a type. */
function typeOf(declaration) {
  if (ts.isMethodSignature(declaration)) {
    const parameters = declaration.parameters.map((one) => one.getText()).join(", ");
    return `(${parameters}) => ${declaration.type?.getText() ?? "unknown"}`;
  }
  return declaration.type?.getText() ?? "unknown";
}

const code = (text) => {
  const line = text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ \| undefined$/, "")
    .replace(/^\((.*=>.*)\)$/, "$1");
  return `\`${line.replaceAll("|", "\\|")}\``;
};

const cell = (text) => text.replaceAll("|", "\\|");

/** What its comment says after "default". */
function defaultOf(sentence) {
  const [, marked] = /(`[^`]+`)(?: \(default\)|, the default\b)/.exec(sentence) ?? [];
  if (marked) return marked;
  const [, found = ""] = /(?<!\b[Bb]y )\b[Dd]efault(?:s to)?:? (`[^`]+`|"[^"]+"|(?:\d,\d|\d\.\d|[^.,;()])+)/.exec(sentence) ?? [];
  return found.trim();
}
