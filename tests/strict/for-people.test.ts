// That the watch at the core's border finds what it is there for: a core that tells a model what is for people, or for another user.
import { definePlugin, MemoryStore } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { scene } from "../support/session.js";
import { ofAnotherUser, watched } from "./for-people.js";
import { refused } from "./stand-in.js";

type Work = (...args: unknown[]) => Promise<string>;

/** A core that tells the model this after the tool has run. */
function telling(tells: (came: string, states: string) => string) {
  return class {
    readonly #host: Record<string, Work>;
    #states = "";
    constructor(_: string, host: object) {
      this.#host = host as Record<string, Work>;
    }
    setPlugins(states: string): void {
      this.#states = states;
    }
    async request(): Promise<string> {
      const came = (await this.#host.run?.("c1", "show", "{}")) ?? "";
      await this.#host.prompt?.({ messages: tells(came, this.#states), systemPrompt: "", tools: "[]" });
      await this.#host.fetch?.("/api/chat", "[]", tells(came, this.#states));
      return "{}";
    }
  };
}

const outputs = [
  { type: "widget", widget: "forecast", data: { days: ['mostly "rain"'] }, fallback: "It will rain." },
  { type: "file", data: { name: "week.csv", type: "text/csv", data: btoa("monday;tuesday") }, summary: "The week." },
  { type: "chart", data: ["upwards"] },
];
const result = { status: "success", data: "It rains in Oslo.", renderData: { card: "umbrella" } };

async function found(tells: (came: string, states: string) => string): Promise<string[]> {
  const all: string[] = [];
  const run = async () => JSON.stringify({ returned: { result, outputs } });
  const Core = watched(telling(tells) as never, (says) => all.push(says)) as unknown as ReturnType<typeof telling>;
  const core = new Core("{}", { run, prompt: async () => "{}", fetch: async () => "{}" });
  core.setPlugins(JSON.stringify({ notes: { ann: "ann likes tea", bob: "bob likes tea" } }));
  await (core.request as (request: string) => Promise<string>)(JSON.stringify({ text: "Hi", extra: { userId: "ann" } }));
  return all;
}

test.each([
  ["a widget's data", 'mostly "rain"', "a widget"],
  ["a widget's fallback", "It will rain.", "a widget"],
  ["a file's body as it is stored", btoa("monday;tuesday"), "a file"],
  ["a file's body as it is read", "monday;tuesday", "a file"],
  ["a type of the application", "upwards", "a chart"],
  ["render data", "umbrella", "render data"],
  ["what a plugin keeps for another user", "bob likes tea", 'for "bob"'],
  ["the state that is planted in every session", ofAnotherUser, "for another user"],
])("a model that is told %s is found, also behind HTTP", async (_, text, says) => {
  const all = await found(() => JSON.stringify([{ sender: "user", text: `before ${text} after` }]));
  expect(all).toHaveLength(2);
  expect(all[0]).toContain(says === "for another user" ? "another user" : says);
});

test("what a model may read is not", async () => {
  const may = "Hi. It rains in Oslo. [File: week.csv] The week. ann likes tea";
  expect(await found(() => JSON.stringify([{ sender: "user", text: may }]))).toEqual([]);
});

// In both of these the application itself says what it should not: nothing of ours does.
test("sessions of tests are watched: a model that is told what a widget shows fails the test", async () => {
  const show = {
    name: "show",
    description: "",
    jsonSchema: { type: "object" },
    do: (_: unknown, display: { displayWidget(widget: string, data: unknown): void }) => {
      display.displayWidget("card", { says: "seen by people alone" });
      session.configure({ systemPrompt: "Know: seen by people alone." });
    },
  };
  const { session } = scene([{ toolCalls: [{ name: "show" }] }, "Shown."], { tools: [show as never] });
  await session.sendMessage("Hi");
  expect(refused()).toEqual([expect.stringContaining("a model reads a widget, which is for people: seen by people alone")]);
});

test("sessions of tests are watched: a model that is told another user's state fails the test", async () => {
  let last = "";
  const plugin = definePlugin({
    id: "taste",
    stateSchema: z.object({ likes: z.string() }).default({ likes: "" }),
    async prepare({ state, context, conversation: { userId } }) {
      if (last) context.add(`They like ${last}.`);
      last = `the tea of ${userId}`;
      await state.set({ likes: last });
    },
  });
  const store = new MemoryStore("s1");
  const config = { plugins: [plugin], createStore: () => store };
  const { session } = scene(["Hi."], { ...config, userId: "ann" });
  await session.sendMessage("Hi");
  expect(refused()).toEqual([]);
  session.dispose();
  const { session: later, model } = scene(["Hi."], { ...config, userId: "bob" });
  await later.sendMessage("Hi");
  expect(model.calls[0]?.systemPrompt).toContain("the tea of ann");
  expect(refused()).toEqual([expect.stringContaining('keeps for "ann", asked by "bob"')]);
  expect(JSON.stringify(await store.readRun())).toContain(ofAnotherUser);
});
