// What pages of tests load, bundled once for all files of tests: it is kept below `.cache`, and made anew when a file in it has changed.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type BuildOptions, build, version } from "esbuild";
import { root } from "./project.js";

interface Kept {
  /** Each file in it, and how it was then. */
  readonly inputs: Record<string, string>;
  /** By their paths. */
  readonly files: Record<string, string>;
}

/** `read` are files that its plugins go by. */
export async function bundled(options: BuildOptions, read: readonly string[] = []): Promise<Record<string, string>> {
  // Of plugins only their names are in it.
  const key = createHash("sha256")
    .update(JSON.stringify([version, options]))
    .digest("hex")
    .slice(0, 16);
  const folder = join(root, ".cache", "bundles");
  const place = join(folder, `${key}.json`);
  const kept = await readFile(place, "utf8").then(
    (text) => JSON.parse(text) as Kept,
    () => undefined,
  );
  if (kept && (await isAsItWas(kept))) return kept.files;
  const since = Date.now();
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
  });
  const names = [...Object.keys(metafile.inputs), "package.json", "tsconfig.json", ...read];
  const paths = names.map((name) => resolve(root, name));
  const states = await Promise.all(paths.map(state));
  const inputs = Object.fromEntries(paths.map((path, at) => [path, states[at] as string]));
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
  // What was written meanwhile may not be in it.
  if (states.some((was) => Number.parseFloat(was) >= since)) return files;
  const made: Kept = { inputs, files };
  await mkdir(folder, { recursive: true });
  // Whole or not at all: others may read it now.
  await writeFile(`${place}.${process.pid}`, JSON.stringify(made));
  await rename(`${place}.${process.pid}`, place);
  return files;
}

async function isAsItWas({ inputs }: Kept): Promise<boolean> {
  const all = await Promise.all(Object.entries(inputs).map(async ([path, was]) => (await state(path)) === was));
  return all.every(Boolean);
}

async function state(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: -1 }));
  return `${mtimeMs} ${size}`;
}
