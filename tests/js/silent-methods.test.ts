// A store of which one method never answers, each in its turn: whatever is awaited of a session or a client comes to an end.
import { readFileSync } from "node:fs";
import { Glove, GloveClient, type GloveSession, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { sharedSession } from "../support/shared-store.js";

// What is loaded when it is first needed comes in real time.
beforeAll(async () => {
  const client = new GloveClient({ createModel: () => createScriptedModel(["Fine."]), createStore: complete, systemPrompt: "" });
  await client.session("s").sendMessage("Hi");
  await client.exportSession("s");
  client.dispose();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** The methods of a store that are awaited, as its type has them. */
const methods = [
  ...(readFileSync(new URL("../../pkg/src/store/adapter.d.ts", import.meta.url), "utf8")
    .split("export interface StoreAdapter {")[1]
    ?.split("\n}")[0]
    ?.matchAll(/^ {4}(\w+)\??\(.*\): Promise</gm) ?? []),
].map(([, method = ""]) => method);

test("the methods of a store are found in its type", () => {
  expect(methods).toEqual(expect.arrayContaining(["getMessages", "appendStep", "readRunText", "salvage", "lease", "holds"]));
});

/** What `silence` says is never answered; without a name all is. */
function silent(store: StoreAdapter, silence: { method?: string }): StoreAdapter {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => (silence.method === name ? new Promise(() => {}) : value.apply(target, args));
    },
  });
}

/** A store that has every method of its type. */
function complete(id: string): StoreAdapter {
  const store = sharedSession(id)();
  const appendStep = store.appendStep?.bind(store);
  return Object.assign(store, {
    appendStepText: (step: string) => appendStep?.(JSON.parse(step)),
    readRunText: async () => JSON.stringify(await store.readRun?.()),
    salvage: async () => ({ texts: (await store.getMessages()).map((message) => JSON.stringify(message)), damage: [] }),
    resetHistory: async () => {},
  });
}

/** One that keeps messages alone. */
function plain(id: string): StoreAdapter {
  const without = { appendStep: undefined, readRun: undefined, appendStepText: undefined, readRunText: undefined };
  return Object.assign(complete(id), { ...without, salvage: undefined, shared: undefined });
}

/** One that keeps the run as objects. */
function objects(id: string): StoreAdapter {
  return Object.assign(complete(id), { appendStepText: undefined, readRunText: undefined, salvage: undefined });
}

interface Scene {
  readonly client: GloveClient;
  readonly session: GloveSession;
  readonly agent: Glove;
}

const asks: Record<string, (scene: Scene) => Promise<unknown>> = {
  start: ({ session }) => session.start(),
  sendMessage: ({ session }) => session.sendMessage("Hi"),
  request: ({ session }) => session.request("Hi"),
  regenerate: ({ session }) => session.regenerate(),
  resume: ({ session }) => session.resume(),
  undo: ({ session }) => session.undo(),
  answerInbox: ({ session }) => session.answerInbox("i1", "yes"),
  takeOver: ({ session }) => session.takeOver(),
  messages: ({ session }) => session.messages(),
  prompts: ({ session }) => session.prompts(),
  pushAndForget: ({ session }) => session.displayManager.pushAndForget({ input: 1 }),
  exportSession: ({ client }) => client.exportSession("s"),
  repairSession: ({ client }) => client.repairSession("s"),
  processRequest: ({ agent }) => agent.processRequest("Hi"),
};

/** How a typed error is called. */
const code = /^[A-Z_]+$/;

for (const [kind, make] of Object.entries({ complete, objects, plain }))
  for (const started of [true, false])
    test.each(methods)(`nothing hangs for \`%s\` of a ${started ? "started" : "new"} ${kind} store`, async (method) => {
      const ends: Record<string, unknown> = {};
      const all = Object.entries(asks).map(async ([name, ask]) => {
        const silence: { method?: string } = {};
        const store = silent(make("s"), silence);
        const model = () => createScriptedModel(() => "Fine.");
        const client = new GloveClient({
          createModel: model,
          createStore: (id) => (id === "s" ? store : silent(make(id), silence)),
          systemPrompt: "",
          subscribers: [{ record() {} }],
        });
        const other = silent(make("s"), silence);
        const agent = new Glove({ model: model(), systemPrompt: "", store: other }).addSubscriber({ record() {} }).build();
        await store.addInboxItem?.({ id: "i1", status: "pending" });
        const session = client.session("s");
        if (started) {
          await Promise.all([session.sendMessage("Before"), agent.processRequest("Before")]);
        }
        silence.method = method;
        ends[name] = "hangs";
        const asked = ask({ client, session, agent }).then(
          () => "fine",
          (error: { code?: string }) => error.code ?? error,
        );
        await asked.then((end) => {
          ends[name] = end;
        });
        client.dispose();
        agent.dispose();
      });
      // Two limits, one after the other.
      await vi.advanceTimersByTimeAsync(150_000);
      await Promise.race([Promise.all(all), new Promise((late) => setImmediate(() => setImmediate(late)))]);
      const wrong = Object.entries(ends).filter(([, end]) => end !== "fine" && !code.test(String(end)));
      expect(wrong).toEqual([]);
    });
