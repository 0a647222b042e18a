// What a page asks its store before work that cannot be taken back, and what becomes of the work when the store does not say.
import { GloveClient, GloveError, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

const now = performance.now.bind(performance);
let passed = 0;
beforeEach(() => void vi.spyOn(performance, "now").mockImplementation(() => now() + passed));
afterEach(() => void vi.restoreAllMocks());

/** Each write takes two seconds, so the store is asked before everything that follows on one. */
function slow(store: StoreAdapter): void {
  const append = store.appendStep?.bind(store);
  store.appendStep = async (...step) => {
    await append?.(...step);
    passed += 2_000;
  };
}

/** A tool's run in a session whose store is asked, before it begins, by `holds`. */
function paying(holds: () => Promise<boolean>) {
  const store = sharedSession("s")();
  slow(store);
  store.holds = vi.fn(holds);
  const ran = vi.fn(() => "paid");
  const client = new GloveClient({
    createModel: () => createScriptedModel([{ toolCalls: [{ name: "pay" }] }, "done"]),
    createStore: () => store,
    systemPrompt: "",
    tools: [{ name: "pay", description: "", jsonSchema: { type: "object" }, do: ran }],
  });
  return { client, session: client.session("s"), ran, holds: store.holds };
}

test("a store that takes longer to answer than an answer holds lets the tool run all the same: the page was awake", async () => {
  const { client, session, ran, holds } = paying(async () => {
    await new Promise((later) => setTimeout(later, 1_200));
    return true;
  });
  expect(await session.sendMessage("Hi")).toMatchObject({ text: "done" });
  expect(ran).toHaveBeenCalledTimes(1);
  expect(holds).toHaveBeenCalledTimes(1);
  client.dispose();
});

test("a page that stands still whenever its store is asked runs no tool, and says so in place of asking for ever", async () => {
  let still = true;
  const { client, session, ran, holds } = paying(async () => {
    if (still) passed += 2_000;
    return true;
  });
  await expect(session.sendMessage("Hi")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(ran).not.toHaveBeenCalled();
  expect(vi.mocked(holds).mock.calls.length).toBeLessThan(10);
  still = false;
  await session.resume();
  expect(ran).toHaveBeenCalledTimes(1);
  expect(texts(session.getSnapshot())).toEqual(["user: Hi", "pay: success paid", "agent: done"]);
  client.dispose();
});

/** The session with everything in it that the store is asked before, where the n-th of these questions fails. */
async function played(n: number) {
  const store = sharedSession("s")();
  slow(store);
  let asked = 0;
  store.holds = async () => {
    asked++;
    if (asked === n) throw new GloveError("STORE_UNAVAILABLE", "The browser lost the connection to its database.");
    return true;
  };
  const did: string[] = [];
  const schema = { type: "object" } as const;
  const client = new GloveClient({
    createModel: () => createScriptedModel([{ toolCalls: [{ name: "send" }] }, { toolCalls: [{ name: "pay" }] }, "done"]),
    createStore: () => store,
    systemPrompt: "",
    tools: [
      { name: "send", description: "", jsonSchema: schema, do: () => void did.push("send"), undo: () => void did.push("undo") },
      {
        name: "pay",
        description: "",
        jsonSchema: schema,
        do: async (_, display) => {
          did.push("pay");
          const who = await display.pushAndWait({ input: "Who?" });
          did.push("answered");
          return display.step("charge", () => {
            did.push("charge");
            return `charged ${who}`;
          });
        },
        onInterrupted: "ask",
        undo: () => void did.push("refund"),
      },
    ],
  });
  const session = client.session("s");
  const codes: string[] = [];
  const failed = ({ code }: { code: string }) => void codes.push(code);
  /** Goes on where it failed. */
  const insist = async (work: Promise<unknown>) => {
    const before = codes.length;
    await work.catch(failed);
    if (codes.length > before) await session.resume().catch(failed);
  };
  const stop = session.subscribe(() => {
    const [slot] = session.getSnapshot().slots;
    if (slot) session.resolveSlot(slot.id, "Ada");
  });
  await insist(session.sendMessage("Hi"));
  await until(session, ({ busy }) => !busy);
  const shown = texts(session.getSnapshot());
  await insist(session.undo(2));
  stop();
  client.dispose();
  return { asked, codes, shown, did };
}

test("where the store does not say who has the session, the run pauses and nothing is told to the model or done twice", async () => {
  const { asked, ...whole } = await played(0);
  expect(whole).toEqual({
    codes: [],
    shown: ["user: Hi", "send: success", "pay: success charged Ada", "agent: done"],
    did: ["send", "pay", "answered", "charge", "refund", "undo"],
  });
  expect(asked).toBeGreaterThanOrEqual(6);
  for (let n = 1; n <= asked; n++) {
    const { codes, shown, did } = await played(n);
    expect({ n, codes, shown, did }).toEqual({ n, ...whole, codes: ["STORE_UNAVAILABLE"] });
  }
});
