// What an agent of a page remembers over its tasks: where it stands in prompts, whose it is, and what happens when it is down.
import {
  type MemoryProvider,
  type MemoryScope,
  MemoryTaskWorkspace,
  TaskAgent,
  type TaskAgentConfig,
  VolatileMemory,
  ZepMemory,
} from "glove-wasm/tasks";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { workingModel } from "../../support/tasks.js";
import { type ZepStandIn, zep } from "../../support/zep.js";

const agentScope = { kind: "agent", id: "researcher" } as const;
const ada = { kind: "user", id: "ada" } as const;
const bob = { kind: "user", id: "bob" } as const;

function agentWith(memory: MemoryProvider, more: Partial<TaskAgentConfig> = {}) {
  const model = workingModel();
  const agent = new TaskAgent({ id: "researcher", createModel: () => model, pollMs: 5, memory, ...more });
  return { agent, model };
}

const brief = { goal: "Write the brief about whales", user_id: "ada" };

async function filled(memory: MemoryProvider) {
  await memory.put(agentScope, { id: "1", title: "Tone", text: "plain", pinned: true });
  await memory.put(agentScope, { id: "2", title: "Whales", text: "Whales are read about on five pages." });
  await memory.put(ada, { id: "3", title: "tone", text: "warm, mail to ada@example.com", pinned: true });
  await memory.put(ada, { id: "4", title: "Length", text: "A brief of whales is short." });
  await memory.put(bob, { id: "5", title: "Secret", text: "The whales of Bob", pinned: true });
  await memory.put(bob, { id: "6", title: "Other secret", text: "The brief whales of Bob" });
  return memory;
}

test("memory stands in its places within its budgets, and the journal has counts alone", async () => {
  const { agent, model } = agentWith(await filled(new VolatileMemory()));
  const workspace = new MemoryTaskWorkspace();
  const result = await agent.doTask(workspace, brief, { view: "full" });
  expect(result.finish_reason).toBe("completed");
  const systems = new Set(model.calls.map(({ systemPrompt }) => systemPrompt));
  expect(systems.size).toBe(1);
  const [system = ""] = systems;
  // Of two entries with one title the user's counts, without the address.
  expect(system).toContain("## Memory (user)\n\n- tone: warm, mail to [redacted]");
  expect(system).not.toContain("plain");
  const gather = model.calls[0]?.messages[0]?.text ?? "";
  expect(gather).toContain("Whales are read about on five pages.");
  expect(gather).toContain("A brief of whales is short.");
  const act = model.calls.find(({ messages }) => messages.at(-1)?.text.includes("Phase: act."))?.messages[0]?.text;
  expect(act).not.toContain("five pages");
  const journal = new TextDecoder().decode(await workspace.read("progress/events.ndjson"));
  expect(journal).toContain('"memory.read"');
  expect(journal).not.toMatch(/five pages|warm|short/);
});

test("the memory of one user is in no task of another, whatever view is set", async () => {
  const memory = await filled(new VolatileMemory());
  const asked: string[] = [];
  const spied: MemoryProvider = {
    put: (scope, entry) => memory.put(scope, entry),
    delete: (scope, id) => memory.delete(scope, id),
    query: (scope, query) => {
      asked.push(`${scope.kind}:${scope.id}`);
      return memory.query(scope, query);
    },
  };
  const { agent, model } = agentWith(spied, { memoryView: [{ kind: "user" }, { kind: "user", id: "bob", required: true }] });
  agent.attachUser("bob");
  await agent.doTask(new MemoryTaskWorkspace(), brief);
  expect(JSON.stringify(model.calls)).not.toMatch(/Bob/);
  expect(new Set(asked)).toEqual(new Set(["user:ada"]));
  // Bob's own task reads his alone.
  asked.length = 0;
  await agent.doTask(new MemoryTaskWorkspace(), { ...brief, user_id: "bob" });
  expect(new Set(asked)).toEqual(new Set(["user:bob"]));
  expect(JSON.stringify(model.calls)).toMatch(/The whales of Bob/);
});

test("a view that changes is read by the next step of a task that is open", async () => {
  const { agent, model } = agentWith(await filled(new VolatileMemory()), { memoryView: [] });
  const task = await agent.startTask(new MemoryTaskWorkspace(), brief);
  await task.stepOnce();
  expect(JSON.stringify(model.calls)).not.toContain("warm");
  agent.setMemoryView([{ kind: "user", pinnedTokens: 200, redact: false, recall: { plan: 5 } }]);
  await task.stepOnce();
  expect(model.calls.at(-1)?.systemPrompt).toContain("ada@example.com");
  expect(model.calls.at(-1)?.messages[0]?.text).toContain("A brief of whales is short.");
  agent.setMemoryView([]);
  await task.stepOnce();
  expect(model.calls.at(-1)?.systemPrompt).not.toContain("warm");
  task.close();
  agent.setMemoryView([{ kind: "agent" }]);
});

test.each<[string, Partial<MemoryProvider>, string]>([
  ["fails", { query: () => Promise.reject(new Error("connection refused")) }, "connection refused"],
  [
    "throws",
    {
      query: () => {
        throw new Error("connection refused");
      },
    },
    "connection refused",
  ],
  ["is silent", { query: () => new Promise(() => {}) }, "did not answer within 30 ms"],
  ["gives no list", { query: async () => "nothing" as never }, "cannot be read"],
  ["gives entries that are none", { query: async () => [{ id: 7 }] as never }, "cannot be read"],
])("a memory that %s is told, and the task goes on without it", async (_, broken, why) => {
  const memory = Object.assign(new VolatileMemory(), broken);
  const { agent } = agentWith(memory, { memoryPatienceMs: 30, memoryView: [{ kind: "agent" }] });
  const result = await agent.doTask(new MemoryTaskWorkspace(), brief, { view: "full" });
  expect(result.finish_reason).toBe("completed");
  expect(result.warnings?.join()).toContain("the memory agent:researcher could not be read");
  expect(result.warnings?.join()).toContain(why);
});

test("a task waits for a memory that it cannot do without, and nothing is lost", async () => {
  const memory = await filled(new VolatileMemory());
  const query = vi.spyOn(memory, "query").mockRejectedValue(new Error("connection refused"));
  const { agent, model } = agentWith(memory, { memoryView: [{ kind: "agent", required: true }] });
  const task = await agent.startTask(new MemoryTaskWorkspace(), brief);
  expect(await task.run()).toMatchObject({ status: "paused", error: { code: "TASK_MEMORY_FAILED" } });
  expect(model.calls.length).toBe(0);
  query.mockRestore();
  expect(await task.run()).toMatchObject({ finish_reason: "completed" });
  task.close();
});

test("what a task has learned is written into the channels that learn, once", async () => {
  const memory = new VolatileMemory();
  const put = vi.spyOn(memory, "put");
  const { agent } = agentWith(memory, { memoryView: [{ kind: "agent", learns: true }, { kind: "user" }] });
  const task = await agent.startTask(new MemoryTaskWorkspace(), { ...brief, id: "t1" });
  await task.run();
  await task.run();
  task.close();
  expect(put.mock.calls.map(([scope, { id }]) => [scope.kind, id])).toEqual([["agent", "task-t1"]]);
  const [learned] = await agent.recall({ kind: "agent", id: "" }, "whales");
  // What it found, and not what it said last.
  expect(learned).toMatchObject({
    text: "Three proposals are open.",
    tags: ["learned", "verified"],
    source: "task t1, progress/findings.md",
    data: { task: "t1", source: "progress/findings.md", verified: true },
  });
});

test("a channel that needs consent is read and written as a person allows it", async () => {
  const org = { kind: "org", id: "acme" } as const;
  for (const answer of ["approve", "deny"] as const) {
    const memory = new VolatileMemory();
    await memory.put(org, { id: "style", title: "Style", text: "Sober.", pinned: true });
    const memoryView = [{ ...org, learns: true, approveRead: true, approveWrite: true }];
    const { agent, model } = agentWith(memory, { memoryView });
    const workspace = new MemoryTaskWorkspace();
    const task = await agent.startTask(workspace, { ...brief, id: "t1" });
    const first = await task.run({ leaveWhenWaiting: true });
    expect(first.approvals).toMatchObject([{ id: "req_0001", type: "memory", channel: "org:acme", access: "read" }]);
    expect(model.calls).toEqual([]);
    await task[answer]("req_0001");
    const second = await task.run({ leaveWhenWaiting: true });
    expect(second.approvals).toMatchObject([
      { id: "req_0002", access: "write", input: [{ id: "task-t1", text: "Three proposals are open." }] },
    ]);
    await task[answer]("req_0002");
    expect(await task.run()).toMatchObject({ finish_reason: "completed" });
    task.close();
    const allowed = answer === "approve";
    expect(model.calls.every(({ systemPrompt }) => systemPrompt.includes("Sober.") === allowed)).toBe(true);
    expect((await agent.recall(org, "proposals")).map(({ id }) => id)).toEqual(allowed ? ["task-t1"] : []);
  }
});

test("an application remembers, recalls and forgets, and what it gets wrong is said", async () => {
  const { agent } = agentWith(new VolatileMemory());
  const id = await agent.remember(ada, { text: "Likes blue ink" });
  expect(await agent.recall(ada, "Which INK?")).toEqual([{ id, text: "Likes blue ink" }]);
  await agent.remember(ada, { id, text: "Likes green ink", pinned: true });
  expect(await agent.recall(ada, "blue")).toEqual([]);
  expect(await agent.recall(ada, "", { pinned: true })).toEqual([{ id, text: "Likes green ink", pinned: true }]);
  expect(await agent.recall(bob, "ink")).toEqual([]);
  expect([await agent.forget(ada, id), await agent.forget(ada, id)]).toEqual([true, false]);
  for (const wrong of [
    agent.remember({ kind: "user", id: "" }, { text: "x" }),
    agent.remember({ kind: "friend", id: "x" } as never, { text: "x" }),
    agent.remember(ada, { title: "x" } as never),
    agent.remember(ada, { text: "x", tag: "y" } as never),
    agent.recall(ada, 7 as never),
  ]) {
    await expect(wrong).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  }
  const without = new TaskAgent({ createModel: workingModel });
  await expect(without.recall(ada, "x")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(() => without.attachUser("ada")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  expect(() => agent.setMemoryView([{ kind: "user", recal: {} } as never])).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID" }),
  );
  for (const config of [{ memory: {} }, { memoryView: [] }, { memory: new VolatileMemory(), memoryView: [{}] }]) {
    expect(() => new TaskAgent({ createModel: workingModel, ...(config as object) })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
  }
  const down = agentWith(Object.assign(new VolatileMemory(), { put: () => new Promise(() => {}) }), { memoryPatienceMs: 20 });
  await expect(down.agent.remember(ada, { text: "x" })).rejects.toMatchObject({
    code: "TASK_MEMORY_FAILED",
    message: "The memory user:ada could not be written: it did not answer within 20 ms.",
  });
});

test("entries are found by their words in any case and language, rare words first, and by their meaning where texts are embedded", async () => {
  const memory = new VolatileMemory();
  const scope: MemoryScope = { kind: "project", id: "p" };
  const texts = [
    "The the the the report",
    "A report of the café",
    "東京の天気は晴れです",
    "Report report report report and much else that is said",
  ];
  for (const [at, text] of texts.entries()) await memory.put(scope, { id: String(at), text });
  const found = async (text: string, of = memory) =>
    (await of.query(scope, { name: "x", text, top_k: 3, pinned: false })).map(({ id }) => id);
  expect((await found("CAFE report"))[0]).toBe("1");
  expect(await found("天気")).toEqual(["2"]);
  expect(await found("")).toEqual([]);
  expect(await found("nothing whatsoever")).toEqual([]);
  const embed = vi.fn(async (given: readonly string[]) =>
    given.map((text) => [/sea|whale/.test(text) ? 1 : 0, /sky|bird/.test(text) ? 1 : 0, 0.01]),
  );
  const meaning = new VolatileMemory({ embed });
  await meaning.put(scope, { id: "a", text: "whales are large" });
  await meaning.put(scope, { id: "b", text: "birds are small" });
  expect((await found("what lives in the sea", meaning))[0]).toBe("a");
  // Older ones than these are found by their words alone.
  const bounded = new VolatileMemory({ embed, mostVectors: 1 });
  await bounded.put(scope, { id: "a", text: "whales are large" });
  await bounded.put(scope, { id: "b", text: "more whales" });
  expect([await found("what lives in the sea", bounded), await found("large", bounded)]).toEqual([["b"], ["a"]]);
  await bounded.put(scope, { id: "a", text: "whales are large" });
  expect(await found("what lives in the sea", bounded)).toEqual(["a"]);
  embed.mockRejectedValue(new Error("no quota"));
  await meaning.put(scope, { id: "c", text: "kelp is green" });
  expect(await found("green kelp", meaning)).toEqual(["c"]);
});

test("an embedding that never comes leaves the words", async () => {
  vi.useFakeTimers();
  try {
    const memory = new VolatileMemory({ embed: () => new Promise(() => {}) });
    const work = memory
      .put(agentScope, { id: "1", text: "whales are large" })
      .then(() => memory.query(agentScope, { name: "q", text: "large whales", top_k: 3, pinned: false }));
    let found: Awaited<typeof work> | undefined;
    void work.then((entries) => {
      found = entries;
    });
    while (!found) await vi.advanceTimersByTimeAsync(1_000);
    expect(found.map(({ id }) => id)).toEqual(["1"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

let server: ZepStandIn;
beforeAll(async () => {
  server = await zep("secret");
});
afterAll(() => server.close());

test("in Zep each user has a graph, an entry takes the place of the one before, and its facts are recalled", async () => {
  const memory = new ZepMemory({ apiKey: "secret", url: server.url });
  await filled(memory);
  expect([...server.graphs.keys()].sort()).toEqual(["graph/glove-agent-researcher", "user/ada", "user/bob"]);
  await memory.put(ada, { id: "4", title: "Length", text: "A brief of whales is long." });
  expect(server.graphs.get("user/ada")?.length).toBe(2);
  const { agent, model } = agentWith(memory, { memoryView: [{ kind: "user" }] });
  await agent.doTask(new MemoryTaskWorkspace(), brief);
  expect(model.calls[0]?.systemPrompt).toContain("- tone: warm, mail to [redacted]");
  expect(model.calls[0]?.messages[0]?.text).toContain("A brief of whales is long.");
  expect(JSON.stringify(model.calls)).not.toMatch(/Bob|secret/);
  server.expired.add("A brief of whales is long.");
  expect(await agent.recall(ada, "whales long")).toEqual([]);
  expect(await agent.recall({ kind: "org", id: "nobody's" }, "whales")).toEqual([]);
  expect([await agent.forget(ada, "3"), await agent.forget(ada, "3")]).toEqual([true, false]);
});

test("a Zep that refuses or is not there is told with its reason, without the key", async () => {
  const wrong = agentWith(new ZepMemory({ apiKey: "guess", url: server.url }), { memoryView: [{ kind: "user" }] });
  await expect(wrong.agent.remember(ada, { text: "x" })).rejects.toMatchObject({
    code: "TASK_MEMORY_FAILED",
    message: expect.stringContaining("Zep answered with status 401: unauthorized"),
  });
  const result = await wrong.agent.doTask(new MemoryTaskWorkspace(), brief, { view: "full" });
  expect(result.finish_reason).toBe("completed");
  expect(result.warnings?.join()).toMatch(/the memory user:ada could not be read: Zep answered with status 401/);
  expect(JSON.stringify(result)).not.toContain("guess");
  const right = new ZepMemory({ apiKey: "secret", url: server.url });
  await expect(right.put(ada, { id: "x", text: "x".repeat(10_001) })).rejects.toMatchObject({ code: "TASK_MEMORY_FAILED" });
  expect(() => new ZepMemory({})).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
