// Hooks: what they make of a message before it is sent, and what becomes of one that stops, fails or hangs.
import { defineHook, defineSkill, type GloveClientConfig, type Hook, MemoryStore } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const hook = (name: string, run: Hook["run"], more: Partial<Hook> = {}) => defineHook({ name, description: "", run, ...more });
const told = (events: readonly [string, unknown][]) => events.filter(([type]) => type.startsWith("hook_"));

test("a hook makes another text for the model; the chat and the record keep what was written", async () => {
  const seen: unknown[] = [];
  const translate = hook("fr", ({ text, args, sessionId, userId, services }) => {
    seen.push([text, args, sessionId, userId, services.tone]);
    return { text: `Answer in French: ${args}` };
  });
  const store = new MemoryStore("s1");
  const config = { hooks: [translate], createStore: () => store, userId: "ann", services: { tone: "kind" } };
  const { session, model, shown, events } = scene(["Bonjour."], config);
  expect(await session.sendMessage("/fr good day")).toMatchObject({ type: "completed", text: "Bonjour." });
  expect(seen).toEqual([["/fr good day", "good day", "s1", "ann", "kind"]]);
  expect(model.calls[0]?.messages[0]).toMatchObject({ text: "Answer in French: good day" });
  expect(JSON.stringify(model.calls)).not.toContain("/fr good day");
  expect(shown()).toEqual(["user: /fr good day", "agent: Bonjour."]);
  expect((await session.prompts())[0]).toMatchObject({ input: "/fr good day" });
  expect(told(events)).toEqual([
    ["hook_started", { name: "fr", args: "good day" }],
    ["hook_completed", { name: "fr", outcome: "rewritten" }],
  ]);
  session.dispose();
  const after = scene([], config);
  await after.session.start();
  expect(after.shown()).toEqual(["user: /fr good day", "agent: Bonjour."]);
});

test("a hook answers without a model, and its answer stands in the record and after a reload", async () => {
  const store = new MemoryStore("s1");
  const config = { hooks: [hook("time", async () => ({ answer: "Noon." }))], createStore: () => store };
  const { session, model, shown, events } = scene(["From the model."], config);
  expect(await session.sendMessage("/time")).toMatchObject({ type: "completed", text: "Noon." });
  expect(shown()).toEqual(["user: /time", "agent: Noon."]);
  expect(model.calls).toHaveLength(0);
  expect(told(events).at(-1)).toEqual(["hook_completed", { name: "time", outcome: "answered" }]);
  expect(JSON.stringify(await session.messages())).not.toContain("hook_answer");
  expect(await session.sendMessage("And now?")).toMatchObject({ text: "From the model." });
  expect(model.calls[0]?.messages.map(({ text }) => text)).toEqual(["/time", "Noon.", "And now?"]);
  session.dispose();
  const after = scene([], config);
  await after.session.start();
  expect(after.shown().slice(0, 2)).toEqual(["user: /time", "agent: Noon."]);
});

test("what a hook has answered waits for its turn, and never comes into the request that runs", async () => {
  const config: Partial<GloveClientConfig> = { hooks: [hook("time", () => ({ answer: "Noon." }))], whenBusy: "steer" };
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  const { session, shown, model } = scene([() => held.then(() => "First.")], config);
  const first = session.sendMessage("Hi");
  await until(session, ({ timeline }) => timeline.length === 1);
  const second = session.sendMessage("/time");
  await until(session, ({ queue }) => queue.some(({ text }) => text === "/time"));
  go();
  expect(await Promise.all([first, second])).toMatchObject([{ text: "First." }, { text: "Noon." }]);
  expect(shown()).toEqual(["user: Hi", "agent: First.", "user: /time", "agent: Noon."]);
  expect(model.calls).toHaveLength(1);
});

test("a queued message that is edited is not answered by the hook of what it said before", async () => {
  const config: Partial<GloveClientConfig> = { hooks: [hook("time", () => ({ answer: "Noon." }))] };
  let go = () => {};
  const held = new Promise<string>((resolve) => (go = () => resolve("First.")));
  const { session, shown } = scene([() => held, "Second."], config);
  const first = session.sendMessage("Hi");
  await until(session, ({ timeline }) => timeline.length === 1);
  void session.sendMessage("/time");
  const { queue } = await until(session, ({ queue }) => queue.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const edited = session.edit(queue[0]?.id ?? "", "Hello?");
  await new Promise((resolve) => setTimeout(resolve, 10));
  go();
  await Promise.all([first, edited]);
  expect(shown()).toEqual(["user: Hi", "agent: First.", "user: Hello?", "agent: Second."]);
});

test("a hook that stops a message says why, and nothing was sent or stored", async () => {
  const { session, model, events } = scene(["Yes."], { hooks: [hook("pay", () => ({ stop: "Say how much." }))] });
  await expect(session.sendMessage("/pay")).rejects.toMatchObject({ code: "HOOK_STOPPED", message: "Say how much." });
  expect(session.getSnapshot()).toMatchObject({ error: { code: "HOOK_STOPPED" }, queue: [], timeline: [], busy: false });
  expect([model.calls.length, await session.messages()]).toEqual([0, []]);
  expect(told(events).at(-1)).toEqual(["hook_completed", { name: "pay", outcome: "stopped" }]);
});

test.each<[string, Hook["run"], Partial<Hook>, string]>([
  ["throws", () => Promise.reject(new Error("no network")), {}, "no network"],
  ["throws nothing", () => Promise.reject(undefined), {}, "threw nothing"],
  ["never returns", () => new Promise<undefined>(() => {}), { timeoutMs: 20 }, "20 ms"],
  ["gives something else", () => "text" as never, {}, "`text`, `answer` and `stop`"],
  ["gives an empty text", () => ({ text: " " }), {}, "`text`, `answer` and `stop`"],
  ["gives two things", () => ({ text: "a", answer: "b" }) as never, {}, "`text`, `answer` and `stop`"],
])("a hook that %s leaves the message unsent, with an error that says so, and the session goes on", async (_, run, more, why) => {
  const { session, model, events } = scene(["Yes."], { hooks: [hook("bad", run, more)] });
  const failed = { code: "HOOK_FAILED", message: expect.stringContaining(why) };
  await expect(session.sendMessage("/bad one")).rejects.toMatchObject(failed);
  expect(told(events).at(-1)).toEqual(["hook_failed", { name: "bad", ...failed }]);
  expect(session.getSnapshot()).toMatchObject({ error: failed, queue: [], timeline: [] });
  expect(model.calls).toHaveLength(0);
  expect(await session.sendMessage("Two")).toMatchObject({ text: "Yes." });
});

test("messages keep their order while a hook works on the first, and one that is taken back stops its hook", async () => {
  let fired: boolean | undefined;
  let go = () => {};
  const slow = hook("slow", () => new Promise<undefined>((resolve) => (go = () => resolve(undefined))));
  const stuck = hook("stuck", ({ signal }) => {
    fired = false;
    return new Promise<undefined>(() => signal.addEventListener("abort", () => (fired = true)));
  });
  const { session, shown, events } = scene(["One.", "Two."], { hooks: [slow, stuck] });
  const all = [session.sendMessage("/slow a"), session.sendMessage("/stuck b"), session.sendMessage("c")];
  const { queue } = await until(session, ({ queue }) => queue.length === 3);
  expect(queue.map(({ text }) => text)).toEqual(["/slow a", "/stuck b", "c"]);
  await expect.poll(() => fired).toBe(false);
  session.cancelQueued(queue[1]?.id ?? "");
  go();
  expect(await Promise.all(all)).toMatchObject([{ text: "One." }, { type: "aborted" }, { text: "Two." }]);
  expect(fired).toBe(true);
  expect(shown()).toEqual(["user: /slow a", "agent: One.", "user: c", "agent: Two."]);
  // Who takes a message back has made nothing fail.
  expect(told(events)).toContainEqual(["hook_completed", { name: "stuck", outcome: "stopped" }]);
  expect(told(events).map(([type]) => type)).not.toContain("hook_failed");
});

test("a session that is closed stops the hook, and who sent the message hears of it", async () => {
  let fired: boolean | undefined;
  const stuck = hook("stuck", ({ signal }) => {
    fired = false;
    return new Promise<undefined>(() => signal.addEventListener("abort", () => (fired = true)));
  });
  const { session } = scene([], { hooks: [stuck] });
  const sent = session.sendMessage("/stuck");
  await expect.poll(() => fired).toBe(false);
  session.dispose();
  await expect(sent).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  expect(fired).toBe(true);
});

test("hooks run in the order of their names, each on what the one before has left, and then skills are taken up", async () => {
  const order: string[] = [];
  const upper = hook("upper", ({ text }) => {
    order.push("upper");
    return { text: text.replace("/upper ", "").toUpperCase() };
  });
  const brand = hook("brand", ({ text }) => {
    order.push(text);
    return { text: `/voice ${text}` };
  });
  const voice = defineSkill({ name: "voice", description: "", instructions: "Say `we`." });
  const { session, model } = scene(["Yes."], { hooks: [brand, upper], skills: [voice] });
  await session.sendMessage("/upper hello /brand");
  expect(order).toEqual(["upper", "HELLO /BRAND"]);
  expect(model.calls[0]).toMatchObject({ systemPrompt: expect.stringContaining("Say `we`.") });
  expect(model.calls[0]?.messages[0]?.text).toBe("/voice HELLO /BRAND");
});

test("a path, a trigger and parts of the application call no hook", async () => {
  const never = hook("usr", () => ({ stop: "never" }));
  const { session, shown } = scene(["One.", "Two.", "Three."], { hooks: [never] });
  await session.sendMessage("What is in /usr/local?");
  await session.trigger({ reason: "/usr came" });
  await session.sendMessage({ content: [{ type: "text", text: "/usr" }] });
  expect(shown()).toEqual(["user: What is in /usr/local?", "agent: One.", "agent: Two.", "user: /usr", "agent: Three."]);
});

test.each<[string, unknown]>([
  ["no name", { description: "", run: () => {} }],
  ["a name with a slash", { name: "/a", description: "", run: () => {} }],
  ["no `run`", { name: "a", description: "" }],
  ["an unknown option", { name: "a", description: "", run: () => {}, timeout: 5 }],
])("a hook with %s is refused where it is defined", (_, given) => {
  expect(() => defineHook(given as Hook)).toThrow(expect.objectContaining({ code: "HOOK_INVALID" }));
});

test("a hook and a skill of one name are refused", async () => {
  const skill = defineSkill({ name: "a", description: "", instructions: "" });
  const { session } = scene(["Yes."], { hooks: [hook("a", () => {})], skills: [skill] });
  await expect(session.sendMessage("/a")).rejects.toMatchObject({ code: "COMMAND_NAME_TAKEN" });
});

test("what a hook answers is no value, and the error says so", async () => {
  const help = hook("help", () => ({ answer: "Ask me." }));
  const { session, model } = scene([], { hooks: [help] });
  const output = z.object({ n: z.number() });
  await expect(session.sendMessage({ text: "/help", output })).rejects.toMatchObject({
    code: "ANSWER_MISSING",
    message: expect.stringContaining("hook"),
  });
  expect(model.calls).toEqual([]);
  expect(session.getSnapshot()).toMatchObject({ busy: false, timeline: [{ text: "/help" }, { text: "Ask me." }] });
});
