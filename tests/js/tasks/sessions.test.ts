// The history of a task that comes from stored sessions of the page.
import { GloveClient, MemoryStore, type StoreAdapter } from "glove-wasm";
import { MemoryTaskWorkspace, TaskAgent } from "glove-wasm/tasks";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { scripted } from "../../support/tasks.js";

test("a task reads the conversation of a stored session, and keeps it when the session is gone", async () => {
  const stores = new Map<string, StoreAdapter>();
  const createStore = (id: string) => {
    const store = stores.get(id) ?? new MemoryStore(id);
    stores.set(id, store);
    return store;
  };
  const chat = createScriptedModel(["Plain.", "Plain and short."]);
  const session = new GloveClient({ createModel: () => chat, createStore }).session("chat");
  await session.sendMessage("Which tone?");
  await session.regenerate();
  const { config, model } = scripted();
  const workspace = new MemoryTaskWorkspace();
  const agent = new TaskAgent({ ...config, createStore });
  const missing = agent.startTask(workspace, { goal: "Write", seed_from_sessions: ["chat", "gone"] });
  await expect(missing).rejects.toMatchObject({ code: "TASK_HISTORY_MISSING", message: expect.stringContaining('"gone"') });
  expect([...(await workspace.list("progress")), ...(await workspace.list("task"))]).toEqual([]);
  const task = await agent.startTask(workspace, { goal: "Write", seed_from_sessions: ["chat"] });
  expect((await task.historySnapshot()).map(({ text }) => text)).toEqual(["Which tone?", "Plain and short."]);
  await task.stepOnce();
  task.close();
  stores.clear();
  const again = await agent.resume(workspace);
  expect((await again.run()).finish_reason).toBe("completed");
  for (const { messages } of model.calls) {
    expect(messages.slice(1, 3).map(({ text }) => text)).toEqual(["Which tone?", "Plain and short."]);
  }
});

test("a store that fails, and an agent without one, say so and write nothing", async () => {
  const workspace = new MemoryTaskWorkspace();
  const spec = { goal: "Write", seed_from_sessions: ["chat"] };
  const failing = new TaskAgent({
    ...scripted().config,
    createStore: () => {
      throw new Error("the disk is full");
    },
  });
  await expect(failing.startTask(workspace, spec)).rejects.toMatchObject({
    code: "TASK_HISTORY_INVALID",
    message: expect.stringContaining("the disk is full"),
  });
  await expect(new TaskAgent(scripted().config).startTask(workspace, spec)).rejects.toMatchObject({
    code: "TASK_CONFIG_INVALID",
  });
  await expect(failing.startTask(workspace, { ...spec, seed_from_sessions: 7 as never })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
  expect(await workspace.list("progress")).toEqual([]);
});
