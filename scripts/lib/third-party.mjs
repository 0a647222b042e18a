// Whose code is in what we ship, under which licence, with the notices that have to go with it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { byCode } from "./declarations.mjs";
import { inRoot, wasmTarget } from "./project.mjs";
import { output } from "./run.mjs";

/** Where there is a choice, the first of these is taken. */
const preferred =
  "MIT,MIT-0,Zlib,ISC,BSD-2-Clause,BSD-3-Clause,Apache-2.0,BSL-1.0,Unicode-3.0,CDLA-Permissive-2.0,Unlicense".split(",");

/** The licences that are taken of an SPDX expression, all of which hold. */
export function chosen(expression) {
  const parts = expression.replaceAll("/", " OR ").split(/ AND /);
  return parts.map((part) => {
    if (/\([^)]* AND |\) OR /.test(expression)) throw new Error(`this expression has to be read by hand: ${expression}`);
    const offered = part.replace(/[()]/g, "").split(" OR ");
    const found = preferred.find((licence) => offered.includes(licence)) ?? offered.find((one) => one.startsWith("Apache-2.0"));
    if (!found) throw new Error(`no licence of "${expression}" is among those that are known`);
    return found;
  });
}

/** C and JavaScript that crates bring along, in folders of their own. */
const within = { "rquickjs-sys": ["quickjs/LICENSE"] };

/** The crates that are in a program of these targets; no macros, and nothing that only builds. */
export function crates(name, targets) {
  const metadata = JSON.parse(output("cargo", ["metadata", "--format-version", "1", "--locked", "--all-features"]));
  const known = new Map(metadata.packages.map((one) => [`${one.name} ${one.version}`, one]));
  const used = new Set();
  for (const target of targets) {
    const args = ["--package", name, "--target", target, "-e", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
    for (const line of output("cargo", ["tree", "--locked", ...args]).split("\n")) {
      const [crate, version] = line.split(" ");
      used.add(`${crate} ${version.slice(1)}`);
    }
  }
  return [...used]
    .map((key) => known.get(key))
    .filter((one) => one.source !== null)
    .map(ofCrate);
}

function ofCrate({ name, version, license, manifest_path, authors }) {
  return ofFolder({ name, version, licence: license, folder: dirname(manifest_path), more: within[name], authors });
}

/** npm packages of which code is in ours: what the sandbox's worker is bundled from, and the engine that it carries. */
export async function bundled() {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    entryPoints: [inRoot("tools", "sandbox", "worker.js"), inRoot("js", "src", "worker", "worker.ts")],
    bundle: true,
    conditions: ["browser"],
    // Our own, which is taken as a text.
    external: ["*/prelude.js"],
    metafile: true,
    outdir: inRoot(".cache", "none"),
    write: false,
    absWorkingDir: inRoot(),
    logLevel: "error",
  });
  const names = new Set(["@jitl/quickjs-ng-wasmfile-release-sync"]);
  for (const file of Object.keys(metafile.inputs)) {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    if (name) names.add(name);
  }
  return [...names].map((name) => {
    const folder = inRoot("node_modules", ...name.split("/"));
    const { version, license: licence } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return ofFolder({ name, version, licence, folder });
  });
}

function ofFolder({ name, version, licence, folder, more = [], authors = [] }) {
  const all = chosen(licence);
  const here = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const files = here.map((entry) => entry.name).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  // Of two licences to choose from, only the text of the chosen one.
  const other = (file) => /[-_.](mit|apache|unicode|zlib|bsl|boost|isc|bsd)/i.exec(file)?.[1].toLowerCase();
  const wanted = all.map((one) => one.split("-")[0].toLowerCase().replace("bsl", "boost"));
  const fitting = files.filter((file) => !other(file) || wanted.includes(other(file).replace("bsl", "boost")));
  const texts = [...(fitting.length ? fitting : files), ...more].map((file) =>
    readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim(),
  );
  return { name, version, licence, chosen: all, texts, authors };
}

export const inWasm = () => crates("glove-wasm-page-tasks", [wasmTarget]);
export const inProgram = () => crates("glove-wasm-cli", ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin"]);

/** Its library is in everything that is compiled. */
export const rust = {
  name: "the Rust standard library",
  version: "",
  licence: "MIT OR Apache-2.0",
  chosen: ["MIT"],
  texts: [],
  authors: ["The Rust Project Contributors"],
};

const mit = readFileSync(inRoot("LICENSE-MIT"), "utf8")
  .replace(/^[\s\S]*?(?=Permission is)/, "")
  .trim();
const flat = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim();
const isHolder = (line) => /^\W*(copyright|\(c\)|©)|copyright \(c\) \d{4}/i.test(line.trim());
const isApache = (text) =>
  /Apache License\s+Version 2\.0, January 2004/.test(text) && !/permission is hereby granted/i.test(text);

/** The page: a table of all, then the notices: MIT and Apache once, all else as it is. */
export function page(head, all) {
  const sorted = [...all].sort((a, b) => byCode(a.name, b.name) || byCode(a.version, b.version));
  const rows = sorted.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  const [holders, others] = [[], new Map()];
  let apache = false;
  for (const part of sorted) {
    const label = `${part.name} ${part.version}`.trim();
    if (part.texts.length === 0) {
      if (part.chosen.includes("MIT")) holders.push(`${label}: ${part.authors.join(", ") || "its authors"}`);
      else if (part.chosen.every((one) => one.startsWith("Apache"))) apache = true;
      else throw new Error(`${label} has no text of its licence (${part.licence})`);
    }
    for (const text of part.texts) {
      const lines = text.split("\n");
      const body = lines
        .filter((line) => !isHolder(line))
        .join("\n")
        .replace(/^[\s\S]*?(?=permission is hereby granted)/i, "");
      if (flat(body) === flat(mit)) {
        const named = lines
          .filter(isHolder)
          .map((line) => line.trim().replace(/^\W*copyright\s*/i, ""))
          .join("; ");
        holders.push(`${label}: ${named || part.authors.join(", ") || "its authors"}`);
      } else if (isApache(text)) apache = true;
      else others.set(text, [...(others.get(text) ?? []), label]);
    }
  }
  const parts = [head, `| what | version | licence |\n|---|---|---|\n${rows.join("\n")}`];
  if (holders.length) {
    const list = [...new Set(holders)].map((line) => `    ${line}`).join("\n");
    parts.push(`## Under the MIT licence\n\nCopyright of these parts:\n\n${list}\n\n${fenced(mit)}`);
  }
  if (apache) parts.push("## Under the Apache licence\n\nIts text is in the file LICENSE-APACHE of this package.");
  for (const [text, names] of others) parts.push(`## ${[...new Set(names)].join(", ")}\n\n${fenced(text)}`);
  return `${parts.join("\n\n")}\n`;
}

const fenced = (text) => `\`\`\`text\n${text.replace(/^```/gm, "'''")}\n\`\`\``;
