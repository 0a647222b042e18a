// The files of an app: which templates it takes, where they go, and its package.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parts, scripted } from "./choices.js";
import { fill } from "./fill.js";
import { typescript, versions } from "./generated.js";

const folder = join(import.meta.dirname, "..", "templates");

export function filesOf(choices) {
  const { template, provider, model, baseURL } = choices;
  const isScripted = provider === scripted;
  const has = {
    [template]: true,
    page: template !== "server",
    // A server of Node is written out: Next has its own, and a script in the page needs none.
    node: template === "server" || (template === "vite" && !isScripted),
    scripted: isScripted,
    key: choices.key,
    model: model !== undefined,
    address: baseURL !== undefined,
    ...Object.fromEntries(Object.keys(parts).map((part) => [part, choices[part] === true])),
  };
  // What Node reads as it is names its files whole.
  const ts = has.server ? ".ts" : "";
  const words = {
    name: choices.name,
    provider: provider.id,
    providerName: provider.name,
    envVar: provider.envVar,
    model,
    baseURL,
    ts,
  };
  const files = { "package.json": `${JSON.stringify(manifest(choices.name, has), null, 2)}\n` };
  for (const [target, source] of sources(has)) {
    files[target] = fill(readFileSync(join(folder, source), "utf8"), has, words);
  }
  return files;
}

/** Where each file goes, and the template that it is made of. */
function sources(has) {
  const source = has.next ? "app" : "src";
  const tools = has.page ? "tools.tsx" : "tools.ts";
  return [
    ["README.md", "all/README.md"],
    ["AGENTS.md", "all/AGENTS.md"],
    // npm leaves a .gitignore out of what it packs.
    [".gitignore", "all/gitignore"],
    ...when(has.key || has.node, [[".env.example", "all/env.example"]]),
    [`${source}/books.ts`, "all/books.ts"],
    [`${source}/tools.test.ts`, "all/tools.test.ts"],
    ...when(has.scripted, [[`${source}/script.ts`, "all/script.ts"]]),
    [`${source}/${tools}`, `${has.page ? "page" : "server"}/${tools}`],
    ...when(has.page, [
      [`${source}/client.ts`, "page/client.ts"],
      [`${source}/chat.tsx`, "page/chat.tsx"],
      [`${source}/style.css`, "page/style.css"],
    ]),
    ...when(has.vite, ["index.html", "tsconfig.json", "vite.config.ts", "src/main.tsx"].map(from("vite"))),
    ...when(has.next, ["tsconfig.json", "app/layout.tsx", "app/page.tsx", "app/api/chat/route.ts"].map(from("next"))),
    ...when(has.server, ["tsconfig.json", "src/server.ts"].map(from("server"))),
    ...when(
      has.node,
      ["chat.ts", "listener.ts"].map((name) => [`${has.server ? "src" : "server"}/${name}`, `node/${name}`]),
    ),
    ...when(has.vite && has.node, [["server/index.ts", "vite/server.ts"]]),
  ];
}

const when = (condition, list) => (condition ? list : []);
const from = (template) => (name) => [name, `${template}/${name}`];

function manifest(name, has) {
  const scripts = has.next
    ? { dev: "next dev", build: "next build", start: "next start" }
    : has.server
      ? { dev: "tsx watch src/server.ts", start: "tsx src/server.ts" }
      : has.node
        ? {
            dev: "vite",
            build: "vite build --outDir dist/page && vite build --ssr server/index.ts --outDir dist/server",
            start: "node dist/server/index.js",
          }
        : { dev: "vite", build: "vite build", start: "vite preview" };
  const used = ["glove-wasm", "zod", ...when(has.page, ["react", "react-dom"]), ...when(has.next, ["next"])];
  const development = [
    "vitest",
    ...when(has.page, ["@types/react", "@types/react-dom"]),
    ...when(has.vite, ["vite", "@vitejs/plugin-react"]),
    ...when(has.node || has.next, ["@types/node"]),
    "typescript",
  ];
  // A server is started by it, so it is no tool of development alone.
  if (has.server) used.push("tsx");
  const known = { ...versions, typescript: has.next ? typescript.next : typescript.others };
  const versionsOf = (names) => Object.fromEntries(names.sort().map((each) => [each, known[each]]));
  return {
    name,
    private: true,
    type: "module",
    engines: { node: ">=20.19.0" },
    scripts: { ...scripts, test: "vitest run", typecheck: "tsc --noEmit" },
    dependencies: versionsOf(used),
    devDependencies: versionsOf(development),
  };
}
