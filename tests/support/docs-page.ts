// The examples of a page of the documentation that draw something, bundled as applications do and served, each at its own path.
import { basename } from "node:path";
import { build, type Plugin } from "esbuild";
import { blocks } from "../docs/blocks.js";
import { root } from "./project.js";
import { type Served, type ServeOptions, serve } from "./server.js";

const html = (name: string) =>
  `<!doctype html><html lang=en><title>${name}</title><link rel=icon href=data:,><body><div id=root></div><script type=module src=/${name}.js></script>`;

/**
 * `/weather` is the example `weather.tsx` of this page; what it exports is there for tests as `example`. `more` are files that the page takes
 * from elsewhere, by their names.
 */
export async function serveExamples(
  page: string,
  names: readonly string[],
  routes: ServeOptions["routes"],
  more: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const own = blocks().flatMap((one) => (one.place.startsWith(`${page}:`) ? [[basename(one.file), one.code] as const] : []));
  const code = new Map([...Object.entries(more), ...own]);
  const examples: Plugin = {
    name: "examples",
    setup(build) {
      build.onResolve({ filter: /^example:/ }, ({ path }) => ({ path: path.slice(8), namespace: "entry" }));
      build.onLoad({ filter: /./, namespace: "entry" }, ({ path }) => ({
        contents: `import * as example from "./${path}.tsx"; Object.assign(globalThis, { example });`,
        resolveDir: root,
      }));
      build.onResolve({ filter: /^\.\// }, ({ path, namespace }) =>
        namespace === "entry" || namespace === "block"
          ? { path: named(path.slice(2).replace(/\.js$/, ".ts"), code), namespace: "block" }
          : undefined,
      );
      build.onLoad({ filter: /./, namespace: "block" }, ({ path }) => {
        const contents = code.get(path);
        if (contents === undefined) throw new Error(`${page} has no example ${path}`);
        return path.endsWith(".css") ? { contents: adopted(contents) } : { contents, loader: "tsx", resolveDir: root };
      });
    },
  };
  const { outputFiles } = await build({
    entryPoints: names.map((name) => ({ in: `example:${name}`, out: name })),
    plugins: [examples],
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    outdir: "/",
    write: false,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]);
  const pages = Object.fromEntries([...names.map((name) => [`/${name}`, html(name)]), ...files]);
  return serve("", { pages, routes: routes ?? {} });
}

/** The block that an import means, with the ending that it leaves out. */
function named(path: string, code: ReadonlyMap<string, string>): string {
  return [path, `${path}.tsx`, `${path}.ts`].find((name) => code.has(name)) ?? path;
}

/** A style sheet as a module that adds it to the page. */
const adopted = (css: string): string => `
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(${JSON.stringify(css)});
  document.adoptedStyleSheets.push(sheet);
`;
