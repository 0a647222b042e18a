// Runs the files of an example: TypeScript and JSX become JavaScript, imports come from what the frame has.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { transform } from "sucrase";
import { modules } from "./modules.js";

export type Files = Readonly<Record<string, string>>;
type Exports = Record<string, unknown>;
type Body = (require: (name: string) => unknown, exports: Exports) => Promise<void>;

declare global {
  var gloveRun: ((body: Body) => void) | undefined;
}

/** Runs the file that begins, and draws what it gives as default. */
export async function run(files: Files, entry: string): Promise<void> {
  const loaded = new Map<string, Promise<Exports>>();
  const load = (file: string): Promise<Exports> => {
    const known = loaded.get(file) ?? evaluate(file, files[file] ?? "", require);
    loaded.set(file, known);
    return known;
  };
  const done = new Map<string, Exports>();
  const require = (name: string): unknown => {
    if (name in modules) return modules[name];
    const file = found(files, name);
    if (file?.endsWith(".css")) return {};
    const exports = file && done.get(file);
    if (!exports)
      throw new Error(
        `This page has no "${name}". It has ${Object.keys(modules)
          .filter((one) => !one.startsWith("."))
          .join(", ")}.`,
      );
    return exports;
  };
  // Files are few and import in one direction: what an entry needs is run before it.
  for (const file of Object.keys(files)) if (file.endsWith(".css")) style(files[file] ?? "");
  const first = async (file: string): Promise<void> => {
    if (done.has(file)) return;
    done.set(file, {});
    for (const name of importsOf(files[file] ?? "")) {
      const needed = found(files, name);
      if (needed && !needed.endsWith(".css")) await first(needed);
    }
    done.set(file, await load(file));
  };
  await first(entry);
  const component = done.get(entry)?.default as Parameters<typeof createElement>[0] | undefined;
  if (component) createRoot(document.querySelector("#root") as Element).render(createElement(component));
}

const importsOf = (code: string) =>
  [...code.matchAll(/from "(\.[^"]+)"|import "(\.[^"]+)"/g)].map(([, from, bare]) => from ?? bare ?? "");

function found(files: Files, name: string): string | undefined {
  if (!name.startsWith("./")) return undefined;
  const path = name.slice(2).replace(/\.js$/, "");
  return [path, `${path}.ts`, `${path}.tsx`].find((one) => one in files);
}

function style(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}

/** As a script of its own, because the policy of the frame refuses `eval`. */
function evaluate(file: string, code: string, require: (name: string) => unknown): Promise<Exports> {
  const { code: plain } = transform(code, {
    transforms: ["typescript", "jsx", "imports"],
    jsxRuntime: "automatic",
    production: true,
    filePath: file,
  });
  return new Promise((resolve, reject) => {
    const exports: Exports = {};
    globalThis.gloveRun = (body) => void body(require, exports).then(() => resolve(exports), reject);
    const url = URL.createObjectURL(
      new Blob([`gloveRun(async (require, exports) => {\n${plain}\n})\n//# sourceURL=${file}`], { type: "text/javascript" }),
    );
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => URL.revokeObjectURL(url);
    script.onerror = () => reject(new Error(`${file} could not be run.`));
    // What cannot be read as JavaScript never calls back.
    addEventListener("error", ({ message }) => reject(new Error(message)), { once: true });
    document.head.append(script);
  });
}
