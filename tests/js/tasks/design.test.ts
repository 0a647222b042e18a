// What the agent-task design asks of agents, memories and servers beyond the usual run, as pages and Node have it.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GloveError, ToolConfig } from "glove-wasm";
import { createTaskClient } from "glove-wasm/remote";
import { type MemoryScope, MemoryTaskWorkspace, TaskAgent, VolatileMemory } from "glove-wasm/tasks";
import { createTaskHandler, FolderTaskWorkspace, listTaskFolders, type TaskHandlerConfig } from "glove-wasm/tasks/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { scripted, workingModel } from "../../support/tasks.js";

const user = (text: string) => ({ sender: "user" as const, text });

test("an agent has a name, capabilities, budgets and a view of its own", async () => {
  const { model, config } = scripted();
  const agent = new TaskAgent({
    ...config,
    name: "Ishmael",
    persona: "You are exact.",
    capabilities: ["reads logs", "counts whales"],
    budgets: { max_steps: 2, verify_percent: 0 },
    view: "full",
  });
  const result = await agent.doTask(new MemoryTaskWorkspace(), "Write the brief");
  expect(result).toMatchObject({ finish_reason: "budget_steps", steps: [{ name: "gather" }, { name: "plan" }] });
  const begins = "Your name is Ishmael.\n\nYou are exact.\n\nWhat you can do: reads logs; counts whales.";
  expect(model.calls[0]?.systemPrompt.startsWith(begins)).toBe(true);
  // What a task says itself counts.
  const own = new TaskAgent({ ...scripted().config, budgets: { max_steps: 2 }, view: "full" });
  const task = { goal: "Write the brief", budgets: { max_steps: 20 } };
  const done = await own.doTask(new MemoryTaskWorkspace(), task, { view: "minimal" });
  expect(done.finish_reason).toBe("completed");
  expect(done).not.toHaveProperty("steps");
});

test("budgets, views and capabilities that cannot be are refused where they are given", () => {
  const make = (more: object) => () => new TaskAgent({ createModel: workingModel, ...more });
  expect(make({ budgets: { steps: 2 } })).toThrow(/max_steps/);
  expect(make({ view: "everything" })).toThrow(/view/);
  expect(make({ capabilities: [7] })).toThrow(/capability/);
});

test("history that comes later is for tasks that are opened later", async () => {
  const { config } = scripted();
  const agent = new TaskAgent({ ...config, seedMessages: [user("Plain words.")] });
  const before = await agent.startTask(new MemoryTaskWorkspace(), "Write");
  agent.seedHistory(user("Short sentences."));
  const after = await agent.startTask(new MemoryTaskWorkspace(), "Write");
  agent.clearHistory();
  const last = await agent.startTask(new MemoryTaskWorkspace(), "Write");
  const texts = await Promise.all(
    [before, after, last].map(async (task) => (await task.historySnapshot()).map(({ text }) => text)),
  );
  expect(texts).toEqual([["Plain words."], ["Plain words.", "Short sentences."], []]);
});

test("a memory keeps data, finds by tags, and gives an agent a channel of its own", async () => {
  const asked: unknown[] = [];
  class Told extends VolatileMemory {
    override query(...given: Parameters<VolatileMemory["query"]>) {
      asked.push(given[1]);
      return super.query(...given);
    }
  }
  const agent = new TaskAgent({ createModel: workingModel, memory: new Told() });
  const ada: MemoryScope = { kind: "user", id: "ada" };
  const own = { ...ada, agent_id: "researcher" };
  for (let at = 0; at < 5; at++) await agent.remember(ada, { title: "Whales", text: `whales whales ${at}`, tags: ["other"] });
  await agent.remember(ada, { title: "Whales", text: "whales sing", tags: ["style", "sea"], data: { count: 3 } });
  await agent.remember(own, { title: "Whales", text: "whales of the researcher" });
  const found = await agent.recall(ada, "whales", { most: 2, tags: ["sea", "style"], filter: { since: 2020 } });
  expect(found).toMatchObject([{ text: "whales sing", data: { count: 3 } }]);
  expect(asked.at(-1)).toMatchObject({ tags: ["sea", "style"], filter: { since: 2020 } });
  expect((await agent.recall(own, "whales")).map(({ text }) => text)).toEqual(["whales of the researcher"]);
  expect(await agent.recall(ada, "whales", { tags: ["sea", "land"] })).toEqual([]);
});

test("channels of a view have tags, a template and a filter, and binding entries of the agent come first", async () => {
  const { model, config } = scripted();
  const agent = new TaskAgent({
    ...config,
    memory: new VolatileMemory(),
    memoryView: [
      { kind: "agent", tags: ["house"], template: "What the {channel} must" },
      { kind: "user", id: "" },
    ],
  });
  const house = { kind: "agent" as const, id: "researcher" };
  await agent.remember(house, { title: "Network", text: "only ours", tags: ["house", "constraint"], pinned: true });
  await agent.remember(house, { title: "Other", text: "not of the house", pinned: true });
  await agent.remember({ kind: "user", id: "ada" }, { title: "Network", text: "any", pinned: true });
  await agent.doTask(new MemoryTaskWorkspace(), { goal: "Write", user_id: "ada" });
  const system = model.calls[0]?.systemPrompt ?? "";
  expect(system).toContain("## What the agent must\n\n- Network: only ours");
  expect(system).not.toContain("any");
  expect(system).not.toContain("not of the house");
});

function served(more: Partial<TaskHandlerConfig> = {}) {
  const workspaces = new Map<string, MemoryTaskWorkspace>();
  const config: TaskHandlerConfig = {
    agent: new TaskAgent({ createModel: workingModel, pollMs: 5, approvals: { require_plan: true } }),
    workspace: (id, owner) => {
      const key = `${owner}/${id}`;
      const workspace = workspaces.get(key) ?? new MemoryTaskWorkspace();
      workspaces.set(key, workspace);
      return workspace;
    },
    owner: (request) => request.headers.get("x-user") ?? "",
    authorize: (request) => request.headers.has("x-user"),
    pollMs: 5,
    ...more,
  };
  const handler = createTaskHandler(config);
  const client = createTaskClient({
    url: "http://server/agent/tasks",
    headers: { "x-user": "ada.l@example.com" },
    fetch: (input, init) => handler(new Request(input, init)),
  });
  return { handler, client, workspaces, config };
}

test("a tool of the page writes notes and artifacts of its own step, and nothing that another step has kept", async () => {
  const told: string[] = [];
  const keep: ToolConfig = {
    name: "keep",
    description: "Keeps something",
    jsonSchema: { type: "object" },
    do: async (_, display) => {
      for (const path of [
        "gather-1/artifacts/a.md",
        "gather-1/sources/a.txt",
        "act-1-s1/report.json",
        "act-1-s1/artifacts/a.md",
      ]) {
        const written = display.files?.write(`progress/steps/${path}`, "mine");
        told.push(
          await (written ?? Promise.resolve()).then(
            () => "written",
            (error) => (error as GloveError).code,
          ),
        );
      }
      return "kept";
    },
  };
  const model = createScriptedModel([
    "Found.",
    '{"steps": [{"id": "s1", "title": "Keep"}]}',
    { toolCalls: [{ name: "keep", input: {} }] },
    "Kept.",
    '{"pass": true}',
  ]);
  const agent = new TaskAgent({ createModel: () => model, tools: [keep], pollMs: 5 });
  const workspace = new MemoryTaskWorkspace({ "progress/steps/gather-1/artifacts/a.md": "of gather" });
  expect(await agent.doTask(workspace, "Keep it")).toMatchObject({ finish_reason: "completed" });
  expect(told).toEqual(["TASK_PATH_READ_ONLY", "TASK_PATH_READ_ONLY", "TASK_PATH_READ_ONLY", "written"]);
  expect(new TextDecoder().decode(await workspace.read("progress/steps/gather-1/artifacts/a.md"))).toBe("of gather");
});

test("a stream token follows its task without a sign-in, on all servers that share its secret, and opens nothing else", async () => {
  const { handler, client, config } = served({ streamSecret: "one that all of our servers have in common" });
  const { id, stream_token } = await client.startTask("Find out");
  const at = (rest: string, by = handler) => by(new Request(`http://server/agent/tasks/${rest}`));
  const query = `follow=false&stream_token=${encodeURIComponent(stream_token)}`;
  const followed = await at(`${id}/events?${query}`);
  expect([followed.status, (await followed.text()).includes("task.start")]).toEqual([200, true]);
  expect((await at(`${id}/events?${query}`, createTaskHandler(config))).status).toBe(200);
  const others = createTaskHandler({ ...config, streamSecret: "one that the servers of somebody else have" });
  expect((await at(`${id}/events?${query}`, others)).status).toBe(401);
  for (const rest of [`${id}?${query}`, `${id}/result?${query}`, `${id}/files?${query}`, `x${id}/events?${query}`]) {
    expect((await at(rest)).status, rest).toBe(401);
  }
  await client.stop(id);
});

test("a stream that a token opened ends with the token, and whoever asks again is told so", async () => {
  const { handler, client } = served({ streamTokenMs: 1_500, heartbeatMs: 0, pollMs: 600_000 });
  for (let tries = 1; ; tries++) {
    const { id, stream_token } = await client.startTask("Find out");
    const url = `http://server/agent/tasks/${id}/events?stream_token=${encodeURIComponent(stream_token)}`;
    const followed = await handler(new Request(url));
    // On a slow machine the token may be over before it was used.
    if (followed.status === 401 && tries < 20) continue;
    expect(followed.status).toBe(200);
    // The task waits for a person, so nothing but the token ends it.
    const text = await followed.text();
    expect([text.includes("task.start"), text.includes("event: end")]).toEqual([true, false]);
    expect((await handler(new Request(url))).status).toBe(401);
    return;
  }
});

test("a secret that can be guessed is refused", () => {
  const { config } = served();
  for (const streamSecret of ["", "secret", "x".repeat(31)]) {
    expect(() => createTaskHandler({ ...config, streamSecret })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  }
  expect(() => createTaskHandler({ ...config, streamSecret: "x".repeat(32) })).not.toThrow();
});

test("a server without a list says so, and one with it lists what there is", async () => {
  const { client } = served();
  await expect(client.list()).rejects.toMatchObject({ code: "TASK_LIST_UNSUPPORTED" });
  const listed = served({ list: () => ["gone"] });
  expect(await listed.client.list()).toEqual({ tasks: [], more: false });
  const broken = new MemoryTaskWorkspace({ "progress/state.json": "{" });
  const told = served({ list: () => ["broken"], workspace: () => broken });
  const { tasks } = await told.client.list(5);
  expect(tasks).toMatchObject([{ id: "broken", can_resume: false, error: { code: "TASK_STATE_BROKEN" } }]);
});

test("a form that a browser sends becomes files below task", async () => {
  const { handler, client, workspaces } = served();
  const { id } = await client.startTask("Find out");
  await expect.poll(async () => (await client.state(id)).status).toBe("waiting");
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array([0, 13, 10, 255])]), "a b.bin");
  form.append("task/more/b.txt", "Zwei");
  const response = await handler(
    new Request(`http://server/agent/tasks/${id}/upload`, {
      method: "POST",
      body: form,
      headers: { "x-user": "ada.l@example.com" },
    }),
  );
  expect(await response.json()).toEqual({ id, files: ["task/a b.bin", "task/more/b.txt"] });
  const workspace = workspaces.get(`ada.l@example.com/${id}`);
  expect(await workspace?.read("task/a b.bin")).toEqual(new Uint8Array([0, 13, 10, 255]));
  await client.stop(id);
});

test("folders of tasks are listed by the time of their last write, and have the place for decisions from the start", async () => {
  const base = mkdtempSync(join(tmpdir(), "glove-list-"));
  try {
    expect(await listTaskFolders(join(base, "none"))).toEqual([]);
    const agent = new TaskAgent({ createModel: workingModel });
    for (const id of ["one", "two"]) (await agent.startTask(new FolderTaskWorkspace(join(base, id)), "Write")).close();
    mkdirSync(join(base, "no-task"));
    writeFileSync(join(base, "file"), "");
    expect(readdirSync(join(base, "one/progress/approvals/decisions"))).toEqual([]);
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(base, "one/progress/state.json"), later, later);
    expect(await listTaskFolders(base)).toEqual(["one", "two"]);
  } finally {
    rmSync(base, { recursive: true });
  }
});
