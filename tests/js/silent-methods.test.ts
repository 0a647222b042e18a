// A store of which one method never answers, each in its turn: whatever is awaited of a session or a client comes to an end.
import { readFileSync } from "node:fs";
import { Context, Glove, GloveClient, type GloveSession, Observer, PromptMachine, type StoreAdapter } from "glove-wasm";
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
  ...(readFileSync(new URL("../../.cache/modules/pkg/src/ports/store.d.ts", import.meta.url), "utf8")
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

/** What uses a store without a session. */
const alone: Record<string, (store: StoreAdapter) => Promise<unknown>> = {
  "Context.getMessages": (store) => new Context(store).getMessages(),
  "Context.appendMessages": (store) => new Context(store).appendMessages([]),
  "Context.getTasks": (store) => new Context(store).getTasks(),
  "Context.addTasks": (store) => new Context(store).addTasks([]),
  "Context.updateTask": (store) => new Context(store).updateTask("t", {}),
  "Context.getInboxItems": (store) => new Context(store).getInboxItems(),
  "Context.addInboxItem": (store) => new Context(store).addInboxItem({ id: "i", status: "pending" }),
  "Context.updateInboxItem": (store) => new Context(store).updateInboxItem("i", {}),
  "Context.getResolvedInboxItems": (store) => new Context(store).getResolvedInboxItems(),
  "Observer.turnComplete": (store) => observer(store).turnComplete(),
  "Observer.getCurrentTurns": (store) => observer(store).getCurrentTurns(),
  "Observer.addTokensConsumed": (store) => observer(store).addTokensConsumed(1),
  "Observer.getCurrentTokenConsumption": (store) => observer(store).getCurrentTokenConsumption(),
  "Observer.isCompactionImminent": (store) => observer(store).isCompactionImminent(),
  "Observer.tryCompaction": (store) => observer(store).tryCompaction(),
  "Observer.runCompactionNow": (store) => observer(store).runCompactionNow(),
};
function observer(store: StoreAdapter): Observer {
  const context = new Context(store);
  return new Observer(
    store,
    context,
    new PromptMachine(
      createScriptedModel(() => "Fine."),
      context,
      "",
    ),
    "Summarise.",
  );
}

test.each(Object.keys(alone))("%s alone does not wait for ever for a store that answers nothing", async (name) => {
  const store = new Proxy(complete("s"), {
    get: (target, name) => (name === "identifier" ? "s" : Reflect.get(target, name) && mute),
  });
  const asked = alone[name]?.(store).catch(({ code }) => code);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await Promise.race([asked, new Promise((late) => setImmediate(late, "hangs"))])).toBe("STORE_UNAVAILABLE");
});

test("whatever uses a store alone is tried", () => {
  const methods = [Context, Observer].flatMap((type) =>
    Object.getOwnPropertyNames(type.prototype).map((method) => `${type.name}.${method}`),
  );
  const asks = methods.filter((method) => !/\.(constructor|set\w+|addSubscriber|tell)$/.test(method));
  expect(Object.keys(alone).sort()).toEqual(asks.sort());
});

const mute = () => new Promise<never>(() => {});

test.each<[string, (client: GloveClient) => Promise<unknown>]>([
  ["sessions", (client) => client.sessions()],
  ["renameSession", (client) => client.renameSession("s", "Title")],
  ["deleteSession", (client) => client.deleteSession("s")],
  ["exportSession", (client) => client.exportSession("s")],
  ["importSession", (client) => client.importSession("{}")],
])("%s does not wait for ever for a catalog that answers nothing", async (_, ask) => {
  const catalog = { list: mute, rename: mute, delete: mute, export: mute, import: mute };
  const client = new GloveClient({ createModel: () => createScriptedModel(() => "Fine."), createStore: complete, catalog });
  const asked = ask(client).catch(({ code }) => code);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await Promise.race([asked, new Promise((late) => setImmediate(late, "hangs"))])).toBe("STORE_UNAVAILABLE");
  client.dispose();
});

test("a store that is frozen can be used", async () => {
  const store = Object.freeze(plain("s"));
  const client = new GloveClient({
    createModel: () => createScriptedModel(() => "Fine."),
    createStore: () => store,
    systemPrompt: "",
  });
  expect(await client.session("s").sendMessage("Hi")).toMatchObject({ text: "Fine." });
  client.dispose();
});

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
