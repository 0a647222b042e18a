// examples/coding-agent: a person in a terminal, a kill in the middle, and a model that wants what it may not have.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { StoreAdapter, ToolConfig } from "glove-wasm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { root } from "../support/project.js";
import { makeApp } from "./app.js";

let folder: string;
let running: Terminal | undefined;
const outside = mkdtempSync(join(tmpdir(), "glove-coding-agent-"));
const read = (name: string) => readFileSync(join(folder, "sample", name), "utf8");

beforeAll(() => {
  folder = makeApp("coding-agent", {}, "coding-agent");
});
afterEach(() => running?.kill());
afterAll(() => rmSync(outside, { recursive: true, force: true }));

/** What a person types, and waits for. */
class Terminal {
  readonly process: ChildProcess;
  private shown = "";

  constructor(env: Record<string, string> = {}) {
    const { ANTHROPIC_API_KEY: _, ...others } = process.env;
    const stdio = ["pipe", "pipe", "inherit"] as const;
    this.process = spawn(process.execPath, ["agent.mjs", "sample"], {
      cwd: folder,
      env: { ...others, ...env },
      stdio: [...stdio],
    });
    this.process.stdout?.on("data", (bytes) => {
      this.shown += bytes;
    });
    running = this;
  }

  /** What has been printed up to this text. */
  async until(text: string): Promise<string> {
    await expect.poll(() => this.shown, { timeout: 30_000 }).toContain(text);
    const end = this.shown.indexOf(text) + text.length;
    const before = this.shown.slice(0, end);
    this.shown = this.shown.slice(end);
    return before;
  }

  say(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }
}

const question = "Do it? [y/n] ";

test("a failing test is mended with what a person allows, through a kill at a question and one in a command, and taken back", async () => {
  const broken = read("sum.mjs");
  const first = new Terminal();
  await first.until("> ");
  first.say("Make the tests pass");
  expect(await first.until(question)).toContain("command: node --test");
  first.say("y");
  expect(await first.until(question)).toMatch(
    /edit_file\n {2}path: sum\.mjs\n {2}find: total - number\n {2}replace: total \+ number/,
  );
  await first.kill();
  expect(read("sum.mjs")).toBe(broken);

  // What was asked is asked again, and what was done is not done again.
  const second = new Terminal();
  const again = await second.until(question);
  expect(again).toContain("replace: total + number");
  expect(again).not.toContain("node --test");
  second.say("y");
  // The test does not end before it is let go, so that the kill hits it.
  writeFileSync(join(folder, "sample", "slow.test.mjs"), waiting);
  await second.until(question);
  second.say("y");
  await expect.poll(() => existsSync(join(folder, "sample", "begun")), { timeout: 30_000 }).toBe(true);
  await second.kill();
  writeFileSync(join(folder, "sample", "go"), "");
  const mended = read("sum.mjs");
  expect(mended).toBe(broken.replace("-", "+"));

  const third = new Terminal();
  expect(await third.until(question)).toContain("command: node --test");
  third.say("y");
  await third.until("All tests pass.");
  await third.until("> ");
  expect(read("sum.mjs")).toBe(mended);
  third.say("/undo");
  await third.until("> ");
  third.say("/undo");
  await third.until("> ");
  third.say("/undo");
  await third.until("> ");
  expect(read("sum.mjs")).toBe(broken);
  third.say("");
  await once(third.process, "exit");
  expect(third.process.exitCode).toBe(0);
});

test("it can be read in a few minutes", () => {
  const files = readdirSync(join(root, "examples/coding-agent")).filter((name) => name.endsWith(".mjs"));
  const texts = files.map((name) => readFileSync(join(root, "examples/coding-agent", name), "utf8"));
  expect(texts.join("").split("\n").length).toBeLessThanOrEqual(201);
});

const waiting = `import { existsSync, writeFileSync } from "node:fs";
import test from "node:test";
test("waits", async () => {
  writeFileSync("begun", "");
  for (let waited = 0; !existsSync("go") && waited < 600; waited++) await new Promise((done) => setTimeout(done, 50));
});
`;

describe("the tools", () => {
  let tools: Map<string, ToolConfig>;
  const use = async (name: string, input: Record<string, string>) =>
    tools.get(name)?.do(input, undefined as never, undefined, new AbortController().signal);

  beforeAll(async () => {
    const { codingTools } = await import(pathToFileURL(join(folder, "tools.mjs")).href);
    const project = join(folder, "project");
    mkdirSync(join(project, "src"), { recursive: true });
    for (const [name, text] of [
      ["src/a.txt", "one two one"],
      [".env", "KEY=secret"],
    ] as const) {
      writeFileSync(join(project, name), text);
    }
    writeFileSync(join(outside, "secret.txt"), "secret");
    symlinkSync(outside, join(project, "out"));
    symlinkSync(join(outside, "new.txt"), join(project, "new.txt"));
    const list: ToolConfig[] = await codingTools(project);
    tools = new Map(list.map((tool) => [tool.name, tool]));
  });

  test.each(["../sample/sum.mjs", "/etc/passwd", "out/secret.txt", ".env", "src/../.env", "new.txt", "out/other.txt"])(
    "%s is neither read nor written",
    async (path) => {
      await expect(use("read_file", { path })).rejects.toThrow();
      await expect(use("write_file", { path, text: "mine" })).rejects.toThrow();
      await expect(use("edit_file", { path, find: "secret", replace: "mine" })).rejects.toThrow();
      expect(readdirSync(outside)).toEqual(["secret.txt"]);
      expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("secret");
    },
  );

  test("a file is never replaced, and a piece that is there twice is not guessed", async () => {
    await expect(use("write_file", { path: "src/a.txt", text: "" })).rejects.toThrow("EEXIST");
    await expect(use("edit_file", { path: "src/a.txt", find: "one", replace: "1" })).rejects.toThrow("is there 2 times");
    await use("edit_file", { path: "src/a.txt", find: "two", replace: "$&" });
    expect(await use("read_file", { path: "src/a.txt" })).toBe("one $& one");
    await use("write_file", { path: "src/b.txt", text: "new" });
    expect(await use("list_files", { folder: "." })).toEqual(["new.txt", "out", "src/"]);
    expect(await use("list_files", { folder: "src" })).toEqual(["a.txt", "b.txt"]);
  });

  test("a command gives how it ended, has no key, and ends with all that it started when it is stopped", async () => {
    process.env.ANTHROPIC_API_KEY = "secret";
    try {
      expect(await use("run", { command: "echo $ANTHROPIC_API_KEY.; exit 3" })).toEqual({ ended: 3, printed: ".\n" });
    } finally {
      delete process.env.ANTHROPIC_API_KEY;
    }
    const stop = new AbortController();
    const input = { command: "sleep 600 & sleep 600; echo no" };
    const ran = tools.get("run")?.do(input, undefined as never, undefined, stop.signal);
    setTimeout(() => stop.abort(), 100);
    // It ends when nothing holds what it prints to, so the sleeps have ended too.
    expect(await ran).toEqual({ ended: "SIGKILL", printed: "" });
  });

  test("only looking needs no approval", () => {
    const free = [...tools.values()].filter(({ requireApproval }) => requireApproval !== true);
    expect(free.map(({ name }) => name)).toEqual(["list_files", "read_file"]);
  });
});

describe("the file of the conversation", () => {
  type FileStore = (id: string, path: string) => Promise<StoreAdapter>;
  let fileStore: FileStore;
  let storeConformance: typeof import("glove-wasm/testing").storeConformance;
  beforeAll(async () => {
    // Of the package that the example has: an error of another one is no conflict.
    const installed = createRequire(join(folder, "store.mjs")).resolve("glove-wasm/testing");
    ({ storeConformance } = await import(pathToFileURL(installed).href));
    ({ fileStore } = (await import(pathToFileURL(join(folder, "store.mjs")).href)) as { fileStore: FileStore });
  });

  test("keeps to what sessions rely on", async () => {
    const wrong: string[] = [];
    const all = storeConformance({ make: (id) => fileStore(id, join(folder, "kept", `${id}.jsonl`)) });
    // It keeps no counters, and no other program writes to it.
    const cases = all.filter(({ name }) => !/counts its answers|another program make a finished run/.test(name));
    expect(cases.length).toBeGreaterThan(30);
    for (const { name, run } of cases) await run().catch((error) => wrong.push(`${name}: ${error}`));
    expect(wrong).toEqual([]);
  });

  test("of two agents, the one that writes second is refused; half a line at its end is left out", async () => {
    const path = join(folder, "kept", "two.jsonl");
    const step = (at: number) => ({
      firstMessage: at,
      messages: [{ sender: "user" as const, text: `${at}` }],
      records: [],
      seq: 0,
    });
    const [one, other] = [await fileStore("two", path), await fileStore("two", path)];
    await one.appendStep?.(step(0));
    await expect(other.appendStep?.(step(0))).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    writeFileSync(path, `${readFileSync(path, "utf8")}{"firstMessage":1,"mess`);
    const third = await fileStore("two", path);
    await third.appendStep?.(step(1));
    const read = await (await fileStore("two", path)).getMessages();
    expect(read.map(({ text }) => text)).toEqual(["0", "1"]);
  });
});
