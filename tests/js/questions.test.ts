// A question of a tool, and everything that may become of it: what is done to it, when, and with what. Whoever waits is told
// within 50 ms, and what was not meant for this question changes nothing.
import { type EnhancedSlot, GloveClient, type GloveSession, MemoryStore } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { until } from "../support/session.js";

/** When something is done: by a listener of the display, before the screen knows; by the screen's own listener; a moment later. */
const moments = ["before", "inside", "after"] as const;

interface Around {
  readonly session: GloveSession;
  readonly client: GloveClient;
  readonly slot: EnhancedSlot | { readonly id: string };
  /** The id of a question that was answered before. */
  readonly stale: string;
}
type Act = (around: Around) => unknown;
interface Row {
  readonly act: Act;
  /** What the act gives. */
  readonly gives: unknown;
  /** How the waiting tool is told; nothing when the question is still open. */
  readonly told?: readonly ["resolved" | "rejected", unknown];
  /** What becomes of the request in the end. */
  readonly ends?: unknown;
}

const right = { size: "L" };
const answered = { told: ["resolved", right], ends: "completed" } as const;
const turnedDown = (what: unknown) => ({ told: ["rejected", what], ends: "completed" }) as const;

const rows: Record<string, Row> = {
  "is answered": { act: ({ session, slot }) => session.resolveSlot(slot.id, right), gives: true, ...answered },
  "gets a wrong answer": { act: ({ session, slot }) => session.resolveSlot(slot.id, { size: 7 }), gives: false },
  "is answered twice": {
    act: ({ session, slot }) => [session.resolveSlot(slot.id, right), session.resolveSlot(slot.id, { size: "S" })],
    gives: [true, false],
    ...answered,
  },
  "is turned down": { act: ({ session, slot }) => session.rejectSlot(slot.id, "no"), gives: true, ...turnedDown("no") },
  "is turned down twice": {
    act: ({ session, slot }) => [session.rejectSlot(slot.id, "no"), session.rejectSlot(slot.id, "never")],
    gives: [true, false],
    ...turnedDown("no"),
  },
  "is turned down and then answered": {
    act: ({ session, slot }) => [session.rejectSlot(slot.id, "no"), session.resolveSlot(slot.id, right)],
    gives: [true, false],
    ...turnedDown("no"),
  },
  "is beside one that is not known": {
    act: ({ session }) => [session.resolveSlot("slot_1", right), session.rejectSlot("", "no")],
    gives: [false, false],
  },
  "follows one that is answered once more": {
    act: ({ session, stale }) => [session.resolveSlot(stale, right), session.rejectSlot(stale, "no")],
    gives: [false, false],
  },
  "is removed": {
    act: ({ session, slot }) => session.displayManager.removeSlot(slot.id),
    gives: true,
    ...turnedDown("DISPLAY_REMOVED"),
  },
  "is removed twice": {
    act: ({ session, slot }) => [session.displayManager.removeSlot(slot.id), session.displayManager.removeSlot(slot.id)],
    gives: [true, false],
    ...turnedDown("DISPLAY_REMOVED"),
  },
  "is cleared away": {
    act: ({ session }) => void session.displayManager.clearStack(),
    gives: undefined,
    ...turnedDown("DISPLAY_CLEARED"),
  },
  "is stopped with its run": {
    act: ({ session }) => session.abort(),
    gives: undefined,
    told: ["rejected", "DISPLAY_REMOVED"],
    ends: "aborted",
  },
  "is left with its session": {
    act: ({ client }) => client.dispose(),
    gives: undefined,
    told: ["rejected", "SESSION_CLOSED"],
    ends: "SESSION_CLOSED",
  },
};

const situations = Object.entries(rows).flatMap(([name, row]) => moments.map((moment) => ({ name, moment, row })));

/** A tool that asks, and tells how it was answered. */
function scene(store: MemoryStore) {
  const told: unknown[] = [];
  const ask = {
    name: "ask",
    description: "",
    jsonSchema: { type: "object" },
    resolveSchema: z.object({ size: z.string() }),
    onInterrupted: "rerun",
    do: async (_: unknown, display: { pushAndWait(slot: { input: unknown }): Promise<unknown> }) => {
      try {
        const value = await display.pushAndWait({ input: { which: "size" } });
        told.push(["resolved", value]);
        return value;
      } catch (error) {
        told.push(["rejected", (error as { code?: string }).code ?? error]);
        throw error;
      }
    },
  } as const;
  const model = createScriptedModel(({ messages }) => {
    const results = messages.flatMap(({ tool_results }) => tool_results ?? []);
    return results.length < 2 ? { toolCalls: [{ name: "ask" }] } : "done";
  });
  const client = new GloveClient({ createModel: () => model, createStore: () => store, systemPrompt: "", tools: [ask] });
  const session = client.session("s");
  return { client, session, told };
}

const waiting = (session: GloveSession) => session.getSnapshot().slots.find(({ status }) => status === "pending");
const question = async (session: GloveSession, not?: string) => {
  const { slots } = await until(session, ({ slots }) => slots.some(({ status, id }) => status === "pending" && id !== not));
  return slots.find(({ status }) => status === "pending") as EnhancedSlot;
};
const soon = (what: () => boolean) =>
  new Promise<number>((resolve, reject) => {
    const since = performance.now();
    const look = () => {
      const took = performance.now() - since;
      if (what()) resolve(took);
      else if (took > 2000) reject(new Error("nobody was told"));
      else setTimeout(look, 1);
    };
    look();
  });

test("there are at least forty situations", () =>
  expect(situations.length + Object.keys(reloaded).length).toBeGreaterThanOrEqual(40));

// On a machine with much to do a moment may take longer.
test.each(situations)("a question that $name, $moment the screen is told", { retry: 2 }, async ({ moment, row }) => {
  const { client, session, told } = scene(new MemoryStore("s"));
  const ends = session.sendMessage("Hi").then(
    ({ type }) => type,
    (error: { code: string }) => error.code,
  );
  const stale = (await question(session)).id;
  let gave: unknown;
  let done = false;
  const act = (slot: { readonly id: string }) => {
    if (done || slot.id === stale) return;
    done = true;
    gave = row.act({ session, client, slot, stale });
  };
  if (moment === "before") session.displayManager.subscribe((stack) => stack.forEach(act));
  if (moment === "inside")
    session.subscribe(() =>
      session
        .getSnapshot()
        .slots.filter(({ status }) => status === "pending")
        .forEach(act),
    );
  session.resolveSlot(stale, right);
  if (moment === "after") {
    const slot = await question(session, stale);
    await new Promise((later) => setTimeout(later));
    act(slot);
  }
  await soon(() => done);
  expect(gave).toEqual(row.gives);
  if (row.told) {
    expect(await soon(() => told.length === 2)).toBeLessThan(50);
  } else {
    // It is as open as before.
    expect(waiting(session)?.id).not.toBe(stale);
    expect(told).toHaveLength(1);
    expect(session.resolveSlot(waiting(session)?.id ?? "", right)).toBe(true);
    await soon(() => told.length === 2);
  }
  expect(told[1]).toEqual(row.told ?? answered.told);
  expect(await ends).toBe(row.ends ?? "completed");
  // A screen of a session that was left still shows the question, to nobody who waits.
  const left = waiting(session);
  if (row.ends === "SESSION_CLOSED") expect(session.resolveSlot(left?.id ?? "", right)).toBe(false);
  else expect(left).toBeUndefined();
  client.dispose();
});

/** What is done to the question that comes back in the next page. */
const reloaded: Record<string, Row> = {
  "is answered": rows["is answered"] as Row,
  "gets a wrong answer": rows["gets a wrong answer"] as Row,
  "is answered twice": rows["is answered twice"] as Row,
  "follows one that is answered once more": rows["follows one that is answered once more"] as Row,
  // Where the tool has not asked again yet, its reason is kept in the error of the core.
  "is turned down": { ...(rows["is turned down"] as Row), ...turnedDown(expect.stringMatching(/^(no|DISPLAY_REJECTED)$/)) },
};

test.each(Object.entries(reloaded))("a question that comes back after a reload and %s", { retry: 2 }, async (_, row) => {
  const store = new MemoryStore("s");
  const first = scene(store);
  void first.session.sendMessage("Hi");
  const stale = (await question(first.session)).id;
  first.session.resolveSlot(stale, right);
  const before = (await question(first.session, stale)).id;
  first.client.dispose();
  await soon(() => first.told.length === 2);
  const { session, client, told } = scene(store);
  await session.start();
  const slot = await question(session);
  expect(slot.id).not.toBe(stale);
  expect(row.act({ session, client, slot, stale })).toEqual(row.gives);
  if (!row.told) expect(session.resolveSlot(slot.id, right)).toBe(true);
  expect(await soon(() => told.length === 1)).toBeLessThan(50);
  expect(told[0]).toEqual(row.told ?? answered.told);
  await until(session, ({ busy }) => !busy);
  // The page before was told that it is gone, whichever of its questions waited.
  expect([before, first.told[1]]).toEqual([expect.any(String), ["rejected", "SESSION_CLOSED"]]);
  client.dispose();
});
