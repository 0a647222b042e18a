// Whatever is passed to a function or method of the package, it works or says in a sentence what is wrong: nothing fails deep inside.
import { readFileSync } from "node:fs";
import * as main from "glove-wasm";
import * as server from "glove-wasm/server";
import * as testing from "glove-wasm/testing";
import { expect, test } from "vitest";

const odd: readonly unknown[] = [null, undefined, 1n, {}, [], "", () => {}];

const model = () => testing.createScriptedModel(() => "Fine.");
const client = () => new main.GloveClient({ createModel: model, systemPrompt: "", subscribers: [{ record() {} }] });
const context = () => new main.Context(new main.MemoryStore("s"));
const machine = () => new main.PromptMachine(model(), context(), "");
const observer = () => new main.Observer(new main.MemoryStore("s"), context(), machine(), "Summarise.");
const tool: main.ToolConfig = { name: "t", description: "", jsonSchema: { type: "object" }, do: () => "done" };
const answer = async () => ({ message: { sender: "agent" as const, text: "Fine." }, tokens_in: 1, tokens_out: 1 });
let databases = 0;

/** What has methods: the classes, and what functions make. */
const made: Record<string, () => object> = {
  GloveClient: client,
  GloveSession: () => client().session("s"),
  SessionRunnable: () => client().session("s").runnable,
  Glove: () => new main.Glove({ model: model(), systemPrompt: "" }).fold(tool).build(),
  "Glove before it is built": () => new main.Glove({ model: model(), systemPrompt: "" }),
  Agent: () => new main.Agent(new main.MemoryStore("s"), new main.Executor(), context(), observer(), machine()),
  Executor: () => new main.Executor(),
  Observer: observer,
  Context: context,
  PromptMachine: machine,
  Run: () => new main.Run(),
  DisplayManager: () => new main.DisplayManager(),
  "the display of a session": () => client().session("s").displayManager,
  MemoryStore: () => new main.MemoryStore("s"),
  IndexedDBStore: () => new main.IndexedDBStore("s", { name: `odd ${databases++}` }),
  SessionDatabase: () => new main.SessionDatabase({ name: `odd ${databases++}` }),
  createRemoteStore: () => main.createRemoteStore("s", { getMessages: async () => [], appendMessages: async () => {} }),
  createRemoteModel: () => main.createRemoteModel("m", { prompt: answer }),
  createEndpointModel: () => main.createEndpointModel("http://h.invalid/", { fetch: async () => new Response() }),
  createAdapter: () => main.createAdapter({ provider: "openai", model: "m", apiKey: "k", fetch: async () => new Response() }),
  createBuiltInModel: () => main.createBuiltInModel(),
  createScriptedModel: () => testing.createScriptedModel(() => "Fine."),
  createChatHandler: () => ({ handle: server.createChatHandler({ provider: "openai", apiKey: "k" }) }),
};

const isClass = (value: unknown): value is new (...args: unknown[]) => object =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

/** What an error must be: one of ours, that says something. */
const isTyped = (error: unknown) =>
  (error instanceof main.GloveError || error instanceof main.AbortError) && /^\S+ .+/.test(error.message);

/** What a call failed with that is no typed error. What waits for a person or a network is not waited for. */
async function faultOf(call: () => unknown): Promise<unknown> {
  try {
    const result = call();
    const isStream = typeof result === "object" && result !== null && Symbol.asyncIterator in result;
    const awaited = isStream ? (result as AsyncGenerator).next() : result;
    await Promise.race([awaited, new Promise((late) => setTimeout(late, 200))]);
    return undefined;
  } catch (error) {
    return isTyped(error) ? undefined : error;
  }
}

/** Each argument on its own, the others being as they should, or all of them. */
function argumentsWith(value: unknown, count: number): unknown[][] {
  return Array.from({ length: Math.max(1, Math.min(count, 3)) }, (_, at) => [...Array.from({ length: at }, () => "a"), value]);
}

async function faults(name: string, parameters: number, call: (...args: unknown[]) => unknown): Promise<string[]> {
  const found = odd.flatMap((value) =>
    argumentsWith(value, parameters).map(async (args) => {
      const fault = await faultOf(() => call(...args));
      const shown = args.map((arg) => (typeof arg === "bigint" ? "1n" : typeof arg === "function" ? "f" : JSON.stringify(arg)));
      return fault === undefined
        ? []
        : [`${name}(${shown.join(", ")}): ${(fault as Error).stack?.split("\n").slice(0, 3).join("")}`];
    }),
  );
  return (await Promise.all(found)).flat();
}

/** Names that the types hide from applications. */
const hidden = new Set(
  [
    "session/session",
    "session/client",
    "classic/executor",
    "classic/observer",
    "display/manager",
    "store/indexeddb/database",
  ].flatMap((file) => {
    const types = readFileSync(new URL(`../../.cache/modules/pkg/src/${file}.d.ts`, import.meta.url), "utf8");
    return [...types.matchAll(/@internal[^\n]*\*\/\n\s*(?:readonly )?(\w+)/g)].map(([, name]) => `${file}.${name}`);
  }),
);
const isHidden = (method: string) => [...hidden].some((name) => name.endsWith(`.${method}`));

function methodsOf(object: object): string[] {
  const names = new Set<string>();
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  names.delete("constructor");
  return [...names].filter((name) => {
    try {
      return !isHidden(name) && typeof (object as Record<string, unknown>)[name] === "function";
    } catch {
      return false;
    }
  });
}

test("every class has its case", () => {
  const classes = Object.entries({ ...main, ...testing }).filter(
    ([, value]) => isClass(value) && !Object.hasOwn(Error, value.name),
  );
  const known = Object.keys(made);
  const none = ["GloveError", "AbortError", "Displaymanager"];
  expect(classes.map(([name]) => name).filter((name) => !known.includes(name) && !none.includes(name))).toEqual([]);
});

/** It takes nothing, and ends the core of all tests. */
const left = ["breakCore"];
const functions = Object.entries({ ...main, ...server, ...testing }).filter(
  (entry): entry is [string, (...args: unknown[]) => unknown] => typeof entry[1] === "function" && !left.includes(entry[0]),
);

test.each(functions)("%s works or says what is wrong, whatever it is given", async (name, value) => {
  await main.init();
  const call = isClass(value) ? (...args: unknown[]) => new value(...args) : value;
  expect(await faults(name, 3, call)).toEqual([]);
  for (const method of isClass(value) ? Object.getOwnPropertyNames(value) : []) {
    const own: unknown = Reflect.get(value, method);
    if (typeof own === "function" && method !== "prototype")
      expect(await faults(`${name}.${method}`, 2, (...args) => own.apply(value, args))).toEqual([]);
  }
});

/** Where further parameters are not for applications. */
const parameters: Readonly<Record<string, number>> = { "SessionDatabase.export": 1 };

test.each(Object.entries(made))("each method of %s works or says what is wrong, whatever it is given", async (name, make) => {
  await main.init();
  const methods = methodsOf(make());
  expect(methods.length).toBeGreaterThan(0);
  const found = methods.map((method) =>
    faults(`${name}.${method}`, parameters[`${name}.${method}`] ?? 3, (...args) => {
      const object = make() as Record<string, (...args: unknown[]) => unknown>;
      return object[method]?.(...args);
    }),
  );
  expect((await Promise.all(found)).flat()).toEqual([]);
});
