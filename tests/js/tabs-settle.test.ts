// Random orders of what tabs of one session do and hear, from seeds: every promise settles, and nobody is left in between.
import { GloveClient, type GloveSession, type StoreAdapter } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { malformedMessages } from "../support/malformed-messages.js";
import { texts, until } from "../support/session.js";
import { sharedSession } from "../support/shared-store.js";

function client(store: StoreAdapter): GloveClient {
  return new GloveClient({
    createModel: () =>
      createScriptedModel(({ messages }) => {
        const [asked, result] = [messages.findLast(({ tool_results }) => !tool_results), messages.at(-1)?.tool_results?.[0]];
        if (asked?.text === "form" && !result) return { toolCalls: [{ name: "form" }] };
        return { deltas: ["you ", "said ", asked?.text ?? ""], every: 3 };
      }),
    createStore: () => store,
    tools: [
      {
        name: "form",
        description: "",
        jsonSchema: { type: "object" },
        onInterrupted: "rerun",
        do: async (_, display) => display.pushAndWait({ input: "How many?" }),
      },
    ],
    subscribers: [{ record: () => {} }],
    systemPrompt: "",
  });
}

/** Numbers from 0 on below a bound, the same for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

const seeds = Array.from({ length: Number(process.env.GLOVE_SEEDS ?? 12) }, (_, at) => at + 1);

test.each(seeds)(
  "whatever tabs do and hear, in the order of seed %i, all that was asked settles",
  { timeout: 60_000 },
  async (seed) => {
    const below = random(seed);
    const store = sharedSession("s");
    const channel = new BroadcastChannel((await store().shared?.()) ?? "");
    const overheard: { kind?: string; leader?: string; id?: string; v?: number }[] = [];
    channel.onmessage = ({ data }) => void (data && overheard.push(data as (typeof overheard)[number]));
    const waits = new Map<string, Promise<unknown>>();
    const clients: GloveClient[] = [];
    const tabs: GloveSession[] = [];
    const open = () => {
      const made = client(store());
      clients.push(made);
      tabs.push(made.session("s"));
    };
    const wait = (what: string, promise: Promise<unknown>) =>
      waits.set(
        `${waits.size}: ${what}`,
        promise.catch((error: unknown) => error),
      );
    open();
    open();
    const leader = () => overheard.findLast(({ leader }) => leader)?.leader ?? "none";
    const acts: ((tab: GloveSession) => unknown)[] = [
      (tab) => wait("send", tab.sendMessage(`hello ${below(9)}`)),
      (tab) => wait("form", tab.sendMessage("form")),
      (tab) => wait("messages", tab.messages()),
      (tab) => wait("undo", tab.undo()),
      (tab) => wait("resume", tab.resume()),
      (tab) => wait("takeOver", tab.takeOver()),
      (tab) => wait("answerInbox", tab.answerInbox("i", "yes")),
      (tab) => wait("pushAndWait", tab.displayManager.pushAndWait({ renderer: "form", input: 1 })),
      (tab) => tab.stop(),
      (tab) => tab.clearError(),
      (tab) => tab.cancelQueued(tab.getSnapshot().queue[0]?.id ?? ""),
      (tab) => tab.resolveSlot(tab.getSnapshot().slots.at(-1)?.id ?? "", 7),
      (tab) => tab.rejectSlot(tab.getSnapshot().slots.at(-1)?.id ?? ""),
      () => clients.length < 6 && open(),
      // Not the last one: whoever is left has to go on.
      (tab) => tabs.length > 1 && clients[clients.findIndex((client) => client.session("s") === tab)]?.dispose(),
      () => {
        const rows = malformedMessages(leader());
        channel.postMessage(rows[below(rows.length)]?.message);
      },
      // What was said before, again, as it was or as another version would say it.
      () => channel.postMessage(overheard[below(overheard.length)] ?? null),
      () => channel.postMessage({ ...overheard[below(overheard.length)], v: below(3) }),
      () => channel.postMessage({ ...overheard[below(overheard.length)], leader: `nobody ${below(3)}` }),
      () => channel.postMessage({ v: 4, kind: "leads", leader: "a liar" }),
    ];
    for (let steps = 0; steps < 60; steps++) {
      const alive = tabs.filter((tab) => !tab.disposed);
      const tab = alive[below(alive.length)];
      if (!tab) break;
      acts[below(acts.length)]?.(tab);
      if (below(3) === 0) await new Promise((later) => setTimeout(later, below(30)));
    }
    // Whoever comes after all that runs the session.
    await Promise.all([...waits].filter(([what]) => what.endsWith("takeOver")).map(([, promise]) => promise));
    const last = client(store());
    const session = last.session("s");
    await session.takeOver().catch(() => {});
    await until(session, ({ tab, sessionReady }) => sessionReady && (tab === "leader" || tab === "follower"));
    session.stop();
    const over = setInterval(() => {
      const slot = session.getSnapshot().slots.findLast(({ status }) => status === "pending");
      if (slot) session.resolveSlot(slot.id, 7);
    }, 50);
    expect(await session.sendMessage("the end")).toMatchObject({ type: "completed", text: "you said the end" });
    expect(texts(session.getSnapshot())).toContain("agent: you said the end");
    // What waits for a person waits until it is answered or closed; all else ends by itself.
    const unsettled = new Set(waits.keys());
    for (const [what, promise] of waits) void promise.then(() => unsettled.delete(what));
    await vi.waitFor(() => expect([...unsettled].filter((what) => !what.endsWith("pushAndWait"))).toEqual([]), 30_000);
    clearInterval(over);
    for (const one of [...clients, last]) one.dispose();
    await vi.waitFor(() => expect([...unsettled]).toEqual([]));
    channel.close();
  },
);
