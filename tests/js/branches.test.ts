// Messages in the place of others, going back to what was left, and sessions begun from others: over the real core.
import { GloveClient, MemoryStore, type Message, type StoreAdapter, type StoredStep, type ToolConfig } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { createMessages } from "../../js/react/hooks/messages.js";
import { entryOf } from "../../js/react/timeline/entry-of.js";
import { scene, texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

const tool = (name: string, more: Partial<ToolConfig> = {}): ToolConfig => ({
  name,
  description: "",
  jsonSchema: { type: "object" },
  do: () => name,
  ...more,
});
const call = (name: string) => ({ toolCalls: [{ name, input: {} }] });

/** A model that says what it was told last, and how much it was told. */
const echo = () =>
  createScriptedModel(({ messages }) => `${messages.findLast(({ sender }) => sender === "user")?.text} ${messages.length}`);

const idOf = (session: ReturnType<typeof scene>["session"], text: string) => {
  const entry = session.getSnapshot().timeline.find((entry) => "text" in entry && entry.text === text);
  if (!entry) throw new Error(`nothing says "${text}"`);
  return entry.id;
};

/** A store with the first version's methods alone. */
function plainStore(stored: Message[]): StoreAdapter {
  return {
    identifier: "plain",
    getMessages: async () => structuredClone(stored),
    appendMessages: async (messages) => void stored.push(...structuredClone(messages)),
    getTokenCount: async () => 0,
    addTokens: async () => {},
    getTurnCount: async () => 0,
    incrementTurn: async () => {},
  };
}

const memory = new Map<string, MemoryStore>();
const stores: [string, (name: string, messages: Message[]) => StoreAdapter][] = [
  [
    "a store in memory",
    (name) => {
      const store = memory.get(name) ?? new MemoryStore(name);
      memory.set(name, store);
      return store;
    },
  ],
  ["a store of messages alone", (_, messages) => plainStore(messages)],
];

test.each(stores)(
  "an edited message is answered in its place, the old one comes back, and a reload shows the same: %s",
  async (kind, make) => {
    const stored: Message[] = [];
    const open = () => scene([], { createModel: echo, createStore: () => make(kind, stored) });
    const { session, shown, client } = open();
    await session.sendMessage("one");
    await session.sendMessage("two");
    expect(shown()).toEqual(["user: one", "agent: one 1", "user: two", "agent: two 3"]);
    const [one, two] = [idOf(session, "one"), idOf(session, "two")];
    expect(session.branches(two)).toEqual([two]);
    expect(await session.edit(two, "zwei")).toMatchObject({ type: "completed", text: "zwei 3" });
    const zwei = idOf(session, "zwei");
    expect(session.branches(zwei)).toEqual([two, zwei]);
    expect(session.getSnapshot().timeline[2]).toMatchObject({ branches: { index: 1, ids: [two, zwei] } });
    await session.edit(one, "uno");
    expect(shown()).toEqual(["user: uno", "agent: uno 1"]);
    await session.switchBranch(one);
    expect(shown()).toEqual(["user: one", "agent: one 1", "user: zwei", "agent: zwei 3"]);
    await session.switchBranch(two);
    await session.sendMessage("three");
    const last = ["user: one", "agent: one 1", "user: two", "agent: two 3", "user: three", "agent: three 5"];
    expect(shown()).toEqual(last);
    const lines = (await session.messages()).length;
    client.dispose();

    const again = open();
    await again.session.start();
    await until(again.session, ({ timeline }) => timeline.length === last.length);
    expect(again.shown()).toEqual(last);
    expect(await again.session.messages()).toHaveLength(lines);
    await again.session.switchBranch(idOf(again.session, "one"));
    expect(again.shown()).toEqual(last);
    expect(again.session.branches(one)).toHaveLength(2);
  },
);

test("an answer that was regenerated is one of several, in the timeline and in messages", async () => {
  const { session, shown } = scene(["first", "second", "third"]);
  await session.sendMessage("Hi");
  const first = idOf(session, "first");
  await session.regenerate();
  await session.regenerate();
  const { branches } = session.getSnapshot().timeline[1] ?? {};
  expect(branches).toMatchObject({ index: 2, ids: [first, expect.any(String), idOf(session, "third")] });
  expect(createMessages()(session.getSnapshot())[1]).toMatchObject({ role: "assistant", branches });
  await session.switchBranch(branches?.ids[1] ?? "");
  expect(shown()).toEqual(["user: Hi", "agent: second"]);
  await session.switchBranch(first);
  expect(shown()).toEqual(["user: Hi", "agent: first"]);
  expect(session.branches(first)).toEqual(branches?.ids);
});

test("what is unknown or comes at the wrong time is refused with a code, and nothing is stopped for it", async () => {
  const { session, shown } = scene([{ text: "one", after: 30 }, "two"]);
  const sent = session.sendMessage("Hi");
  await until(session, ({ run, timeline }) => run.phase === "model" && timeline.length === 1);
  const hi = idOf(session, "Hi");
  await expect(session.switchBranch(hi)).rejects.toMatchObject({ code: "SESSION_BUSY" });
  for (const refused of [session.edit("gone", "x"), session.switchBranch("gone"), session.fork("gone")])
    await expect(refused).rejects.toMatchObject({ code: "MESSAGE_UNKNOWN" });
  expect(() => session.branches("gone")).toThrow(expect.objectContaining({ code: "MESSAGE_UNKNOWN" }));
  await expect(session.edit(hi, "")).rejects.toMatchObject({ code: "MESSAGE_EMPTY" });
  for (const wrong of [undefined, 7, null, {}] as unknown as string[]) {
    await expect(session.edit(wrong, "x")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(session.switchBranch(wrong)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(session.fork(wrong)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  }
  expect(await sent).toMatchObject({ text: "one" });
  await expect(session.edit(idOf(session, "one"), "x")).rejects.toMatchObject({ code: "MESSAGE_UNKNOWN" });
  expect(shown()).toEqual(["user: Hi", "agent: one"]);
});

test("an edit stops the run that goes on, or waits for it", async () => {
  const { session, shown } = scene([{ deltas: ["half"], until: new Promise(() => {}) }, { text: "one", after: 20 }, "two"]);
  const sent = session.sendMessage("Hi");
  await until(session, ({ streamingText }) => streamingText === "half");
  const edited = session.edit(idOf(session, "Hi"), "Hello");
  expect(await sent).toEqual({ type: "aborted" });
  await until(session, ({ timeline }) => timeline.some((entry) => "text" in entry && entry.text === "Hello"));
  const waits = session.edit(idOf(session, "Hello"), { text: "Hey", whenBusy: "queue" });
  expect([await edited, await waits]).toMatchObject([{ text: "one" }, { text: "two" }]);
  expect(shown()).toEqual(["user: Hey", "agent: two"]);
  await session.switchBranch(session.getSnapshot().timeline[0]?.branches?.ids[0] ?? "");
  expect(shown()).toEqual(["user: Hi", "agent: half (cut)"]);
});

test("what tools did stays with its branch: it is taken back there, shown there, and never run again", async () => {
  const [add, undo] = [vi.fn(() => "added"), vi.fn()];
  const tools = [tool("add", { do: add, undo }), tool("look", { do: (_, display) => display.pushAndForget({ input: "card" }) })];
  const { session, shown } = scene([call("add"), call("look"), "Done.", "Nothing."], { tools });
  await session.sendMessage("Add it");
  const before = shown();
  const [add1, look1] = [session.getSnapshot().undoable.length, session.getSnapshot().slots.length];
  expect([add1, look1]).toEqual([1, 1]);
  const asked = idOf(session, "Add it");
  await session.edit(asked, "Do nothing");
  await until(session, ({ slots }) => slots.length === 0);
  expect(session.getSnapshot().undoable).toEqual([]);
  await session.switchBranch(asked);
  await until(session, ({ slots }) => slots.length === 1);
  expect([shown(), session.getSnapshot().undoable.length]).toEqual([before, 1]);
  await session.undo();
  expect([add, undo].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test("what calls of another branch have shown is there again when a message of it is edited", async () => {
  const tools = [tool("look", { do: (_, display) => display.pushAndForget({ input: "card" }) })];
  const { session } = scene([call("look"), "Seen.", "Well.", "Nothing.", "Again."], { tools });
  await session.sendMessage("Look");
  await session.sendMessage("And?");
  const [look, and] = [idOf(session, "Look"), idOf(session, "And?")];
  await session.edit(look, "Do nothing");
  await until(session, ({ slots }) => slots.length === 0);
  await session.edit(and, "And then?");
  await until(session, ({ slots }) => slots.length === 1);
});

test("a message of the queue is changed where it waits, and what runs goes on", async () => {
  const { session, shown } = scene([{ text: "one", after: 50 }, "two", "three"]);
  const [, second, third] = ["first", "second", "third"].map((text) => session.sendMessage(text));
  const [waiting] = (await until(session, ({ queue }) => queue.length === 2)).queue;
  const edited = session.edit(waiting?.id ?? "", "zweitens");
  expect(await second).toEqual({ type: "aborted" });
  expect(session.getSnapshot().queue.map(({ text }) => text)).toEqual(["zweitens", "third"]);
  expect([await edited, await third]).toMatchObject([{ text: "two" }, { text: "three" }]);
  expect(shown()).toEqual(["user: first", "agent: one", "user: zweitens", "agent: two", "user: third", "agent: three"]);
});

test("the id of an answer in messages stands for its last entry, or the last of it with other versions", async () => {
  const { session } = scene([call("look"), "Seen.", "Seen again."], { tools: [tool("look", { idempotent: false })] });
  await session.sendMessage("Look");
  const before = session.getSnapshot().timeline;
  expect(entryOf(before, `${before[0]?.id}:answer`, "id")).toBe(before.at(-1)?.id);
  await session.regenerate();
  const { timeline } = session.getSnapshot();
  const versioned = timeline.findLast(({ branches }) => branches);
  expect(session.branches(entryOf(timeline, `${timeline[0]?.id}:answer`, "branches"))).toEqual(versioned?.branches?.ids);
  expect(entryOf(timeline, "gone:answer", "id")).toBe("gone:answer");
});

test("a session goes out and comes in with all its branches, with and without its run", async () => {
  const model = echo();
  const client = new GloveClient({ createModel: () => model });
  const session = client.session("tree");
  await session.sendMessage("one");
  await session.edit(idOf(session, "one"), "uno");
  await session.switchBranch(session.branches(idOf(session, "uno"))[0] ?? "");
  const exported = await client.exportSession("tree");
  for (const options of [{ id: "a" }, { id: "b", withRun: true }]) {
    const copy = client.session(await client.importSession(exported, options));
    await copy.start();
    expect(texts(await until(copy, ({ timeline }) => timeline.length > 0))).toEqual(["user: one", "agent: one 1"]);
    await copy.switchBranch(copy.branches(idOf(copy, "one"))[1] ?? "");
    expect(texts(copy.getSnapshot())).toEqual(["user: uno", "agent: uno 1"]);
  }
  client.dispose();
});

test("a fork is a session of its own with what was said up to there, in which nothing runs again", async () => {
  const pay = vi.fn(() => "paid");
  const open = tool("ask", { do: (_, display) => display.pushAndWait({ input: "Which?" }) });
  const answers = [call("pay"), "Paid.", call("ask"), "From there."];
  const { session, client, shown } = scene(answers, { tools: [tool("pay", { do: pay }), open] });
  await session.sendMessage("Pay");
  void session.sendMessage("Ask me");
  await until(session, ({ slots }) => slots.length === 1);
  const before = shown();
  const asking = session.getSnapshot().timeline.findLast(({ kind }) => kind === "tool")?.id ?? "";
  const id = await session.fork(asking);
  const forked = client.session(id);
  await forked.start();
  const { slots, busy, undoable } = await until(forked, ({ timeline }) => timeline.length > 0);
  expect([texts(forked.getSnapshot()), slots, busy, undoable]).toEqual([before.slice(0, -1), [], false, []]);
  session.abort();
  expect(await forked.sendMessage("Go on")).toMatchObject({ text: "From there." });
  expect(pay).toHaveBeenCalledOnce();
  expect(shown()).toHaveLength(before.length);
  expect((await forked.messages()).every(({ replaces }) => replaces === undefined)).toBe(true);
});

test("a tab that follows edits, shows another branch, forks and sees the same", async () => {
  const store = sharedSession("s");
  const own = new Map<string, MemoryStore>();
  const tab = () => {
    const shared = store();
    const client = new GloveClient({
      createModel: echo,
      createStore: (id) => {
        if (id === "s") return shared;
        const kept = own.get(id) ?? new MemoryStore(id);
        own.set(id, kept);
        return kept;
      },
    });
    return { client, session: client.session("s") };
  };
  const [first, second] = [tab(), tab()];
  await first.session.start();
  await second.session.start();
  await second.session.sendMessage("one");
  const one = idOf(second.session, "one");
  await second.session.edit(one, "uno");
  await until(first.session, ({ timeline }) => timeline[0]?.branches?.index === 1);
  await second.session.switchBranch(one);
  await until(second.session, ({ timeline }) => timeline[0]?.branches?.index === 0);
  await until(first.session, ({ timeline }) => timeline[0]?.branches?.index === 0);
  expect(texts(second.session.getSnapshot())).toEqual(["user: one", "agent: one 1"]);
  await expect(second.session.switchBranch("gone")).rejects.toMatchObject({ code: "MESSAGE_UNKNOWN" });
  await expect(second.session.fork("gone")).rejects.toMatchObject({ code: "MESSAGE_UNKNOWN" });
  const fork = second.client.session(await second.session.fork(one));
  await fork.start();
  expect(texts(await until(fork, ({ timeline }) => timeline.length > 0))).toEqual(["user: one"]);
  // A tab that comes later sees it at once.
  const third = tab();
  await third.session.start();
  await until(third.session, ({ timeline }) => timeline[0]?.branches?.ids.length === 2);
  for (const { client } of [third, second, first]) client.dispose();
});

// ---- a page that dies in a write ------------------------------------------------------------------------------------

/** Dies at its n-th write, before or after it: nothing is heard of it any more. */
class Dying extends MemoryStore {
  constructor(
    readonly kept: MemoryStore,
    private left: number,
    private readonly after: boolean,
    private readonly died: () => void,
  ) {
    super(kept.identifier);
  }
  override async appendStep(step: StoredStep): Promise<void> {
    const dies = --this.left <= 0;
    if (this.left === 0 && this.after) await this.kept.appendStep(step);
    if (!dies) return this.kept.appendStep(step);
    this.died();
    return new Promise(() => {});
  }
  override readRun() {
    return this.kept.readRun();
  }
}

const acts: [string, (session: ReturnType<typeof scene>["session"], ids: { one: string; uno: string }) => Promise<unknown>][] = [
  ["edit", (session, { one }) => session.edit(one, "eins")],
  ["switchBranch", (session, { one }) => session.switchBranch(one)],
  ["regenerate", (session) => session.regenerate()],
];

test.each(acts)(
  "a page that dies at any write of %s shows the old branch or the new one, whole, and loses nothing",
  async (_, act) => {
    const add = vi.fn(() => "added");
    const config = (store: StoreAdapter) => ({
      createStore: () => store,
      tools: [tool("add", { do: add, undo: () => {} })],
      createModel: () =>
        createScriptedModel(({ messages }) => {
          const asked = messages.findLast(({ tool_results }) => !tool_results);
          return asked?.text === "one" || messages.at(-1)?.tool_results ? `answer to ${asked?.text}` : call("add");
        }),
    });
    const old = ["user: uno", "add: success added", "agent: answer to "];
    const wholes = new Set<string>();
    let deaths = 0;
    for (const after of [false, true]) {
      for (let n = 1; n < 20; n++) {
        const kept = new MemoryStore("s1");
        const { session, client } = scene([], config(kept));
        await session.sendMessage("one");
        const one = idOf(session, "one");
        await session.edit(one, "uno");
        const ids = { one, uno: idOf(session, "uno") };
        const before = (await session.messages()).length;
        client.dispose();
        add.mockClear();

        let dead = false;
        await new Promise<void>((done) => {
          const dying = new Dying(kept, n, after, () => {
            dead = true;
            done();
          });
          const { session, client } = scene([], config(dying));
          const all = session.start().then(() => act(session, ids));
          all.then(
            () => done(),
            () => done(),
          );
          void client;
        });
        if (!dead) break;
        deaths++;
        const runs = add.mock.calls.length;
        const again = scene([], { ...config(kept), resume: "auto" as const });
        again.session.subscribe(() => {
          for (const { id } of again.session.getSnapshot().approvals) again.session.reject(id);
        });
        await again.session.start();
        await until(again.session, ({ busy, run }) => !busy && run.phase === "idle");
        wholes.add(JSON.stringify(again.shown()));
        const messages = await again.session.messages();
        expect(messages.length).toBeGreaterThanOrEqual(before);
        // A call that had begun is asked about, and was turned down here.
        expect(add.mock.calls.length).toBeLessThanOrEqual(Math.max(runs, 1));
        // Both of the old branches are there still.
        await again.session.switchBranch(ids.one);
        expect(again.shown()).toEqual(["user: one", "agent: answer to one"]);
        await again.session.switchBranch(ids.uno);
        expect(again.shown()[0]).toBe("user: uno");
        again.client.dispose();
      }
    }
    expect(deaths).toBeGreaterThan(1);
    for (const whole of wholes) {
      const lines = JSON.parse(whole) as string[];
      expect(lines.length, whole).toBeGreaterThanOrEqual(2);
      expect(
        lines.filter((line) => line.startsWith("user:")),
        whole,
      ).toHaveLength(1);
      expect(lines.at(-1), whole).toMatch(/^agent: answer/);
    }
    expect(old).toHaveLength(3);
  },
);
