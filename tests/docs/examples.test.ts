// Every example in the documentation compiles against the package, and those marked `run` print what they say.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { type GloveTask, TaskAgent } from "glove-wasm/tasks";
import { expect, test, vi } from "vitest";
import { root } from "../support/project.js";
import { examples, expectEvents } from "../support/task-examples.js";
import { blocks, folder, pages, promised, write } from "./blocks.js";

const all = blocks();
write(all);

test("every example compiles against the types of the package", () => {
  expect(all.length).toBeGreaterThan(10);
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const compile = () => execFileSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8", cwd: root, stdio: "pipe" });
  try {
    compile();
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}, 180_000);

for (const { place, file, code, run } of all) {
  if (!run) continue;
  test(`${place} prints what it says`, async () => {
    const printed: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
      printed.push(values.map((value) => (typeof value === "string" ? value : inspect(value, { depth: 5 }))).join(" "));
    });
    try {
      await import(file);
    } finally {
      log.mockRestore();
    }
    expect(promised(code).length, "an example that runs shows what it prints").toBeGreaterThan(0);
    expect(printed).toEqual(promised(code));
  });
}

/** The three examples of the page on tasks, and what they are called where their events stand. */
const tasks = { "research-brief.ts": "a research brief", "data-job.ts": "a data job", "review.ts": "a review with approvals" };

test.each(Object.entries(tasks))("%s of the page on tasks has the events of the native run", async (name, title) => {
  const block = all.find(({ file }) => file.endsWith(`docs-tasks-md/${name}`));
  const example = examples.find((one) => one.name === title);
  if (!block || !example) throw new Error(`there is no ${name} on the page`);
  const begun: Promise<GloveTask>[] = [];
  const start = TaskAgent.prototype.startTask;
  const started = vi.spyOn(TaskAgent.prototype, "startTask").mockImplementation(function (this: TaskAgent, ...args) {
    const task = start.apply(this, args);
    begun.push(task);
    return task;
  });
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    // Anew, also where it has run for what it prints.
    await import(`${block.file}?events`);
  } finally {
    started.mockRestore();
    log.mockRestore();
  }
  expect(begun).toHaveLength(1);
  const { events, state } = (await (begun[0] as Promise<GloveTask>)).getSnapshot();
  expectEvents(example, events, state.task_id, "unnamed");
});

const servers = all.filter(({ file }) => file.endsWith("/server.mjs"));

test.each(servers)(
  "the server of $place starts, and answers a page that it has no key",
  async ({ file }) => {
    const port = await freePort();
    const env = { PATH: process.env.PATH, PORT: String(port) };
    const server = spawn(process.execPath, [file], { cwd: dirname(file), env, stdio: "ignore" });
    const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
    try {
      await vi.waitFor(() => ask("/"), { timeout: 20_000, interval: 100 });
      const body = JSON.stringify({ systemPrompt: "", messages: [{ sender: "user", text: "Hello" }] });
      const refused = await ask("/api/chat", { method: "POST", headers: { "content-type": "application/json" }, body });
      expect(await refused.json()).toMatchObject({ error: { code: "MODEL_CONFIG" } });
      // It serves no file but those of the page.
      for (const path of ["/server.mjs", "/node_modules/../server.mjs", "/.env"]) expect((await ask(path)).ok, path).toBe(false);
    } finally {
      server.kill();
    }
  },
  60_000,
);

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => taken.once("listening", listening));
  const { port } = taken.address() as { port: number };
  await new Promise((closed) => taken.close(closed));
  return port;
}

test("every link between the pages leads somewhere", () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    return links.flatMap(([, target = "", anchor]) => {
      const file = target === "" ? join(root, page) : join(root, page, "..", target);
      const there = existsSync(file) && (!anchor || headings(file).includes(anchor));
      return there ? [] : [`${page}: ${target}#${anchor}`];
    });
  });
  expect(broken).toEqual([]);
});

/** The anchors of a page, as GitHub makes them of its headings. */
function headings(file: string): string[] {
  const titles = [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title);
  return titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
