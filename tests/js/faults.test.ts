// A session over a store whose n-th operation fails, for every n: it fails with the store's code, goes on when it is resumed, and comes
// to the same end, with every tool run once.
import { GloveClient, GloveError, MemoryStore, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { texts, until } from "../support/session.js";

/** An operation fails before it is done, or behind its work: what it read is not heard, or what it wrote is kept and then denied. */
type Moment = "before" | "unheard" | "denied";

/** Its n-th operation fails. */
function failing(n: number, moment: Moment): { store: StoreAdapter; operations: () => number } {
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
        const writes = /^(append|set|add|update)/.test(String(name));
        if (fails && writes === (moment === "denied")) throw error;
        return given;
      };
    },
  });
  return { store, operations: () => count };
}

async function play(n: number, moment: Moment) {
  const { store, operations } = failing(n, moment);
  const ran: string[] = [];
  /** Calls of which it is not stored that they ended: a person was asked, and let them run. */
  const asked = new Map<string, string | undefined>();
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
  const open = () => {
    const client = new GloveClient({ createModel: () => model, createStore: () => store, systemPrompt: "", tools });
    const session = client.session("s");
    session.subscribe(() => {
      for (const { id, kind, toolName } of session.getSnapshot().approvals) {
        if (kind === "interrupted" && !asked.has(id)) asked.set(id, toolName);
        session.approve(id);
      }
    });
    return { client, session };
  };
  let { client, session } = open();
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
    if (codes.length === before || codes.at(-1) !== "STORE_CONFLICT") continue;
    // It says so: what was denied is there, and the session has to be opened again.
    client.dispose();
    ({ client, session } = open());
  }
  // What a session has read is shown a moment later.
  await until(session, ({ timeline }) => timeline.length >= 5);
  const messages = (await (store as MemoryStore).getMessages()).map(({ sender, text, tool_results }) => [
    sender,
    text,
    tool_results?.length ?? 0,
  ]);
  client.dispose();
  const count = (list: readonly unknown[], name: string) => list.filter((one) => one === name).length;
  const names = [...new Set(ran)];
  const tooOften = names.filter((name) => count(ran, name) > 1 + count([...asked.values()], name));
  return { codes, operations: operations(), end: { shown: texts(session.getSnapshot()), messages, names, tooOften } };
}

test.each([
  ["is not done", "before", ["STORE_UNAVAILABLE"]],
  ["is done and not heard", "unheard", ["STORE_UNAVAILABLE"]],
  ["is kept and then denied", "denied", ["STORE_UNAVAILABLE", "STORE_CONFLICT"]],
] as const)("the n-th operation of a store %s, for every n", async (_, moment, allowed: readonly unknown[]) => {
  const whole = await play(Infinity, moment);
  expect(whole).toMatchObject({ codes: [], end: { names: ["look", "list", "send"], tooOften: [] } });
  // The last one is the test's own.
  const last = whole.operations - 1;
  expect(last).toBeGreaterThan(8);
  for (let n = 1; n <= last; n++) {
    const { codes, end } = await play(n, moment);
    expect({ n, codes: codes.filter((code) => !allowed.includes(code)), end }).toEqual({ n, codes: [], end: whole.end });
  }
});
