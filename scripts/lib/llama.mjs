// llama.cpp's own server, from the Python package that tests/real/requirements.txt names, in the user's cache.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { canInstall, installPackages } from "./debian.mjs";
import { fingerprint, inRoot, userCache } from "./project.mjs";
import { output, run } from "./run.mjs";

const requirements = inRoot("tests", "real", "requirements.txt");

function folder() {
  const python = output("python3", ["-c", "import sys; print(*sys.version_info[:2], sep='.')"]);
  const name = `${process.platform}-${process.arch}-python${python ?? ""}-${fingerprint({ files: [requirements] })}`;
  return python && join(userCache(), "llama.cpp", name);
}

/** The folder for `PYTHONPATH`; nothing when it is not there. */
export function findLlama() {
  const found = process.env.GLOVE_LLAMA ?? folder();
  return found && existsSync(found) ? found : undefined;
}

export async function installLlama() {
  if (output("python3", ["-m", "pip", "--version"]) === undefined && canInstall()) await installPackages(["python3-pip"]);
  const to = folder();
  if (!to) throw new Error("python3 was not found");
  const half = `${to}.${process.pid}`;
  mkdirSync(half, { recursive: true });
  try {
    const quiet = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
    // Wheels only: building it would take many minutes.
    await run("python3", [
      "-m",
      "pip",
      "install",
      ...quiet,
      "--no-deps",
      "--only-binary=:all:",
      "--target",
      half,
      "-r",
      requirements,
    ]);
    // Moved into place as the last thing, so that a broken-off download leaves nothing half.
    renameSync(half, to);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}
