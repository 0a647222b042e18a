// `npm run release -- 1.2.0`: checks that a version can be released, writes it where it stands, and what it stores in databases beside it,
// tries to publish it without doing so, commits and tags. `-- try` only tries, with the version of today; `-- notes v1.2.0` prints what the changelog says of a tag.
// Nothing is published here: a workflow does that when the tag arrives (.github/workflows/release.yml).
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { inRoot, root } from "./lib/project.mjs";
import { main, output, run, StepFailed, step } from "./lib/run.mjs";
import {
  changesOf,
  compareVersions,
  databasesOf,
  isVersion,
  places,
  released,
  versionsIn,
  withVersion,
} from "./lib/versions.mjs";

const git = (...args) => output("git", args);
const changelog = () => readFileSync(inRoot("CHANGELOG.md"), "utf8");

await main(async () => {
  const [what, ...rest] = process.argv.slice(2);
  if (what === "try" && rest.length === 0) return tryToday();
  if (what === "notes" && rest.length === 1) return notes(rest[0]);
  if (!what || rest.length > 0 || !isVersion(what)) {
    throw new StepFailed(
      `"${[what, ...rest].join(" ")}" is no version`,
      "Give one without a v, such as `npm run release -- 1.2.0` or `-- 1.2.0-beta.1`; or `-- try`, or `-- notes v1.2.0`.",
    );
  }
  check(what);
  await write(what);
});

/** Refuses what cannot be released; nothing has been changed by then. */
function check(version) {
  const changed = git("status", "--porcelain");
  if (changed === undefined) throw new StepFailed("this is no git repository", "Release from a clone.");
  if (changed) throw new StepFailed(`there are changes that no commit has:\n${changed}`, "Commit them, or put them away.");
  const branch = git("branch", "--show-current");
  if (branch !== "main") throw new StepFailed(`the branch is ${branch || "none"}, and not main`, "Release from main.");
  const [now] = oneVersion();
  const tags = git("tag", "--list", "v*")
    .split("\n")
    .map((tag) => tag.slice(1))
    .filter(isVersion);
  // The first version stands in the files before it is released.
  const newest = tags.sort(compareVersions).at(-1);
  if (compareVersions(version, now) < 0 || (newest && compareVersions(version, newest) <= 0)) {
    const order = newest ? `${newest} is released, and the files say ${now}` : `the files say ${now}`;
    throw new StepFailed(`${version} is not newer: ${order}`, "Give a greater version.");
  }
  if (changesOf(changelog(), version) !== undefined) {
    throw new StepFailed(`CHANGELOG.md has a part on ${version} already`, "Give another version.");
  }
  if (!changesOf(changelog(), "Unreleased")) {
    throw new StepFailed('CHANGELOG.md says nothing below "Unreleased"', "Write there what users notice.");
  }
}

/** The one version of all files. */
function oneVersion() {
  const found = versionsIn(root);
  const versions = [...new Set(found.map(({ version }) => version))];
  if (versions.length > 1) {
    const told = found.map(({ file, version }) => `    ${file}: ${version}`).join("\n");
    throw new StepFailed(`the files say different versions:\n${told}`, "Give all of them the version of package.json.");
  }
  return versions;
}

/** Writes, tries, commits and tags. Whatever fails before the commit puts the files back. */
async function write(version) {
  const files = [...new Set(places.map(({ file }) => file)), "CHANGELOG.md"];
  const stored = databasesOf(version);
  const before = [...files, ...stored].map((file) => (existsSync(inRoot(file)) ? readFileSync(inRoot(file), "utf8") : undefined));
  try {
    files.forEach((file, at) => {
      const day = new Date().toISOString().slice(0, 10);
      const text = file === "CHANGELOG.md" ? released(before[at], version, day) : withVersion(file, before[at], version);
      writeFileSync(inRoot(file), text);
    });
    if (oneVersion()[0] !== version)
      throw new StepFailed(`the files do not say ${version} now`, "Look at scripts/lib/versions.mjs.");
    await store(stored);
    await tryToPublish();
    await run("git", ["add", "--", ...stored]);
    await run("git", ["commit", "--quiet", "-m", `Release ${version}`, "--", ...files, ...stored]);
  } catch (error) {
    [...files, ...stored].forEach((file, at) => {
      if (before[at] === undefined) rmSync(inRoot(file), { force: true });
      else writeFileSync(inRoot(file), before[at]);
    });
    throw error;
  }
  await step("tagging", `Run \`git tag -a v${version} -m v${version}\`.`, () =>
    run("git", ["tag", "-a", `v${version}`, "-m", `v${version}`]),
  );
  console.log(`\nVersion ${version} is committed and tagged. \`git push origin main v${version}\` has it published.`);
}

/** Has the tests write what this version leaves in databases, which every later version must read. */
async function store(files) {
  // What was written while the version was in the making may be of another form.
  for (const file of files) rmSync(inRoot(file), { force: true });
  const tests = ["test", "--workspace", "--all-features", "--test", "it", "stored_databases"];
  const fix = "Read the messages above. PostgreSQL and Redis must be installed: `apt-get install postgresql redis-server`.";
  await step("writing what this version stores", fix, async () => {
    await run("cargo", tests, { env: { WRITE_FIXTURE: "1" } });
    const missing = files.filter((file) => !existsSync(inRoot(file)));
    if (missing.length) throw new Error(`the tests did not write ${missing.join(", ")}`);
  });
}

/** The version of today may be published already, and models of the texts may end soon: both matter to a new version alone. */
async function tryToday() {
  for (const args of [["scripts/build.mjs"], ["packages/create-glove-wasm/build.mjs"]]) await run(process.execPath, args);
  await tryToPublish(["--ignore-scripts", "--force"]);
}

/** What publishing would do, but for the upload: packs everything, and compiles the crates from what is packed. */
async function tryToPublish(more = []) {
  const fix = "Read the messages above. Nothing has been published, and no file is changed.";
  // npm gives what has no tag of its own to everyone.
  const tag = oneVersion()[0].includes("-") ? "next" : "latest";
  const npm = ["publish", "--dry-run", "--access", "public", "--tag", tag, ...more];
  await step("npm publish --dry-run", fix, () => run("npm", npm));
  await step("npm publish --dry-run of create-glove-wasm", fix, () =>
    run("npm", npm, { cwd: inRoot("packages/create-glove-wasm") }),
  );
  await step("cargo publish --dry-run", fix, () =>
    run("cargo", ["publish", "--workspace", "--dry-run", "--locked", "--allow-dirty"]),
  );
}

/** The changes of a tag whose version all files say. */
function notes(tag) {
  const [version] = oneVersion();
  if (tag !== `v${version}`)
    throw new StepFailed(`the tag is ${tag}, and the files say ${version}`, "Make tags with `npm run release`.");
  const changes = changesOf(changelog(), version);
  if (!changes) throw new StepFailed(`CHANGELOG.md says nothing of ${version}`, "Make tags with `npm run release`.");
  console.log(changes);
}
