// `npm run release` on a copy of the repository, with an npm and a cargo that only write down what they are asked.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  changesOf,
  compareVersions,
  databasesOf,
  isVersion,
  places,
  versionsIn,
  withVersion,
} from "../../scripts/lib/versions.mjs";
import { packageVersion, root } from "../support/project.js";

const folder = mkdtempSync(join(tmpdir(), "glove-release-"));
const copy = join(folder, "copy");
const programs = join(folder, "programs");
const asked = join(folder, "asked");
const read = (file: string) => readFileSync(join(copy, file), "utf8");
const write = (file: string, text: string) => writeFileSync(join(copy, file), text);

// Nobody's settings of git, and no signature, decide here.
const quiet = { GIT_CONFIG_GLOBAL: join(folder, "none"), GIT_CONFIG_SYSTEM: join(folder, "none") };
const person = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};
const env = { ...process.env, ...quiet, ...person, PATH: `${programs}${delimiter}${process.env.PATH}` };

function git(...args: string[]): string {
  const done = spawnSync("git", args, { cwd: copy, env, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
  return done.stdout.trim();
}

const release = (...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, ["scripts/release.mjs", ...args], { cwd: copy, env, encoding: "utf8" });

/** A program that writes down its arguments, and ends with this code. */
function program(name: string, code = 0, before = ""): void {
  const file = join(programs, name);
  writeFileSync(file, `#!/bin/sh\n${before}\necho "${name} $*" >> "${asked}"\nexit ${code}\n`);
  chmodSync(file, 0o755);
}

/** The tests of databases write what a version stores, where it is not there yet. */
function storing(databases: string[]): string {
  const version = "$(sed -n 's/^version = \"\\(.*\\)\"/\\1/p' Cargo.toml | head -1)";
  const files = databases.map((name) => `tests/fixtures/databases/${name}-${version}.txt`);
  const written = files.map((file) => `[ -e "${file}" ] || echo "of this run" > "${file}"`);
  return `case "$WRITE_FIXTURE $*" in "1 test "*)\nmkdir -p tests/fixtures/databases\n${written.join("\n")}\nexit 0;; esac`;
}
const everywhere = storing(["postgresql", "redis", "sqlite"]);

beforeAll(() => {
  const files = [...new Set([...places.map(({ file }) => file), "CHANGELOG.md", "scripts/release.mjs"])];
  for (const file of [...files, "scripts/lib/run.mjs", "scripts/lib/project.mjs", "scripts/lib/versions.mjs"]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  // A changelog of its own: what is unreleased today does not matter here.
  write("CHANGELOG.md", "# Changelog\n\nAll changes.\n\n## Unreleased\n\n- Costs $1 and $& less.\n");
  mkdirSync(programs);
  git("init", "--quiet", "-b", "main");
  git("add", "-A");
  git("commit", "--quiet", "-m", "Begin");
  git("tag", "begin");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const tag of git("tag", "--list", "v*").split("\n").filter(Boolean)) git("tag", "-d", tag);
  git("checkout", "--quiet", "-f", "-B", "main", "begin");
  git("clean", "-fdq");
  rmSync(asked, { force: true });
  program("npm");
  program("cargo", 0, everywhere);
});

const next = packageVersion.replace(/^\d+/, (major) => String(Number(major) + 1));

test("all files of the repository say one version, and none that a release writes is forgotten", () => {
  expect(new Set(versionsIn(root).map(({ version }) => version))).toEqual(new Set([packageVersion]));
  const listed = spawnSync("git", ["grep", "-lF", packageVersion, "--", ".", ":!tests", ":!CHANGELOG.md"], {
    cwd: root,
    encoding: "utf8",
  }).stdout.split("\n");
  const unknown = listed.filter((file) => file && !places.some((place) => place.file === file));
  const naming = unknown.filter((file) => {
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    return lines.some((line) => line.includes(packageVersion) && line.includes("glove"));
  });
  expect(naming).toEqual([]);
});

test("a release writes every version and the head of the changelog, tries to publish, commits and tags", () => {
  const done = release(next);
  expect(done.stderr).toBe("");
  expect(new Set(versionsIn(copy).map(({ version }) => version))).toEqual(new Set([next]));
  const today = new Date().toISOString().slice(0, 10);
  expect(read("CHANGELOG.md")).toMatch(`## Unreleased\n\n## ${next} - ${today.slice(0, 4)}`);
  expect(changesOf(read("CHANGELOG.md"), next)).toBe("- Costs $1 and $& less.");
  expect(changesOf(read("CHANGELOG.md"), "Unreleased")).toBe("");
  expect(git("log", "-1", "--format=%s")).toBe(`Release ${next}`);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("cat-file", "-t", `v${next}`)).toBe("tag");
  expect(git("rev-parse", `v${next}^{commit}`)).toBe(git("rev-parse", "HEAD"));
  // Nothing else than versions and the changelog has changed.
  const lines = git("diff", "--unified=0", "begin", "HEAD", "--", ":!CHANGELOG.md", ":!tests").split("\n");
  const changed = lines.filter((line) => /^\+[^+]/.test(line));
  expect(changed.length).toBeGreaterThan(places.length);
  expect(changed.filter((line) => !line.includes(next))).toEqual([]);
  expect(readFileSync(asked, "utf8").split("\n")).toEqual([
    "npm publish --dry-run --access public --tag latest",
    "npm publish --dry-run --access public --tag latest",
    "cargo publish --workspace --dry-run --locked --allow-dirty",
    "",
  ]);
  expect(done.stdout).toContain(`git push origin main v${next}`);
});

test("a release has what it stores in databases beside it, and not what was written before it", () => {
  const files = databasesOf(next);
  mkdirSync(join(copy, dirname(files[0] ?? "")), { recursive: true });
  write(files[0] ?? "", "of an earlier run");
  git("add", "-A");
  git("commit", "--quiet", "-m", "Add");
  const done = release(next);
  expect(done.stderr).toBe("");
  expect(files.map((file) => git("show", `v${next}:${file}`))).toEqual(["of this run", "of this run", "of this run"]);
});

test("a release without a database to write to is refused: the files are as they were", () => {
  program("cargo", 0, storing(["sqlite"]));
  const done = release(next);
  expect(done.stderr).toContain(`the tests did not write ${databasesOf(next).slice(0, 2).join(", ")}`);
  expect(done.stderr).toContain("apt-get install postgresql redis-server");
  expect(done.status).toBe(1);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("rev-parse", "HEAD")).toBe(git("rev-parse", "begin"));
});

test("the version that stands in the files can be the first release, and is none a second time", () => {
  expect(release(packageVersion).status).toBe(0);
  expect(release("notes", `v${packageVersion}`).stdout).toBe("- Costs $1 and $& less.\n");
  write("CHANGELOG.md", read("CHANGELOG.md").replace("## Unreleased\n", "## Unreleased\n\n- More.\n"));
  git("commit", "--quiet", "-am", "More");
  const again = release(packageVersion);
  expect(again.stderr).toContain(`${packageVersion} is not newer: ${packageVersion} is released`);
  expect(again.status).toBe(1);
});

test("a version that is not for everyone is tried under another tag", () => {
  expect(release(`${next}-beta.1`).status).toBe(0);
  expect(readFileSync(asked, "utf8")).toContain("--tag next");
});

/** Each is refused with this sentence, and changes nothing. */
const refusals: readonly [string, string, () => void, string[]][] = [
  ["no version", "is no version", () => {}, []],
  ["a version with a v", '"v9.0.0" is no version', () => {}, ["v9.0.0"]],
  ["two words", "is no version", () => {}, ["9.0.0", "now"]],
  ["an older version", "0.0.1 is not newer", () => {}, ["0.0.1"]],
  ["a change that is not committed", "changes that no commit has", () => write("README.md", "x"), [next]],
  ["a file that git does not know", "changes that no commit has", () => write("new.txt", "x"), [next]],
  ["another branch", "the branch is work, and not main", () => git("checkout", "--quiet", "-b", "work"), [next]],
  ["a version that is tagged", `${next} is not newer`, () => git("tag", `v${next}`), [next]],
  ["a newer tag", `${next} is not newer`, () => git("tag", "v99.0.0"), [next]],
  [
    "an empty changelog",
    'says nothing below "Unreleased"',
    () => commit("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 0.0.1 - 2020-01-01\n\n- Old.\n"),
    [next],
  ],
  [
    "a part of the changelog that is there",
    `has a part on ${next} already`,
    () => commit("CHANGELOG.md", `# Changelog\n\n## Unreleased\n\n- A.\n\n## ${next} - 2020-01-01\n\n- Old.\n`),
    [next],
  ],
  [
    "files of different versions",
    "the files say different versions",
    () => commit("Cargo.toml", withVersion("Cargo.toml", read("Cargo.toml"), "0.0.9")),
    [next],
  ],
];

function commit(file: string, text: string): void {
  write(file, text);
  git("commit", "--quiet", "-am", "Change");
}

test.each(refusals)("a release is refused for %s, and nothing changes", (_, sentence, change, args) => {
  change();
  const [before, tags, state] = [git("rev-parse", "HEAD"), git("tag"), git("status", "--porcelain")];
  const done = release(...args);
  expect(done.stderr).toContain(sentence);
  expect(done.status).toBe(1);
  expect([git("rev-parse", "HEAD"), git("tag"), git("status", "--porcelain")]).toEqual([before, tags, state]);
  expect(existsSync(asked)).toBe(false);
});

test.each(["npm", "cargo"])("what %s would not publish is not released: the files are as they were", (name) => {
  program(name, 1, everywhere);
  const done = release(next);
  expect(done.stderr).toContain(`${name} publish --dry-run`);
  expect(done.status).toBe(1);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("rev-parse", "HEAD")).toBe(git("rev-parse", "begin"));
  expect(git("tag", "--list", "v*")).toBe("");
});

test("a tag that no release has made has no notes, so that no workflow publishes it", () => {
  const done = release("notes", "v99.0.0");
  expect(done.stderr).toContain(`the tag is v99.0.0, and the files say ${packageVersion}`);
  expect(done.status).toBe(1);
});

test("versions are ordered as Semantic Versioning says", () => {
  const ordered = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1"];
  const all = [...ordered, "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"];
  for (const [at, one] of all.entries())
    for (const [other, two] of all.entries())
      expect(Math.sign(compareVersions(one, two)), `${one} ${two}`).toBe(Math.sign(at - other));
  expect(["1.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+build", "1.0.0 ", ""].filter(isVersion)).toEqual([]);
});
