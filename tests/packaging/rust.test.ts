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
  // Apart from what is compiled here: cargo takes the packed crate for the one that is tested.
  const target = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "packed");
  // A warning of ours would stand in every build of those who use the crate.
  const strict = { RUSTFLAGS: "-D warnings" };
  const run = (program: string, args: string[], cwd: string, input = "") =>
    execFileSync(program, args, { cwd, input, encoding: "utf8", env: { ...process.env, CARGO_TARGET_DIR: target, ...strict } });
  try {
    // What makes the wasm files and the tests is never published, and cargo would look for it in the registry.
    const unpublished = ["page", "page-*", "tests"].flatMap((name) => ["--exclude", `glove-wasm-${name}`]);
    run("cargo", ["package", "--workspace", ...unpublished, "--quiet", "--no-verify", "--allow-dirty"], root);
    const unpacked = (name: string) => {
      run("tar", ["-xf", join(target, "package", `${name}-${packageVersion}.crate`), "-C", folder], folder);
      return JSON.stringify(join(folder, `${name}-${packageVersion}`));
    };
    const app = copyExample("rust", join(folder, "app"));
    const manifest = join(app, "Cargo.toml");
    // Its parts stand in no registry here.
    const parts = ["glove-wasm-json", "glove-wasm-macros"].map((name) => `${name} = { path = ${unpacked(name)} }\n`);
    const patch = `[patch.crates-io]\n${parts.join("")}`;
    writeFileSync(manifest, `${readFileSync(manifest, "utf8").replace(`"../.."`, unpacked("glove-wasm"))}\n${patch}`);
    copyFileSync(join(root, "Cargo.lock"), join(app, "Cargo.lock"));
    const lines = ["12 for lunch", "250 for a chair", "y", "300 for wine", "n", "total", ""];
    const said = run("cargo", ["run", "--quiet"], app, `${lines.join("\n")}\n`);
    expect(said).toContain("300 for wine: is that right? [y/n] It stays out of the book.");
    expect(said).toContain("Together: 262.0");
    const operations = ["run", "--quiet", "--bin", "operations", "--", join(folder, "operations")];
    const deployed = run("cargo", operations, app, "deploy api to staging\nperhaps\ndeploy\n\n");
    expect(deployed).toContain("· Checked 1 files, for the first time");
    expect(deployed).toContain("Deployed api to staging (1 files).");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // All of the crate is compiled.
}, 600_000);
