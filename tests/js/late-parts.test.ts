// Parts of the package that are loaded when a session needs them.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const parts = {
  tools: "../../js/src/tools/runner.js",
  models: "../../js/src/models/bridge.js",
  core: "../../js/src/wasm/inline-file.js",
  opening: "../../js/src/core/session-chunk.js",
  files: "../../js/src/messages/files.js",
  validator: "../../js/src/schema/validator.js",
};
let missing: string | undefined;
let held: Promise<void> | undefined;

beforeEach(() => {
  vi.resetModules();
  for (const [name, path] of Object.entries(parts)) {
    vi.doMock(path, async (original) => {
      if (missing === name) throw new Error("no network");
      await held;
      return original();
    });
  }
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  missing = undefined;
  held = undefined;
  for (const path of Object.values(parts)) vi.doUnmock(path);
});

async function setup() {
  // As a page's bundle has them: the entry itself also holds what brings the core at once.
  const { GloveClient } = await import("../../js/src/session/client.js");
  const { core } = await import("../../js/src/entries/inline-core.js");
  const { MemoryStore } = await import("../../js/src/store/memory.js");
  const { createScriptedModel } = await import("../../js/testing/index.js");
  const model = createScriptedModel([{ text: "One." }, { text: "Two." }]);
  const createStore = (id: string) => new MemoryStore(id);
  const subscribers = [{ record() {} }];
  const client = new GloveClient({ createModel: () => model, createStore, subscribers, tasks: false }, core);
  return { session: client.session("s"), model };
}

const tool = (name: string) => ({ name, description: "", jsonSchema: { type: "object" }, do: () => "done" });

test.each(["models", "tools", "core", "opening"])(
  "a message waits where what runs %s cannot be loaded, and is sent when it can",
  async (part) => {
    const { session, model } = await setup();
    if (part === "tools") session.configure({ tools: [tool("find")] });
    missing = part;
    await expect(session.sendMessage("hello")).rejects.toMatchObject({ code: "PART_NOT_LOADED" });
    expect(session.getSnapshot()).toMatchObject({ error: { code: "PART_NOT_LOADED" }, queue: [{ text: "hello" }] });
    missing = undefined;
    await session.start();
    await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ busy: false, queue: [], error: undefined }));
    expect(model.calls).toHaveLength(1);
  },
);

test("a part that could not be loaded is asked for again when the browser has a network, and the message is answered once", async () => {
  const network = new EventTarget();
  vi.stubGlobal("addEventListener", network.addEventListener.bind(network));
  vi.stubGlobal("removeEventListener", network.removeEventListener.bind(network));
  const { session, model } = await setup();
  missing = "opening";
  await expect(session.sendMessage("hello")).rejects.toMatchObject({ code: "PART_NOT_LOADED" });
  network.dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(session.getSnapshot().error).toMatchObject({ code: "PART_NOT_LOADED" }));
  missing = undefined;
  network.dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ busy: false, queue: [], error: undefined }));
  await vi.waitFor(() => expect(model.calls).toHaveLength(1));
  network.dispatchEvent(new Event("online"));
  expect(session.getSnapshot().timeline).toHaveLength(2);
});

test("nobody waits for ever for a part that does not come: it is told, and goes on when it has come", async () => {
  const { session, model } = await setup();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let arrive = () => {};
  held = new Promise((resolve) => {
    arrive = resolve;
  });
  const sent = session.sendMessage("hello").catch(({ code }) => code);
  for (let step = 0; step < 40; step++) await vi.advanceTimersByTimeAsync(1_000);
  expect(await sent).toBe("PART_NOT_LOADED");
  expect(session.getSnapshot()).toMatchObject({ busy: false, queue: [{ text: "hello" }], error: { code: "PART_NOT_LOADED" } });
  vi.useRealTimers();
  arrive();
  await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ busy: false, queue: [], error: undefined }));
  expect(session.getSnapshot().timeline).toHaveLength(2);
  expect(model.calls).toHaveLength(1);
});

test("a message whose files cannot be read yet waits, and is sent when somebody tries again", async () => {
  const { session, model } = await setup();
  await session.start();
  missing = "files";
  const picture = new Blob(["png"], { type: "image/png" });
  await expect(session.sendMessage({ text: "Look", files: [picture] })).rejects.toMatchObject({ code: "PART_NOT_LOADED" });
  expect(session.getSnapshot()).toMatchObject({ queue: [{ text: "Look", files: 1 }], error: { code: "PART_NOT_LOADED" } });
  missing = undefined;
  session.clearError();
  await vi.waitFor(() => expect(model.calls).toHaveLength(1));
  await vi.waitFor(() => expect(session.getSnapshot()).toMatchObject({ busy: false, queue: [], error: undefined }));
});

test("a message that is sent before the core has come is shown at once, and answered when it has", async () => {
  const { session, model } = await setup();
  let arrive = () => {};
  held = new Promise((resolve) => {
    arrive = resolve;
  });
  const outcome = session.sendMessage("hello");
  expect(session.getSnapshot()).toMatchObject({ sessionReady: false, queue: [{ text: "hello" }] });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(model.calls).toHaveLength(0);
  arrive();
  expect(await outcome).toMatchObject({ type: "completed", text: "One." });
  expect(session.getSnapshot().timeline).toHaveLength(2);
});

test("a message is answered with the tools that were set before it, whatever has to be loaded for them", async () => {
  const { session, model } = await setup();
  await session.sendMessage("1");
  session.configure({ tools: [tool("first")] });
  session.configure({ tools: [tool("second")] });
  await session.sendMessage("2");
  expect(model.calls.map(({ tools }) => tools)).toEqual([[], ["second"]]);
});

test("arguments that cannot be checked because the validator is not there are not called wrong, and the tool does not run", async () => {
  const { session, model } = await setup();
  const did: unknown[] = [];
  const look = { ...tool("look"), do: (input: unknown) => did.push(input) };
  session.configure({ tools: [look, { ...look, name: "ask", requireApproval: () => true }] });
  const { createScriptedModel } = await import("../../js/testing/index.js");
  const calls = ["look", "ask"].map((name) => ({ toolCalls: [{ name, input: { at: 1 } }] }));
  session.configure({ model: createScriptedModel([...calls, "Sorry.", calls[0] ?? "", "Seen."]) });
  missing = "validator";
  await session.sendMessage("Look");
  const outcomes = session
    .getSnapshot()
    .timeline.flatMap((entry) => (entry.kind === "tool" ? [[entry.outcome, entry.output]] : []));
  expect(outcomes).toEqual([
    ["failed", expect.stringContaining("could not be loaded")],
    ["failed", expect.stringContaining("could not be loaded")],
  ]);
  expect(did).toEqual([]);
  missing = undefined;
  await session.sendMessage("Look again");
  expect(did).toEqual([{ at: 1 }]);
  expect(model.calls).toHaveLength(0);
});
