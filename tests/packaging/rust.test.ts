// examples/rust, built with the crate as cargo packs it.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageVersion, root } from "../support/project.js";
import { copyExample } from "./app.js";

test("the Rust program keeps its book", () => {
  const folder = mkdtempSync(join(tmpdir(), "glove-wasm-crate-"));
  // What the other tests have compiled is used again.
  const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
  const run = (program: string, args: string[], cwd: string, input = "") =>
    execFileSync(program, args, { cwd, input, encoding: "utf8", env: { ...process.env, CARGO_TARGET_DIR: target } });
  try {
    run("cargo", ["package", "--quiet", "--no-verify", "--allow-dirty"], root);
    run("tar", ["-xf", join(target, "package", `glove-wasm-${packageVersion}.crate`), "-C", folder], folder);
    const app = copyExample("rust", join(folder, "app"));
    const manifest = join(app, "Cargo.toml");
    const crate = JSON.stringify(join(folder, `glove-wasm-${packageVersion}`));
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`"../.."`, crate));
    copyFileSync(join(root, "Cargo.lock"), join(app, "Cargo.lock"));
    const lines = ["12 for lunch", "250 for a chair", "y", "300 for wine", "n", "total", ""];
    const said = run("cargo", ["run", "--quiet"], app, `${lines.join("\n")}\n`);
    expect(said).toContain("300 for wine: is that right? [y/n] It stays out of the book.");
    expect(said).toContain("Together: 262.0");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
