// A session over a store whose n-th operation fails, for every n: it fails with the store's code, goes on when it is resumed, and comes
// to the same end, with every tool run once.
import { GloveClient, GloveError, MemoryStore, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { texts, until } from "../support/session.js";

/** Its n-th operation fails, before or after it was done. */
function failing(n: number, moment: "before" | "after"): { store: StoreAdapter; operations: () => number } {
  const inner = new MemoryStore("s");
  let count = 0;
  const store = new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        const fails = ++count === n;
        const error = new GloveError("STORE_UNAVAILABLE", "The store is not there; try again.");
        if (fails && moment === "before") throw error;
        const given = await (value as (...args: unknown[]) => Promise<unknown>).apply(target, args);
        // What a store has kept and then denies is another thing: only reads can fail behind their work.
        if (fails && !/^(append|set|add|update)/.test(String(name))) throw error;
        return given;
      };
    },
  });
  return { store, operations: () => count };
}

async function play(n: number, moment: "before" | "after") {
  const { store, operations } = failing(n, moment);
  const ran: string[] = [];
  const tool = (name: string, more = {}) => ({
    name,
    description: "",
    jsonSchema: { type: "object" },
    ...more,
    do: () => void ran.push(name),
  });
  const tools = [tool("look", { parallel: true }), tool("list", { parallel: true }), tool("send", { requireApproval: true })];
  const model = createScriptedModel(({ messages }) => {
    const given = messages.flatMap(({ tool_results }) => tool_results ?? []).length;
    if (given === 0) return { toolCalls: [{ name: "look" }, { name: "list" }] };
    return given < 3 ? { toolCalls: [{ name: "send" }] } : "done";
  });
  const client = new GloveClient({ createModel: () => model, createStore: () => store, systemPrompt: "", tools });
  const session = client.session("s");
  session.subscribe(() => {
    for (const { id } of session.getSnapshot().approvals) session.approve(id);
  });
  const codes: unknown[] = [];
  const failed = (error: { code?: string }) => {
    if (error.code !== "OUT_OF_PROTOCOL") codes.push(error.code);
    return undefined;
  };
  for (let tries = 0, before = -1; tries < 5 && before < codes.length; tries++) {
    before = codes.length;
    const stored = await session.messages().catch(failed);
    if (stored?.length === 0) await session.sendMessage("Hi").catch(failed);
    else if (stored) await session.resume().catch(failed);
    if (stored) await until(session, ({ busy }) => !busy);
  }
  const messages = (await (store as MemoryStore).getMessages()).map(({ sender, text, tool_results }) => [
    sender,
    text,
    tool_results?.length ?? 0,
  ]);
  client.dispose();
  return { codes, operations: operations(), end: { shown: texts(session.getSnapshot()), messages, ran } };
}

test.each(["before", "after"] as const)("the n-th operation of a store fails %s its work, for every n", async (moment) => {
  const whole = await play(Infinity, moment);
  expect(whole).toMatchObject({ codes: [], end: { ran: ["look", "list", "send"] } });
  // The last one is the test's own.
  const last = whole.operations - 1;
  expect(last).toBeGreaterThan(8);
  for (let n = 1; n <= last; n++) {
    const { codes, end } = await play(n, moment);
    expect({ n, codes: codes.filter((code) => code !== "STORE_UNAVAILABLE"), end }).toEqual({ n, codes: [], end: whole.end });
  }
});
