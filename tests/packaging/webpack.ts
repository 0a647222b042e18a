// webpack, as it comes out of the box.
import { createRequire } from "node:module";
import { join } from "node:path";

interface Stats {
  readonly compilation: { readonly errors: Error[]; readonly warnings: Error[] };
}
type Webpack = (config: object, done: (error: Error | null, stats?: Stats) => void) => void;

/** Builds into `dist/`, and gives what webpack complains about. */
export async function webpack(folder: string, config: object): Promise<string[]> {
  const load = createRequire(join(folder, "index.js"))("webpack") as Webpack;
  const all = { context: folder, mode: "production", output: { path: join(folder, "dist") }, ...config };
  const { compilation } = await new Promise<Stats>((resolve, reject) =>
    load(all, (error, stats) => (stats ? resolve(stats) : reject(error))),
  );
  // Those about the size of files come with every application that has React in it.
  const others = compilation.warnings.filter(({ message }) => !/size limit|performance/i.test(message));
  return [...compilation.errors, ...others].map(({ message }) => message);
}
