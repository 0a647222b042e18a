// The store conformance kit, run on the stores that work in Node.
import {
  createRemoteStore,
  IndexedDBStore,
  MemoryStore,
  type Message,
  SessionDatabase,
  type StoreAdapter,
  type StoredStep,
  type TokenCount,
} from "glove-wasm";
import { type ConformanceSubject, storeConformance } from "glove-wasm/testing";
import { describe, expect, it, test } from "vitest";

/** A store with nothing but what has to be there. */
function minimal(identifier: string): StoreAdapter {
  let messages = "[]";
  let [tokens, turns] = [0, 0];
  return {
    identifier,
    getMessages: async () => JSON.parse(messages),
    appendMessages: async (added) => {
      messages = JSON.stringify([...JSON.parse(messages), ...added]);
    },
    getTokenCount: async () => tokens,
    addTokens: async (count: number | TokenCount) => {
      tokens += typeof count === "number" ? count : count.tokens_in + count.tokens_out;
    },
    getTurnCount: async () => turns,
    incrementTurn: async () => void turns++,
  };
}

/** A server behind callbacks; each message and step crosses as JSON. */
function remote(): ConformanceSubject {
  const server = new Map<string, MemoryStore>();
  const of = (id: string) => server.get(id) ?? server.set(id, new MemoryStore(id)).get(id) ?? new MemoryStore(id);
  const wire = <T>(value: T): T => JSON.parse(JSON.stringify(value));
  const make = (id: string) =>
    createRemoteStore(id, {
      getMessages: async (id) => wire(await of(id).getMessages()),
      appendMessages: (id, messages: Message[]) => of(id).appendMessages(wire(messages)),
      getTokenCount: (id) => of(id).getTokenCount(),
      addTokens: (id, count) => of(id).addTokens(wire(count)),
      getTurnCount: (id) => of(id).getTurnCount(),
      incrementTurn: (id) => of(id).incrementTurn(),
      resetCounters: (id) => of(id).resetCounters(),
      getTasks: (id) => of(id).getTasks(),
      addTasks: (id, tasks) => of(id).addTasks(tasks),
      updateTask: (id, task, updates) => of(id).updateTask(task, updates),
      getPermission: (id, tool, input) => of(id).getPermission(tool, input),
      setPermission: (id, tool, status, input) => of(id).setPermission(tool, status, input),
      getInboxItems: (id) => of(id).getInboxItems(),
      addInboxItem: (id, item) => of(id).addInboxItem(wire(item)),
      updateInboxItem: (id, item, updates) => of(id).updateInboxItem(item, updates),
      getResolvedInboxItems: (id) => of(id).getResolvedInboxItems(),
      appendStep: (id, step: StoredStep) => of(id).appendStep(wire(step)),
      readRun: async (id) => wire(await of(id).readRun()),
    });
  return { make, reopen: make };
}

const memoryOnly = (id: string) => {
  const messages: Message[] = [];
  return createRemoteStore(id, {
    getMessages: async () => structuredClone(messages),
    appendMessages: async (_, added) => messages.push(...added),
  });
};

const runner = { describe, it };
describe("the memory store", () => void storeConformance((id) => new MemoryStore(id), runner));
describe("the store of a page where there is no database", () => {
  const database = new SessionDatabase();
  const make = (id: string) => new IndexedDBStore(id, database);
  storeConformance({ make, reopen: make }, runner);
});
describe("a store with the required methods only", () => void storeConformance(minimal, runner));
describe("a remote store that keeps everything", () => void storeConformance(remote(), runner));
describe("a remote store that keeps messages", () => void storeConformance(memoryOnly, runner));

test("what a page's store is given while it is loaded is stored as what comes later is", async () => {
  class Money {
    constructor(readonly cents: number) {}
    toJSON() {
      return `${this.cents / 100} EUR`;
    }
  }
  const tasks = () => [{ id: "1", content: "Pay", activeForm: "Paying", status: "pending" as const, price: new Money(250) }];
  const store = new IndexedDBStore("classes");
  const stored = [];
  for (let time = 0; time < 2; time++) {
    const given = tasks();
    const adding = store.addTasks(given);
    given.pop();
    await adding;
    stored.push(await store.getTasks());
  }
  expect(stored).toEqual([0, 1].map(() => [{ ...tasks()[0], price: "2.5 EUR" }]));
});

test("the kit has at least sixty cases with names of their own, and says which do not apply", async () => {
  const cases = storeConformance(minimal);
  expect(cases.length).toBeGreaterThanOrEqual(60);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  const ends = await Promise.all(cases.map(({ run }) => run()));
  expect(ends.filter((end) => end === "passed").length).toBeGreaterThan(30);
  expect(ends).toContain("skipped");
});

test.each([
  [
    "loses unknown fields",
    (store: StoreAdapter) => ({
      ...store,
      getMessages: async () => (await store.getMessages()).map(({ sender, text }) => ({ sender, text })),
    }),
  ],
  ["writes over each other", lossy],
  ["counts objects as nothing", (store: StoreAdapter) => ({ ...store, addTokens: async () => {} })],
])("a store that %s does not pass", async (_, broken) => {
  const cases = storeConformance((id) => broken(minimal(id)));
  const ends = await Promise.allSettled(cases.map(({ run }) => run()));
  expect(ends.some(({ status }) => status === "rejected")).toBe(true);
});

function lossy(store: StoreAdapter): StoreAdapter {
  let messages: Message[] = [];
  const appendMessages = async (added: Message[]) => {
    const before = messages;
    await null;
    messages = [...before, ...added];
  };
  return { ...store, getMessages: async () => structuredClone(messages), appendMessages };
}
