// Nothing that a program awaits is left without an answer: every asynchronous method, with its session ended at every point.
import { readFileSync } from "node:fs";
import {
  DisplayManager,
  Glove,
  GloveClient,
  type GloveSession,
  MemoryStore,
  type SessionCatalog,
  type StoreAdapter,
} from "glove-wasm";
import { breakCore, createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedSession } from "../support/shared-store.js";

// The process would end at one of these.
const uncaught: unknown[] = [];
const take = (error: unknown) => void uncaught.push(error);
beforeEach(() => {
  process.on("uncaughtException", take);
  process.on("unhandledRejection", take);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("uncaughtException", take);
  process.off("unhandledRejection", take);
  expect(uncaught.splice(0)).toEqual([]);
});

interface Scene {
  readonly client: GloveClient;
  readonly session: GloveSession;
  readonly agent: Glove;
  readonly store: StoreAdapter;
  end(): unknown;
}

/** The id of a message that was sent a moment ago. */
function sent(session: GloveSession): string {
  session.sendMessage("Hi").catch(() => {});
  return session.getSnapshot().timeline.at(-1)?.id ?? "none";
}

/** Each asynchronous method of the classes that people hold. What has no case here fails the test of their types. */
const cases: Record<string, (scene: Scene) => unknown> = {
  "GloveSession.start": ({ session }) => session.start(),
  "GloveSession.sendMessage": ({ session }) => session.sendMessage("Hi"),
  "GloveSession.request": ({ session }) => session.request("Hi"),
  "GloveSession.requestAs": ({ session }) => session.requestAs("r9", { text: "Hi" }),
  "GloveSession.regenerate": ({ session }) => session.regenerate(),
  "GloveSession.edit": ({ session }) => session.edit(sent(session), "Hello"),
  "GloveSession.switchBranch": ({ session }) => session.switchBranch(sent(session)),
  "GloveSession.fork": ({ session }) => session.fork(sent(session)),
  "GloveSession.exportRun": ({ session }) => session.exportRun(),
  "GloveSession.resume": ({ session }) => session.resume(),
  "GloveSession.undo": ({ session }) => session.undo(),
  "GloveSession.answerInbox": ({ session }) => session.answerInbox("i1", "yes"),
  "GloveSession.takeOver": ({ session }) => session.takeOver(),
  "GloveSession.messages": ({ session }) => session.messages(),
  "GloveSession.prompts": ({ session }) => session.prompts(),
  "GloveSession.trigger": ({ session }) => session.trigger({ reason: "it is time" }),
  "GloveSession.settled": ({ session }) => {
    session.sendMessage("Hi").catch(() => {});
    return session.settled();
  },
  "GloveSession.resolveSlot": ({ session }) => session.resolveSlot("none", "yes"),
  "GloveSession.rejectSlot": ({ session }) => session.rejectSlot("none"),
  "GloveClient.trigger": ({ client }) => client.trigger("s", { reason: "it is time" }),
  "GloveClient.firstSessionId": ({ client }) => client.firstSessionId(),
  "GloveClient.mintSessionId": ({ client }) => client.mintSessionId(),
  "GloveClient.sessions": ({ client }) => client.sessions(),
  "GloveClient.renameSession": ({ client }) => client.renameSession("s", "Mine"),
  "GloveClient.deleteSession": ({ client }) => client.deleteSession("s"),
  "GloveClient.exportSession": ({ client }) => client.exportSession("s"),
  "GloveClient.repairSession": ({ client }) => client.repairSession("s"),
  "GloveClient.importSession": ({ client }) => client.importSession("{}"),
  "Glove.processRequest": ({ agent }) => agent.processRequest("Hi"),
  "Glove.undo": ({ agent }) => agent.undo(),
  "DisplayManager.pushAndForget": ({ session }) => session.displayManager.pushAndForget({ input: 1 }),
  "DisplayManager.pushAndWait": ({ session }) => session.displayManager.pushAndWait({ input: 1 }),
  "DisplayManager.resolve": ({ session }) => session.displayManager.resolve("none", "yes"),
  "DisplayManager.reject": ({ session }) => session.displayManager.reject("none"),
  "DisplayManager.notify": ({ session }) => session.displayManager.notify(),
  "DisplayManager.clearStack": ({ session }) => session.displayManager.clearStack(),
};

test("every asynchronous method has its case", () => {
  const found = Object.entries({
    "session/session": "GloveSession",
    "session/client": "GloveClient",
    "classic/glove": "Glove",
    "display/manager": "DisplayManager",
  });
  const methods = found.flatMap(([file, name]) => {
    const text = readFileSync(new URL(`../../.cache/modules/pkg/src/${file}.d.ts`, import.meta.url), "utf8");
    const [, body = ""] = text.split(new RegExp(`^export declare class ${name}\\b`, "m"));
    const members = body.split("\n}")[0] ?? "";
    return [...members.matchAll(/^ {4}(?:readonly )?(\w+)(?:(?:: |<.*>)?\(.*\bPromise(?:Like)?<|: SendMessage;)/gm)].map(
      ([, method]) => `${name}.${method}`,
    );
  });
  expect(methods.sort()).toEqual(Object.keys(cases).sort());
});

/** Who listens to errors keeps them from the console. */
const quiet = { record() {} };

type Ends = "disposed" | "deleted" | "trapped";
type Point = { readonly microtasks: number } | { readonly storeCalls: number } | "mid-stream";
const points: readonly Point[] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30].map((microtasks) => ({ microtasks })),
  ...[1, 2, 3, 4, 5].map((storeCalls) => ({ storeCalls })),
  "mid-stream",
];

async function hangs(name: string, ends: Ends, point: Point, started: boolean, make: () => StoreAdapter): Promise<boolean> {
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  let calls = 0;
  const watched = (store: StoreAdapter): StoreAdapter =>
    new Proxy(store, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (typeof point === "object" && "storeCalls" in point && ++calls === point.storeCalls) reach();
          return value.apply(target, args);
        };
      },
    });
  // An answer that does not end by itself.
  let answer = () => {};
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const model = () =>
    createScriptedModel(() => {
      if (point === "mid-stream") setTimeout(reach, 0);
      return { deltas: ["a piece"], until };
    });
  const store = watched(make());
  const catalog = {
    list: async () => [],
    rename: async () => {},
    delete: async () => {},
    export: async () => "{}",
    import: async () => "s",
  };
  const client = new GloveClient({
    createModel: model,
    createStore: () => store,
    catalog: catalog as SessionCatalog,
    systemPrompt: "",
    subscribers: [quiet],
  });
  const agent = new Glove({
    model: model(),
    systemPrompt: "",
    store: watched(make()),
    displayManager: new DisplayManager(),
  })
    .addSubscriber(quiet)
    .build();
  const session = client.session("s");
  if (started) await Promise.all([session.start(), agent.session.start()]);
  calls = 0;
  const end = () => {
    if (ends === "trapped") return breakCore();
    agent.dispose();
    if (ends === "disposed") return client.dispose();
    return client.deleteSession("s");
  };
  let settled = false;
  const asked = Promise.resolve(cases[name]?.({ client, session, agent, store, end })).then(
    () => (settled = true),
    () => (settled = true),
  );
  if (typeof point === "object" && "microtasks" in point) for (let n = 0; n < point.microtasks; n++) await undefined;
  else await Promise.race([reached, asked, new Promise((later) => setTimeout(later, 50))]);
  await end();
  // After a trap the session may have been opened again: then all of it waits for a model and a person.
  if (ends === "trapped") {
    answer();
    session.displayManager.subscribe((stack) => {
      for (const { id } of stack) session.resolveSlot(id, 1);
    });
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Nobody waits for this where all is well.
  await Promise.race([asked, new Promise((late) => (timer = setTimeout(late, 20_000)))]);
  clearTimeout(timer);
  client.dispose();
  agent.dispose();
  return !settled;
}

for (const shared of [false, true])
  for (const started of [false, true])
    for (const ends of ["disposed", "deleted", "trapped"] as const)
      test(`all settles when its ${started ? "started" : "new"} session ${shared ? "of several tabs " : ""}is ${ends}, at any point`, {
        timeout: 120_000,
      }, async () => {
        const make = () => (shared ? sharedSession("s")() : new MemoryStore("s"));
        const hung: string[] = [];
        const one = async (name: string, point: Point) => {
          if (await hangs(name, ends, point, started, make)) hung.push(`${name} ${JSON.stringify(point)}`);
        };
        for (const point of points) await Promise.all(Object.keys(cases).map((name) => one(name, point)));
        expect(hung).toEqual([]);
      });
