// Another answer in the place of the last one, and messages that steer the request that runs: over the real core.
import { Context, defineTool, type GloveSession, MemoryStore, type ToolConfig } from "glove-wasm";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { scene, texts, until } from "../support/session.js";

const tool = (name: string, more: Partial<ToolConfig> = {}): ToolConfig => ({
  name,
  description: "",
  jsonSchema: { type: "object" },
  do: () => name,
  ...more,
});
const call = (name: string, input = {}) => ({ toolCalls: [{ name, input }] });
const heard = (messages: readonly { readonly text: string }[] | undefined) => messages?.map(({ text }) => text);

test("the last answer is replaced where it stands, for the screen and for the model", async () => {
  const store = new MemoryStore("s1");
  const { session, shown, model } = scene(["first", "one", "two", "three", "more"], { createStore: () => store });
  await session.sendMessage("Hello");
  await session.sendMessage("Hi");
  const before = session.getSnapshot().timeline;
  const lengths = new Set<number>();
  session.subscribe(() => lengths.add(session.getSnapshot().timeline.length));
  expect(await session.regenerate()).toMatchObject({ type: "completed", text: "two" });
  await session.regenerate();
  expect(shown()).toEqual(["user: Hello", "agent: first", "user: Hi", "agent: three"]);
  expect(Math.max(...lengths)).toBe(4);
  const after = session.getSnapshot().timeline;
  expect(after.slice(0, 3).every((entry, at) => entry === before[at])).toBe(true);
  expect(after[3]?.id).not.toBe(before[3]?.id);
  for (const asked of model.calls.slice(1, 4)) expect(heard(asked.messages)).toEqual(["Hello", "first", "Hi"]);
  await session.sendMessage("Thanks");
  expect(heard(model.calls[4]?.messages)).toEqual(["Hello", "first", "Hi", "three", "Thanks"]);
  // The record keeps everything; who reads it through a context reads what holds.
  expect(heard(await session.messages())).toContain("one");
  expect(heard(await new Context(store).getMessages())).toEqual(["Hello", "first", "Hi", "three", "Thanks", "more"]);
});

test("what the tools of the answer did is taken back first", async () => {
  const undo = vi.fn();
  const add = defineTool({
    name: "add",
    description: "",
    inputSchema: z.object({ n: z.number() }),
    do: ({ n }) => ({ id: `item-${n}` }),
    undo: ({ n }, { id }) => undo(n, id),
  });
  const { session, shown, model } = scene([call("add", { n: 1 }), call("add", { n: 2 }), "Added.", "Shall I?"], { tools: [add] });
  await session.sendMessage("Add them");
  await session.regenerate();
  expect(undo.mock.calls).toEqual([
    [2, "item-2"],
    [1, "item-1"],
  ]);
  expect(shown()).toEqual(["user: Add them", "agent: Shall I?"]);
  expect(heard(model.calls.at(-1)?.messages)).toEqual(["Add them"]);
  expect(session.getSnapshot().undoable).toEqual([]);
});

test("a call that cannot be taken back stays, and does not run again", async () => {
  const pay = vi.fn(() => "paid");
  const { session, shown } = scene([call("pay"), "Paid.", "It is paid."], { tools: [tool("pay", { do: pay })] });
  await session.sendMessage("Pay");
  await session.regenerate();
  expect(shown()).toEqual(["user: Pay", "pay: success paid", "agent: It is paid."]);
  expect(pay).toHaveBeenCalledOnce();
});

test("an action that cannot be taken back after all leaves the answer as it is", async () => {
  const undo = () => {
    throw new Error("it is sold");
  };
  const { session, shown } = scene([call("add"), "Added."], { tools: [tool("add", { undo })] });
  await session.sendMessage("Add it");
  expect(await session.regenerate()).toEqual({ type: "undone", steps: 0, error: "it is sold" });
  expect(shown()).toEqual(["user: Add it", "add: success add", "agent: Added."]);
});

test("what a replaced call has shown goes with it", async () => {
  const look = tool("look", { idempotent: true, do: (_, display) => display.pushAndForget({ input: "card" }) });
  const { session } = scene([call("look"), "There.", "Here."], { tools: [look] });
  await session.sendMessage("Look");
  expect(session.getSnapshot().slots).toHaveLength(1);
  await session.regenerate();
  await until(session, ({ slots }) => slots.length === 0);
});

test("an answer that was stopped is given again, and it can be asked for while another is written", async () => {
  const { session, shown } = scene([{ deltas: ["half"], until: new Promise(() => {}) }, { text: "whole", after: 20 }, "last"]);
  const stopped = session.sendMessage("Hi");
  await until(session, ({ streamingText }) => streamingText === "half");
  session.stop();
  await stopped;
  const first = session.regenerate();
  await until(session, ({ run }) => run.phase === "model");
  expect(await session.regenerate()).toMatchObject({ text: "last" });
  expect(await first).toMatchObject({ text: "whole" });
  expect(shown()).toEqual(["user: Hi", "agent: last"]);
});

test("there is nothing to answer again in an empty session", async () => {
  const { session } = scene([]);
  await expect(session.regenerate()).rejects.toMatchObject({ code: "NOTHING_TO_REGENERATE" });
});

/** A tool that runs until it is let go. */
function digger() {
  let began: (end: () => void) => void = () => {};
  const digging = new Promise<() => void>((resolve) => {
    began = resolve;
  });
  const dig = tool("dig", { do: () => new Promise((resolve) => began(() => resolve("dug"))) });
  return { dig, digging };
}

/** A session whose tool runs until it is let go, with a message that steers it. */
async function steered(script: Parameters<typeof scene>[0], steer: (session: GloveSession) => Promise<unknown>) {
  const { dig, digging } = digger();
  const made = scene([call("dig"), ...script], { tools: [dig] });
  const first = made.session.sendMessage("Dig");
  const end = await digging;
  const second = steer(made.session);
  await until(made.session, ({ queue }) => queue.length === 1);
  return { ...made, first, second, end };
}

test("a message that steers is read with the results of the tools, and both promises get the answer", async () => {
  const { session, model, first, second, end } = await steered(["Deep and wide."], (session) =>
    session.sendMessage({ text: "And wide", whenBusy: "steer" }),
  );
  expect(session.getSnapshot().queue).toMatchObject([{ text: "And wide" }]);
  end();
  expect(await Promise.all([first, second])).toMatchObject([{ text: "Deep and wide." }, { text: "Deep and wide." }]);
  expect(heard(model.calls[1]?.messages)).toEqual(["Dig", "", "tool results", "And wide"]);
  expect(model.calls).toHaveLength(2);
  expect(texts(session.getSnapshot())).toEqual(["user: Dig", "dig: success dug", "user: And wide", "agent: Deep and wide."]);
  expect(session.getSnapshot()).toMatchObject({ queue: [], busy: false });
});

test("steering is a setting of the client too, and without a run it is a request like any other", async () => {
  const { session, model } = scene([{ text: "one", after: 20 }, "two"], { whenBusy: "steer" });
  const first = session.sendMessage("1");
  await until(session, ({ run }) => run.phase === "model");
  // This answer has no calls behind which it could be read.
  expect(await session.sendMessage("2")).toMatchObject({ text: "two" });
  expect(await first).toMatchObject({ text: "one" });
  expect(heard(model.calls[1]?.messages)).toEqual(["1", "one", "2"]);
});

test("a message that steers is given up while it waits, and stops the run that has read it", async () => {
  const controller = new AbortController();
  const waits = await steered(["Dug."], (session) => session.request("And wide", controller.signal));
  controller.abort();
  await expect(waits.second).rejects.toMatchObject({ code: "ABORTED" });
  waits.end();
  expect(await waits.first).toMatchObject({ text: "Dug." });
});

test("a tool that steers and is stopped later stops what it has come into", async () => {
  const controller = new AbortController();
  const { dig, digging } = digger();
  const { session } = scene([call("dig"), { text: "late", until: new Promise(() => {}) }], { tools: [dig], whenBusy: "steer" });
  const first = session.sendMessage("Dig");
  const end = await digging;
  const second = session.request("And wide", controller.signal);
  const third = session.request("And long");
  await until(session, ({ queue }) => queue.length === 2);
  end();
  await until(session, ({ run }) => run.phase === "model");
  controller.abort();
  expect(await first).toEqual({ type: "aborted" });
  await expect(second).rejects.toMatchObject({ code: "ABORTED" });
  await expect(third).rejects.toMatchObject({ code: "ABORTED" });
});
