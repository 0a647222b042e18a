// Where things are, and what the project's files say about themselves.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
export const inRoot = (...parts) => join(root, ...parts);
/** The modules as the compiler has written them, of which sizes are measured part by part. */
export const unbundled = inRoot(".cache", "modules", "pkg");
export const wasmTarget = "wasm32-unknown-unknown";

/** The user's cache folder: what is built there serves every clone. */
export function userCache() {
  if (process.env.XDG_CACHE_HOME) return join(process.env.XDG_CACHE_HOME, "glove-wasm");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "glove-wasm");
  if (process.platform === "win32" && process.env.LOCALAPPDATA) return join(process.env.LOCALAPPDATA, "glove-wasm");
  return join(homedir(), ".cache", "glove-wasm");
}

/** The version that a Cargo.lock holds of a crate. */
export function lockedVersion(lockFile, crate) {
  const found = new RegExp(`name = "${crate}"\\nversion = "([^"]+)"`).exec(readFileSync(lockFile, "utf8"));
  if (!found) throw new Error(`${lockFile} does not name ${crate}`);
  return found[1];
}

/**
 * One hash over texts and files (a folder stands for every file in it).
 * @param {{ texts?: string[], files?: string[] }} inputs
 */
export function fingerprint({ texts = [], files = [] }) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text}\0`);
  for (const file of files.flatMap(filesIn)) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

function filesIn(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

/** Stamps say which inputs a step last ran with, so that it is skipped until they change. */
const stampFile = (name) => inRoot(".cache", "stamps", name);
export const hasStamp = (name, value) => existsSync(stampFile(name)) && readFileSync(stampFile(name), "utf8") === value;
export function writeStamp(name, value) {
  mkdirSync(dirname(stampFile(name)), { recursive: true });
  writeFileSync(stampFile(name), value);
}
