// `npm create glove-wasm`, as it is packed: what it makes of each choice, what it asks, and what it refuses.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isLong } from "../support/long.js";
import { packageVersion, root } from "../support/project.js";
import { appsFolder, create, linkTools, packCreate, program, run } from "./created.js";

let packed = "";
let apps = "";
beforeAll(() => {
  packed = packCreate();
  linkTools();
  apps = appsFolder();
});
afterAll(() => {
  if (packed) rmSync(dirname(packed), { recursive: true, force: true });
});

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll("\\", "/"));

test("the package holds the command and its templates, and depends on nothing but the prompts", () => {
  const others = /^(src\/[\w-]+\.js|templates\/.+|package\.json|README\.md|LICENSE-(MIT|APACHE))$/;
  const files = filesIn(packed);
  expect(files.filter((name) => !others.test(name))).toEqual([]);
  expect(files).toContain("templates/all/gitignore");
  const manifest = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
  expect([manifest.version, Object.keys(manifest.dependencies)]).toEqual([packageVersion, ["@clack/prompts"]]);
  const imported = files
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => [...readFileSync(join(packed, name), "utf8").matchAll(/from "([^."][^"]*)"/g)].map(([, from]) => from));
  expect([...new Set(imported)].filter((name) => !name?.startsWith("node:"))).toEqual(["@clack/prompts"]);
});

test("its providers are those of the table that a chat handler can ask, with the models of today", async () => {
  interface Row {
    readonly id: string;
    readonly format: string;
    readonly models: readonly string[];
  }
  const table: readonly Row[] = JSON.parse(readFileSync(join(root, "src/providers/table.json"), "utf8"));
  const { providers } = await import(pathToFileURL(join(packed, "src/generated.js")).href);
  const expected = table.filter(({ format }) => format !== "bedrock").map(({ id, models }) => [id, models[0] ?? ""]);
  expect(providers.map(({ id, model }: { id: string; model: string }) => [id, model])).toEqual(expected);
});

const parts = ["threads", "attachments", "approvals"];

/** Every choice: a folder's name and its flags. */
const variants = ["vite", "next", "server"].flatMap((template) =>
  [["scripted"], ["openai"], ["ollama", "--model", "llama3.2"]].flatMap(([provider = "", ...model]) => {
    const known = template === "server" ? ["approvals"] : parts;
    return [...Array(2 ** known.length).keys()].map((bits) => {
      const on = known.map((part, index) => [part, (bits & (1 << index)) !== 0] as const);
      const name = [template, provider, ...on.flatMap(([part, yes]) => (yes ? [part] : []))].join("-");
      const flags = ["--template", template, "--provider", provider, ...model, "--yes"];
      const choices = { folder: name, template, provider, model: model[1], ...Object.fromEntries(on) };
      return { name, template, choices, flags: [...flags, ...on.map(([part, yes]) => (yes ? `--${part}` : `--no-${part}`))] };
    });
  }),
);

/** As the command does, without starting it once more. */
async function write(name: string, choices: object): Promise<void> {
  const module = (file: string) => import(pathToFileURL(join(packed, "src", file)).href);
  const [{ settled }, { filesOf }, folder] = [await module("choices.js"), await module("app.js"), await module("folder.js")];
  if (!existsSync(join(apps, name))) folder.write(join(apps, name), filesOf(settled(choices)));
}

/** Each template with each kind of provider, and each part on and off with each template. */
const some = new Set([
  "vite-scripted-threads-attachments-approvals",
  "vite-openai-threads-approvals",
  "vite-ollama-attachments",
  "next-openai-threads-attachments",
  "server-scripted-approvals",
  "server-openai",
]);
const checked = variants.filter(({ name }) => isLong || some.has(name));

test.each(checked)("the command makes $name", ({ name, flags }) => {
  const { code, out, error } = create(packed, [name, ...flags], apps);
  expect([code, error]).toEqual([0, ""]);
  expect(out).toContain("npm run dev");
});

test("every choice is made of short files that hold all they name", async () => {
  for (const { name, choices } of variants) {
    await write(name, choices);
    for (const file of filesIn(join(apps, name))) {
      const text = readFileSync(join(apps, name, file), "utf8");
      expect(text.split("\n").length, `${name}/${file}`).toBeLessThan(120);
      expect(text, `${name}/${file}`).not.toMatch(/@(if|else|end)\b|\{\{\w|undefined\}|\n\n\n|^\n/);
      expect(text.endsWith("\n"), `${name}/${file}`).toBe(true);
    }
    const readme = readFileSync(join(apps, name, "README.md"), "utf8");
    for (const [, file = ""] of readme.matchAll(/^\| `(\S+\.tsx?)`/gm)) {
      expect(existsSync(join(apps, name, file)), `${name}: ${file}`).toBe(true);
    }
    const scripts = Object.keys(JSON.parse(readFileSync(join(apps, name, "package.json"), "utf8")).scripts);
    for (const [, script = ""] of readme.matchAll(/^\| `npm (?:run )?(\w+)`/gm)) expect(scripts, name).toContain(script);
    const needsKey = name.includes("openai");
    const example = join(apps, name, ".env.example");
    expect(existsSync(example) && readFileSync(example, "utf8").includes("OPENAI_API_KEY=\n"), name).toBe(needsKey);
    expect(readFileSync(join(apps, name, ".gitignore"), "utf8")).toContain("\n.env\n");
  }
}, 300_000);

test("what is made is written as the formatter writes it, and the linter has nothing to say", () => {
  const folder = join(apps, "..", `style-${process.pid}`);
  for (const { name } of variants) cpSync(join(apps, name), join(folder, "made", name), { recursive: true });
  const rules = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  // Next and the settings of Vite want default exports.
  rules.linter.rules.style.noDefaultExport = "off";
  const config = JSON.stringify({
    ...rules,
    vcs: { enabled: false },
    files: { includes: ["**"] },
    overrides: [],
    root: true,
  });
  writeFileSync(join(folder, "biome.json"), config);
  try {
    run(folder, join(root, "node_modules/@biomejs/biome/bin/biome"), ["ci", "--colors=off", "--max-diagnostics=50", "made"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

test.each(checked)(
  "$name compiles",
  ({ name, template }) => {
    const app = join(apps, name);
    // Next writes it when it is started.
    if (template === "next") writeFileSync(join(app, "next-env.d.ts"), `/// <reference types="next" />\n`);
    // A Next app has TypeScript 5, which takes three times as long.
    run(app, program(template === "next" && isLong ? "tsc 5" : "tsc"), ["--noEmit", "-p", "."]);
  },
  300_000,
);

const tested = variants.filter(({ name }) =>
  isLong ? true : ["vite-openai-threads-approvals", "server-scripted-approvals"].includes(name),
);

test.each(tested)("the tests of $name pass", ({ name }) => {
  run(join(apps, name), program("vitest"), ["run"]);
});

test("a folder that is not empty is left as it is", () => {
  const full = join(apps, "full");
  mkdirSync(full);
  writeFileSync(join(full, "mine.txt"), "mine");
  const said = create(packed, ["full", "--yes"], apps);
  expect([said.code, said.error]).toEqual([
    1,
    "full is not empty (it has mine.txt): name a new folder, or empty this one. Nothing was written.\n",
  ]);
  expect(readdirSync(full)).toEqual(["mine.txt"]);
  // A file by that name, and what names the same folder.
  expect(create(packed, ["full/mine.txt", "--yes"], apps).error).toContain("full/mine.txt is a file");
  expect(create(packed, [".", "--yes"], full).error).toContain(". is not empty");
});

test("an empty folder is used, also one with a fresh repository, and gives the app its name", () => {
  const folder = join(apps, "My App");
  mkdirSync(join(folder, ".git"), { recursive: true });
  expect(create(packed, [".", "--yes"], folder).code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name).toBe("my-app");
});

test.each([
  [["--template", "svelte"], 'There is no template called "svelte". Choose one of: vite, next, server.'],
  [["--provider", "opnai"], 'There is no provider called "opnai". Choose one of: scripted, openrouter, anthropic'],
  [["--provider", "ollama"], "Ollama serves the models that you installed: name one"],
  [["--model", "m"], "The scripted model has no --model"],
  [["--provider", "openai", "--model", 'a"b'], '"a\\"b" is not the name of a model.'],
  [["--base-url", "https://models.example.com/v1"], "The scripted model has no --base-url"],
  [["--provider", "openai", "--base-url", "models"], '"models" is not an address: write it as https://models.example.com/v1.'],
  [["--provider", "openai", "--base-url", 'https://a/"'], "is not an address"],
  [["--template", "server", "--threads"], "--threads is about the page, and a server has none"],
  [["--template", "server", "--no-attachments"], "--attachments is about the page"],
  [["--colour"], "Unknown option '--colour'. --help lists the flags."],
  [["other"], "One folder is made at a time, and these are 2: app, other."],
])("%j is refused with a sentence, and nothing is written", (args, sentence) => {
  const said = create(packed, ["app", "--yes", ...args], apps);
  expect([said.code, said.out]).toEqual([1, ""]);
  expect(said.error).toContain(sentence);
  expect(said.error.trim().split("\n")).toHaveLength(1);
  expect(existsSync(join(apps, "app"))).toBe(false);
});

test.each(["vite", "next", "server"])("%s asks a server at another address with the key of its provider", (template) => {
  const flags = ["--template", template, "--provider", "openai", "--base-url", "http://localhost:8000/v1", "--model", "house"];
  const name = `elsewhere-${template}`;
  expect(create(packed, [name, ...flags, "--yes"], apps).code).toBe(0);
  const routes = { vite: "server/chat.ts", next: "app/api/chat/route.ts", server: "src/chat.ts" };
  const route = readFileSync(join(apps, name, routes[template as keyof typeof routes]), "utf8");
  expect(route).toMatch(/provider: "openai",\s+baseURL: "http:\/\/localhost:8000\/v1",\s+model: "house",/);
});

test("where nobody can be asked, it says how to name the choices", () => {
  const said = create(packed, ["app"], apps);
  expect([said.code, said.error]).toEqual([1, expect.stringContaining("add --yes")]);
});

test.each([
  ["npm/11.0.0 node/v24", "npm install", "npm run dev"],
  ["pnpm/10.0.0 npm/? node/v24", "pnpm install", "pnpm dev"],
  ["yarn/4.0.0 npm/? node/v24", "yarn install", "yarn dev"],
  ["bun/1.4.0 npm/? node/v24", "bun install", "bun run dev"],
  ["", "npm install", "npm run dev"],
])("started by %j, it names %s and %s", (userAgent, install, dev) => {
  const name = `by ${userAgent.split("/")[0]}`;
  const { out } = create(packed, [name, "--yes", "--provider", "gemini"], apps, userAgent);
  const steps = out.split("\n").flatMap((line) => (line.startsWith("  ") ? [line.trim()] : []));
  expect(steps).toEqual([`cd "${name}"`, expect.stringContaining("cp .env.example .env"), install, dev]);
});

test("--help lists every flag, and --version is that of glove-wasm", () => {
  const { code, out } = create(packed, ["--help"], apps);
  expect(code).toBe(0);
  for (const word of [
    "--template",
    "--provider",
    "--model",
    "--base-url",
    "--yes",
    "lmstudio",
    ...parts.map((part) => `--no-${part}`),
  ]) {
    expect(out).toContain(word);
  }
  expect(create(packed, ["--version"], apps).out.trim()).toBe(packageVersion);
});

/** As at a terminal: keys are pressed when their question is there. */
async function answer(args: readonly string[], keys: readonly (readonly [question: string, keys: string])[]) {
  const terminal = "process.stdin.isTTY = true; process.stdin.setRawMode = () => process.stdin;";
  const preload = `data:text/javascript,${encodeURIComponent(terminal)}`;
  const child = spawn(process.execPath, ["--import", preload, join(packed, "src/index.js"), ...args], { cwd: apps });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const over = new Promise<number | null>((resolve) => child.once("close", resolve));
  for (const [question, press] of keys) {
    await vi.waitFor(() => expect(said).toContain(question), { timeout: 30_000 });
    child.stdin.write(press);
  }
  child.stdin.end(); // A terminal that nothing is read from keeps no process.
  return { code: await over, said };
}

test("a person is asked for what the flags leave open", async () => {
  const [down, enter] = ["\x1b[B", "\r"];
  const { code, said } = await answer(
    ["--provider", "ollama", "--no-threads"],
    [
      ["In which folder?", `asked${enter}`],
      ["What do you make?", `${down}${enter}`],
      ["Which of Ollama's models?", `qwen3${enter}`],
      ["Pictures and files in messages?", "n"],
      ["A tool that runs only when a person allows it?", "y"],
    ],
  );
  expect([code, said]).toEqual([0, expect.stringContaining("cd asked")]);
  expect(said).not.toContain("Who answers?");
  expect(readFileSync(join(apps, "asked/app/api/chat/route.ts"), "utf8")).toContain('provider: "ollama", model: "qwen3"');
  const chat = readFileSync(join(apps, "asked/app/chat.tsx"), "utf8");
  expect([chat.includes("ThreadList"), chat.includes("attachments={false}")]).toEqual([false, true]);
});

test("who stops in the middle gets nothing", async () => {
  const before = readdirSync(apps);
  const { code, said } = await answer(["stopped"], [["What do you make?", "\x03"]]);
  expect([code, said]).toEqual([1, expect.stringContaining("Nothing was written.")]);
  expect(readdirSync(apps)).toEqual(before);
});
