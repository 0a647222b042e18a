// An application whose page is killed at a certain write, in the page's own words (text: a page has no imports). Each session has a
// database of its own, so that many of them run side by side in one page, freeze each at its own point, and die together.

import { inEachCore } from "./core-place.js";

/** Where in a write the page dies: nothing of it is done, some of it, or all of it and nobody was told. */
export const moments = ["before", "during", "after"] as const;
export type Moment = (typeof moments)[number];

/** `freezeAt(database, n, moment)`: from the n-th write of this database on, nothing is heard of it any more. */
export const freezing = `
  ${inEachCore(`
  const points = new Map();
  globalThis.frozenAt = (database, n, moment) => new Promise((frozen) => points.set(database, { left: n, moment, frozen }));
  const begin = IDBDatabase.prototype.transaction;
  const nothing = { objectStore: () => new Proxy({}, { get: () => () => ({}) }), abort() {}, commit() {} };
  IDBDatabase.prototype.transaction = function (names, mode, options) {
    const point = points.get(this.name);
    if (point?.dead) return nothing;
    if (!point || mode !== "readwrite" || --point.left > 0) return begin.call(this, names, mode, options);
    point.dead = true;
    const frozen = () => point.frozen(true);
    if (point.moment === "before") { frozen(); return nothing; }
    const transaction = begin.call(this, names, mode, options);
    if (point.moment === "after") {
      Object.defineProperty(transaction, "oncomplete", { set() { transaction.addEventListener("complete", frozen); } });
      return transaction;
    }
    // One write is done; then the transaction is kept open with reads, and never heard of again. One that turns out to write
    // nothing (a session that is not there yet cannot be claimed) is its page's last.
    transaction.addEventListener("complete", frozen);
    // It dies ahead of that: a transaction that the page ends itself is whole or nothing.
    transaction.commit = () => {};
    const objectStore = transaction.objectStore.bind(transaction);
    const spin = (store) => { store.count().onsuccess = () => spin(store); };
    let wrote = false;
    transaction.objectStore = (name) => new Proxy(objectStore(name), {
      get: (store, method) => (...args) => {
        if (!["add", "put", "delete"].includes(method)) return store[method](...args);
        if (!wrote) {
          wrote = true;
          store[method](...args).addEventListener("success", () => { spin(store); frozen(); });
        }
        return {};
      },
    });
    return transaction;
  };`)}
  const freezeAt = (...point) => inCore("frozenAt(" + point.map((part) => JSON.stringify(part)) + ")");`;

/** `app(id)`: five answers and a summary, two tools side by side, widgets and files, a form, a permission and an approval, and a person who answers all. */
export const application = `
  const schema = { type: "object" };
  const answers = [
    { text: "Let me see.", toolCalls: [{ name: "look", id: "c1" }, { name: "list", id: "c2" }] },
    { text: "Which size?", toolCalls: [{ name: "form", id: "c3" }] },
    { text: "I pay.", toolCalls: [{ name: "pay", id: "c4", input: { amount: 5 } }] },
    { text: "I send it.", toolCalls: [{ name: "send", id: "c5" }] },
    "All done.",
  ];
  const app = (id, hold = async () => {}) => {
    const tell = (kind, what) => void report(id, kind, JSON.stringify(what));
    const works = (name) => async (_, display) => {
      tell("ran", name);
      await hold(name);
      display.displayWidget(name, { for: "people alone" });
      display.addFileOutput({ name: name + ".txt", content: name });
      return name + " worked";
    };
    const tools = [
      { name: "look", description: "", jsonSchema: schema, parallel: true, do: works("look") },
      { name: "list", description: "", jsonSchema: schema, parallel: true, do: works("list") },
      { name: "form", description: "", jsonSchema: schema, do: async (_, display) => {
        const { size } = await display.pushAndWait({ renderer: "size", input: { sizes: ["S", "L"] } });
        return "size " + size;
      } },
      { name: "pay", description: "", jsonSchema: schema, requiresPermission: true, do: works("pay") },
      { name: "send", description: "", jsonSchema: schema, requireApproval: { required: true, reason: "It leaves the house." }, do: works("send") },
    ];
    const model = createScriptedModel(({ messages }) => {
      tell("asked", messages);
      if (messages.at(-1).is_compaction_request) return "So far: all is well.";
      if (messages.some(({ is_compaction }) => is_compaction)) return answers[4];
      const given = new Set(messages.flatMap(({ tool_results }) => tool_results ?? []).map(({ tool_name }) => tool_name));
      const turn = ["look", "form", "pay", "send"].findLastIndex((tool) => given.has(tool)) + 1;
      return answers[turn];
    });
    const client = new GloveClient({
      createModel: () => model, createStore: (session) => new IndexedDBStore(session, new SessionDatabase({ name: id })),
      tools, compaction: { compaction_every_turns: 4 },
    });
    const session = client.session("s");
    const answered = new Set();
    const person = () => {
      const { slots, approvals } = session.getSnapshot();
      for (const { id, kind, toolName } of approvals) {
        if (answered.has(id)) continue;
        answered.add(id);
        if (kind === "interrupted") tell("allowed again", toolName);
        session.approve(id);
      }
      for (const { id, renderer, status } of slots) if (renderer === "size" && status === "pending") session.resolveSlot(id, { size: "L" });
    };
    session.subscribe(person);
    return session;
  };
  /** Starts it, or goes on with what is stored; ends when there is nothing more to do. */
  const goOn = async (session) => {
    await session.start();
    // What the page before had only written down is on its way, and in no record yet.
    const { busy } = session.getSnapshot();
    if ((await session.messages()).length === 0 && !busy) await session.sendMessage("Order it");
    await until(session, ({ busy, queue }) => !busy && queue.length === 0);
    const shown = texts(session.getSnapshot());
    const record = (await session.messages()).map(({ sender, text, tool_calls, tool_results, is_compaction }) => [
      sender, is_compaction ? "(summary)" : text,
      tool_calls?.map(({ tool_name, id }) => tool_name + " " + id) ?? [],
      tool_results?.map(({ call_id, result }) => [call_id, result.status, result.data]) ?? [],
      tool_results?.map(({ outputs }) => outputs?.map(({ type, widget, data }) => [type, widget, data]) ?? []) ?? [],
    ]);
    return { shown, record };
  };`;

/**
 * `app(id)` and `goOn` as above, for two agents that work side by side for another one: the clerk asks with a form, a permission and an approval, and the
 * scout answers by itself. `inner` of the end is what each of their conversations holds.
 */
export const applicationOfAgents = `
  const schema = { type: "object" };
  const app = (id) => {
    const tell = (kind, what) => void report(id, kind, JSON.stringify(what));
    const works = (name) => async () => {
      tell("ran", name);
      return name + " worked";
    };
    // Which answer is next depends on the conversation alone.
    const model = (answers) => createScriptedModel(({ messages }) => {
      tell("asked", messages);
      return answers[messages.filter(({ sender }) => sender === "agent").length];
    });
    const call = (name, id, input) => ({ text: "I take " + name, toolCalls: [{ name, id, input }] });
    const clerk = defineAgent({
      name: "clerk", description: "", systemPrompt: "",
      model: model([call("form", "k1"), call("pay", "k2", { amount: 5 }), call("send", "k3"), "The clerk is done."]),
      tools: [
        { name: "form", description: "", jsonSchema: schema, do: async (_, display) => {
          const { size } = await display.pushAndWait({ renderer: "size", input: { sizes: ["S", "L"] } });
          return "size " + size;
        } },
        { name: "pay", description: "", jsonSchema: schema, requiresPermission: true, do: works("pay") },
        { name: "send", description: "", jsonSchema: schema, requireApproval: true, do: works("send") },
      ],
    });
    const scout = defineAgent({
      name: "scout", description: "", systemPrompt: "",
      model: model([call("look", "l1"), "The scout is done."]),
      tools: [{ name: "look", description: "", jsonSchema: schema, do: works("look") }],
    });
    const outer = model([
      { toolCalls: [{ name: "clerk", id: "c1", input: { task: "Sign" } }, { name: "scout", id: "c2", input: { task: "Look" } }] },
      "All done.",
    ]);
    const client = new GloveClient({
      createModel: () => outer, createStore: (session) => new IndexedDBStore(session, new SessionDatabase({ name: id })),
      tools: [clerk, scout],
    });
    const answered = new Set();
    // The person may look at an agent's conversation before anything else is opened.
    const inner = ["s::agent::c1", "s::agent::c2"].map((inside) => client.session(inside));
    const hold = inner.map((session) => client.retain(session));
    for (const session of inner) session.subscribe(() => {
      const { slots, approvals } = session.getSnapshot();
      for (const { id, kind, toolName } of approvals) {
        if (answered.has(id)) continue;
        answered.add(id);
        if (kind === "interrupted") tell("allowed again", toolName);
        session.approve(id);
      }
      for (const { id, renderer, status } of slots) if (renderer === "size" && status === "pending") session.resolveSlot(id, { size: "L" });
    });
    return Object.assign(client.session("s"), { inner });
  };
  const goOn = async (session) => {
    await session.start();
    // What the page before had only written down is on its way, and in no record yet.
    const { busy } = session.getSnapshot();
    if ((await session.messages()).length === 0 && !busy) await session.sendMessage("Order it");
    await until(session, ({ busy, queue }) => !busy && queue.length === 0);
    const shown = texts(session.getSnapshot());
    const recordOf = async (session) => (await session.messages()).map(({ sender, text, tool_calls, tool_results }) => [
      sender, text,
      tool_calls?.map(({ tool_name, id }) => tool_name + " " + id) ?? [],
      tool_results?.map(({ call_id, result }) => [call_id, result.status, result.data]) ?? [],
    ]);
    return { shown, record: await Promise.all([session, ...session.inner].map(recordOf)) };
  };`;
