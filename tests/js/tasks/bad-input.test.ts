// What is wrong is refused with a code and a sentence, and nothing is lost.
import { readFileSync } from "node:fs";
import { exportWorkspace, importWorkspace, MemoryTaskWorkspace, TaskAgent, type TaskWorkspace } from "glove-wasm/tasks";
import { expect, test, vi } from "vitest";
import { scripted } from "../../support/tasks.js";

const agent = () => new TaskAgent(scripted().config);
// biome-ignore lint/suspicious/noExplicitAny: what plain JavaScript may pass.
const any = (value: unknown): any => value;

test.each<[string, () => unknown, string, string]>([
  ["no model", () => new TaskAgent({}), "CONFIG_INVALID", "either `endpoint` or `createModel`"],
  ["an unknown option", () => new TaskAgent(any({ systemPrompt: "x" })), "CONFIG_INVALID", "Use `persona`"],
  ["an unknown policy", () => new TaskAgent(any({ endpoint: "/api", approvals: "lax" })), "CONFIG_INVALID", '"strict"'],
  [
    "phases of no tool",
    () => new TaskAgent({ endpoint: "/api", toolPhases: { x: ["act"] } }),
    "CONFIG_INVALID",
    "none of `tools`",
  ],
  [
    "a phase that is no function",
    () => new TaskAgent(any({ endpoint: "/api", phases: { act: "x" } })),
    "CONFIG_INVALID",
    "`phases.act`",
  ],
])("%s is refused when the agent is made", (_, make, code, message) => {
  expect(make).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
});

test.each<[string, unknown, string]>([
  ["an empty goal", "", "TASK_GOAL_INVALID"],
  ["a goal of 1 MB", "x".repeat(1_000_000), "TASK_GOAL_INVALID"],
  ["no goal", {}, "CONFIG_INVALID"],
  ["an unknown budget", { goal: "x", budgets: { steps: 3 } }, "CONFIG_INVALID"],
  ["a share above 90", { goal: "x", budgets: { verify_percent: 95 } }, "TASK_CONFIG_INVALID"],
])("%s is refused, and nothing is written", async (_, spec, code) => {
  const workspace = new MemoryTaskWorkspace({ "task/brief.md": "One page." });
  await expect(agent().startTask(workspace, any(spec))).rejects.toMatchObject({ code });
  expect(await workspace.list("progress")).toEqual([]);
  expect(await workspace.lease()).toBeTypeOf("function");
});

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tasks/${name}`, import.meta.url), "utf8");

test("a workspace that is none is refused by what it lacks", async () => {
  await expect(agent().startTask(any({ name: "x" }), "Write")).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("`read` of the workspace"),
  });
  await expect(agent().startTask("no such/id", "Write")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(agent().startTask("brief", "Write")).rejects.toMatchObject({ code: "TASK_WORKSPACE_FAILED" });
});

test("two tools of one name are refused", async () => {
  const twice = any({ name: "file_read", description: "x", jsonSchema: { type: "object" }, do: async () => "" });
  const own = new TaskAgent({ ...scripted().config, tools: [twice] });
  await expect(own.startTask(new MemoryTaskWorkspace(), "Write")).rejects.toMatchObject({ code: "TASK_CONFIG_INVALID" });
});

test("a broken state is taken from its copy, and half an event line is kept aside", async () => {
  const workspace = new MemoryTaskWorkspace();
  const task = await agent().startTask(workspace, "Write");
  await task.stepOnce();
  task.close();
  await workspace.write("progress/state.json", '{"version": 1, "task');
  await workspace.append("progress/events.ndjson", '{"id":"ev_0');
  const again = await agent().resume(workspace);
  expect(again.getSnapshot().state.warnings.join()).toContain("could not be read");
  again.close();
  const recovered = (await workspace.list("progress/recovered")).map(({ path }) => path.replace(/-.*\./, "."));
  expect(recovered.sort()).toEqual(["progress/recovered/events.txt", "progress/recovered/state.json"]);
  await workspace.write("progress/state.json", "x");
  await workspace.write("progress/state.previous.json", "y");
  await expect(agent().resume(workspace)).rejects.toMatchObject({ code: "TASK_STATE_BROKEN" });
});

test("a store that fails says so, and the task goes on from what is written", async () => {
  const full = new (class extends MemoryTaskWorkspace {
    fails = false;
    override async write(path: string, content: string | Uint8Array): Promise<void> {
      if (this.fails) throw new Error("the disk is full");
      return super.write(path, content);
    }
  })();
  const task = await agent().startTask(full, "Write");
  full.fails = true;
  await expect(task.run()).rejects.toMatchObject({
    code: "TASK_WORKSPACE_FAILED",
    message: expect.stringContaining("disk is full"),
  });
  task.close();
  full.fails = false;
  const again = await agent().resume(full);
  expect((await again.run()).finish_reason).toBe("completed");
});

test("a workspace that was exported is the same where it is imported", async () => {
  const from = new MemoryTaskWorkspace({ "task/brief.md": "One page. ü", "task/logo.png": new Uint8Array([0x89, 0x50, 0xff]) });
  await agent().doTask(from, "Write");
  const to = new MemoryTaskWorkspace();
  await importWorkspace(to, await exportWorkspace(from));
  const contents = async (workspace: TaskWorkspace) => {
    const all = [...(await workspace.list("task")), ...(await workspace.list("progress"))].map(({ path }) => path).sort();
    return Promise.all(all.map(async (path) => [path, await workspace.read(path)]));
  };
  expect(await contents(to)).toEqual(await contents(from));
  await expect(importWorkspace(to, await exportWorkspace(from))).rejects.toMatchObject({ code: "TASK_EXISTS" });
});

/** The program is given the same. */
const badImports = JSON.parse(fixture("imports.json")) as {
  readonly name: string;
  readonly text?: string;
  readonly state?: object;
  readonly says: string;
}[];

test.each(badImports)("an export with $name is refused, and nothing is written", async ({ text, state, says }) => {
  const { files, ...rest } = JSON.parse(fixture("begun-in-a-page.json")) as { files: Record<string, string> };
  const forged = JSON.stringify({ ...JSON.parse(files["progress/state.json"] as string), ...state });
  const { "progress/state.previous.json": _, ...others } = files;
  const workspace = new MemoryTaskWorkspace();
  const given = text ?? JSON.stringify({ ...rest, files: { ...others, "progress/state.json": forged } });
  await expect(importWorkspace(workspace, given)).rejects.toMatchObject({
    code: "TASK_EXPORT_INVALID",
    message: expect.stringContaining(says),
  });
  expect([await workspace.list("task"), await workspace.list("progress")]).toEqual([[], []]);
});

test("an import that ends in the middle leaves no task behind", async () => {
  const from = new MemoryTaskWorkspace();
  await agent().doTask(from, "Write");
  const json = await exportWorkspace(from);
  const { files } = JSON.parse(json) as { files: Record<string, string> };
  const names = ["progress/state.previous.json", ...Object.keys(files)];
  const text = JSON.stringify({ ...JSON.parse(json), files: Object.fromEntries(names.map((name) => [name, files[name]])) });
  const full = new MemoryTaskWorkspace();
  let left = 3;
  const write = full.write.bind(full);
  full.write = async (path, content) => {
    if (left-- === 0) throw new Error("the disk is full");
    return write(path, content);
  };
  await expect(importWorkspace(full, text)).rejects.toThrow("the disk is full");
  await expect(agent().resume(full)).rejects.toMatchObject({ code: "TASK_MISSING" });
  expect([...(await full.list("task")), ...(await full.list("progress"))]).toEqual([]);
});

test("nothing is imported over a task whose state is gone and whose state before is there", async () => {
  const workspace = new MemoryTaskWorkspace();
  await agent().doTask(workspace, "Write");
  const json = await exportWorkspace(workspace);
  await workspace.remove("progress/state.json");
  await expect(importWorkspace(workspace, json)).rejects.toMatchObject({ code: "TASK_EXISTS" });
});

test.each<[string, object, string]>([
  ["reads a text", { read: async () => "# Brief" }, "`read` of the workspace must give a Uint8Array"],
  ["gives no function for its lease", { lease: async () => true }, "`lease` of the workspace must give a function"],
])("a workspace that %s is refused with what it must give", async (_, wrong, message) => {
  const workspace = Object.assign(new MemoryTaskWorkspace(), wrong);
  await expect(agent().startTask(workspace, "Write")).rejects.toMatchObject({
    code: "TASK_WORKSPACE_FAILED",
    message: expect.stringContaining(message),
  });
});

test.each<[string, (content: Uint8Array | undefined) => unknown]>([
  ["gives null where there is no file", async (content) => content ?? null],
  ["answers without a promise", (content) => content],
])("a workspace that %s does not crash the core", async (_, answer) => {
  const workspace = new MemoryTaskWorkspace();
  const files = new Map<string, Uint8Array>();
  const write = async (path: string, content: string | Uint8Array) => {
    files.set(path, new TextEncoder().encode(String(content)));
  };
  const text = (path: string) => new TextDecoder().decode(files.get(path));
  const append = (path: string, content: string) => write(path, text(path) + content);
  const read = (path: string) => any(answer(files.get(path)));
  const result = await agent().doTask(Object.assign(workspace, { read, write, append }), "Write");
  expect(result.finish_reason).toBe("completed");
});

test("options of a run that cannot be are a rejection", async () => {
  const task = await new TaskAgent(scripted().config).startTask(new MemoryTaskWorkspace(), "Write it");
  let running: Promise<unknown> | undefined;
  expect(() => {
    running = task.run({ view: "large" as "full" });
  }).not.toThrow();
  await expect(running).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  task.close();
});

test.each(["read", "lease", "write"] as const)(
  "a workspace whose `%s` never answers ends a start with an error",
  async (method) => {
    const workspace = new MemoryTaskWorkspace();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const silent = vi.spyOn(workspace, method).mockReturnValue(new Promise<never>(() => {}));
      const starting = new TaskAgent(scripted().config).startTask(workspace, "Write it");
      const refused = expect(starting).rejects.toMatchObject({ code: "TASK_WORKSPACE_FAILED" });
      await vi.waitUntil(() => silent.mock.calls.length > 0);
      await vi.advanceTimersByTimeAsync(60_000);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  },
);
