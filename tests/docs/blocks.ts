// The code in the documentation, as files: ```ts and ```tsx blocks. A file name behind it names a block, for others on its page
// to import; `run` marks one that Node runs. A ```js block with a file name is written beside them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/project.js";

export interface Block {
  /** The page and line, for messages. */
  readonly place: string;
  readonly file: string;
  readonly code: string;
  readonly run: boolean;
}

export const pages: readonly string[] = [
  "README.md",
  ...["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

/** Where the blocks are written: inside the package, so that they import it by its name. */
export const folder: string = join(root, ".cache", "docs");

export function blocks(): Block[] {
  return pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    const fences = [...text.matchAll(/^```(tsx?|js)((?: [\w./-]+)*)\n([\s\S]*?)^```$/gm)];
    const kept = fences.filter(([, language, info]) => language !== "js" || info?.includes("."));
    return kept.map(({ index, 1: language, 2: info = "", 3: code = "" }, count) => {
      const words = info.trim().split(" ");
      const name = words.find((word) => word.includes(".")) ?? `block-${count}.${language}`;
      const place = `${page}:${text.slice(0, index).split("\n").length}`;
      return { place, file: join(folder, page.replace(/\W/g, "-"), name), code, run: words.includes("run") };
    });
  });
}

export function write(all: readonly Block[]): void {
  rmSync(folder, { recursive: true, force: true });
  for (const { file, code } of all) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, `${code}\nexport {};\n`);
  }
  // Next is not installed here: what the pages use of it, as its types say it.
  const navigation = `declare module "next/navigation" {
    export function useRouter(): { push(href: string): void };
    export function useSearchParams(): Readonly<URLSearchParams>;
  }`;
  writeFileSync(join(folder, "next.d.ts"), navigation);
  // Imports are found as Vite and Next find them.
  const found = { module: "ESNext", moduleResolution: "bundler" };
  const lenient = { allowJs: false, noUnusedLocals: false, noUnusedParameters: false };
  const compilerOptions = { types: ["node", "vite/client"], ...found, ...lenient };
  const config = { extends: "../../tsconfig.json", compilerOptions: { ...compilerOptions, rootDir: "../.." }, include: ["."] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
}

/** What a block says that it prints: the comments `// → …` behind `console.log`. */
export function promised(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ → (.*)$/gm)].map(([, text = ""]) => text.trim());
}
