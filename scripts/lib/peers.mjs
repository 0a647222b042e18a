// The libraries that are measured beside this one, as they come from the registry: installed once, into an ignored folder.
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { fingerprint, hasStamp, inRoot, writeStamp } from "./project.mjs";
import { run, step } from "./run.mjs";

const folder = inRoot(".cache", "peers");
const described = ["package.json", "package-lock.json"];

export async function installPeers() {
  const files = described.map((name) => inRoot("benches", "peers", name));
  const inputs = fingerprint({ files });
  const modules = inRoot("benches", "node_modules");
  if (!hasStamp("peers", inputs) || !existsSync(inRoot(".cache", "peers", "node_modules"))) {
    mkdirSync(folder, { recursive: true });
    for (const name of described) copyFileSync(inRoot("benches", "peers", name), inRoot(".cache", "peers", name));
    await step("installing the libraries to compare with", "Check the network and the registry.", () =>
      // React is not one of them: all share that of this project.
      run("npm", ["ci", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder }),
    );
    writeStamp("peers", inputs);
  }
  // Where the rows and pages find them, without being a package of their own.
  if (!existsSync(modules)) symlinkSync(inRoot(".cache", "peers", "node_modules"), modules, "junction");
}
