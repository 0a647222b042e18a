// Other models by name: what a prompt, a plugin or a tool asks for.
import { definePlugin, defineTool, type GloveClientConfig, MemoryStore } from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const high = (script: readonly ScriptedAnswer[]) => createScriptedModel(script);
const call = (name: string) => ({ toolCalls: [{ name, input: {}, id: `${name}1` }] });
const codes = (events: readonly [string, unknown][]) =>
  events.filter(([type]) => type === "error").map(([, data]) => (data as { code: string }).code);

test("a prompt is answered by the model that it asks for, the next one by the usual, and the record says which", async () => {
  const models = { high: high(["High."]) };
  const { session, shown } = scene(["Normal.", "Due."], { models });
  await session.sendMessage({ text: "Think", model: "high" });
  await session.sendMessage("Hi");
  await session.trigger({ reason: "due", model: "normal" });
  expect(shown()).toEqual(["user: Think", "agent: High.", "user: Hi", "agent: Normal.", "agent: Due."]);
  expect((await session.prompts()).map(({ model }) => model)).toEqual(["high", undefined, "normal"]);
});

test("a plugin asks for one call, and a tool for the rest of its prompt, also over a reload", async () => {
  const store = new MemoryStore("s1");
  const think = defineTool({
    name: "think",
    description: "",
    inputSchema: z.object({}),
    do: (_, display) => {
      display.switchModel("high");
      return "ok";
    },
  });
  const wait = { name: "wait", description: "", jsonSchema: { type: "object" }, requireApproval: true, do: () => "waited" };
  let asks = false;
  const plugin = definePlugin({ id: "p", prepare: ({ switchModel }) => void (asks && switchModel("high")) });
  const config = (script: readonly ScriptedAnswer[]): Partial<GloveClientConfig> => ({
    createStore: () => store,
    tools: [think, wait],
    plugins: [plugin],
    models: { high: high(script) },
  });
  const before = scene([call("think")], config([call("wait")]));
  void before.session.sendMessage("Hi").catch(() => {});
  await until(before.session, ({ approvals }) => approvals.length === 1);
  before.session.dispose();
  const after = scene(["Normal."], config(["High.", "By the plugin."]));
  await after.session.start();
  after.session.approve("wait1");
  await until(after.session, ({ busy }) => !busy);
  expect(after.shown().at(-1)).toBe("agent: High.");
  await after.session.sendMessage("Again");
  expect(after.shown().at(-1)).toBe("agent: Normal.");
  asks = true;
  await after.session.sendMessage("Again");
  expect(after.shown().at(-1)).toBe("agent: By the plugin.");
});

test("a name that no model has is refused when it is sent, with other models and without, and the session goes on", async () => {
  for (const config of [{ models: { high: high([]) } }, {}]) {
    const { session, model, shown } = scene(["Normal."], config);
    const refused = { code: "MODEL_UNKNOWN", message: 'There is no model "highest" in `models`.' };
    await expect(session.sendMessage({ text: "Hi", model: "highest" })).rejects.toMatchObject(refused);
    await expect(session.trigger({ reason: "due", model: "highest" })).rejects.toMatchObject(refused);
    expect([shown(), model.calls.length]).toEqual([[], 0]);
    await session.sendMessage({ text: "Hi", model: "normal" });
    expect(shown()).toEqual(["user: Hi", "agent: Normal."]);
  }
});

test("a name that was removed after it was asked for is reported, and the usual model answers", async () => {
  const store = new MemoryStore("s1");
  const wait = { name: "wait", description: "", jsonSchema: { type: "object" }, requireApproval: true, do: () => "waited" };
  const config = { createStore: () => store, tools: [wait] };
  const before = scene([], { ...config, models: { high: high([call("wait")]) } });
  void before.session.sendMessage({ text: "Hi", model: "high" }).catch(() => {});
  await until(before.session, ({ approvals }) => approvals.length === 1);
  before.session.dispose();
  const after = scene(["Normal."], { ...config, models: { low: high([]) } });
  await after.session.start();
  after.session.approve("wait1");
  await until(after.session, ({ busy }) => !busy);
  expect([after.shown().at(-1), codes(after.events)]).toEqual(["agent: Normal.", ["MODEL_UNKNOWN"]]);
});
