// A conversation that is open in two tabs, as hooks show it.
import { act, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { sharedSession } from "../../support/shared-store.js";
import { begin, clientOf, ready, say, settled, show, texts, until } from "./page.js";

const ask = {
  name: "ask",
  description: "",
  jsonSchema: { type: "object" },
  onInterrupted: "rerun" as const,
  do: async (_: unknown, display: { pushAndWait(slot: { input: unknown }): Promise<unknown> }) =>
    display.pushAndWait({ input: "Sure?" }),
};
const script = [{ toolCalls: [{ name: "ask", id: "c1" }] }, "Good.", "Bye."];

test("two components on one session, in StrictMode too: one leads, the other follows, answers and takes over", async () => {
  const store = sharedSession("s1");
  const tab = () => clientOf(script, { createStore: store, tools: [ask] }).client;
  const first = show(tab(), { sessionId: "s1" }, { strict: true });
  await ready(first);
  const second = show(tab(), { sessionId: "s1" }, { strict: true });
  await ready(second);
  expect([first.glove.tab, second.glove.tab]).toEqual(["leader", "follower"]);

  const sent = begin(first, "Hi");
  await until(second, ({ slots }) => slots.length === 1);
  act(() => void second.glove.resolveSlot(second.glove.slots[0]?.id ?? "", "yes"));
  await act(() => sent);
  await settled(second);
  expect(texts(second.glove)).toEqual(texts(first.glove));
  for (const { glove } of [first, second]) expect(glove.slots[0]).toMatchObject({ status: "resolved", answer: "yes" });
  expect(second.glove.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: "text", text: "Good." });

  first.unmount();
  // Without locks, as in older versions of Node, it is found out every other second.
  await waitFor(() => expect(second.glove.tab).toBe("leader"), { timeout: 4_000 });
  expect(texts(second.glove)).toHaveLength(3);
  // The model of this tab is at its first line.
  const again = begin(second, "Again");
  await until(second, ({ slots }) => slots.some(({ status }) => status === "pending"));
  act(() => void second.glove.resolveSlot(second.glove.slots.at(-1)?.id ?? "", "no"));
  await act(() => again);
  await settled(second);
  await say(second, "Bye");
  expect(texts(second.glove).at(-1)).toContain("Bye.");
});

test("a component that followed and goes stops nothing, even when it is to stop its run", async () => {
  const store = sharedSession("s2");
  const tab = () => clientOf(script, { createStore: store, tools: [ask], whenUnused: "stop" }).client;
  const first = show(tab(), { sessionId: "s2" });
  await ready(first);
  const second = show(tab(), { sessionId: "s2", onUnmount: "stop" });
  await ready(second);
  const sent = begin(first, "Hi");
  await until(second, ({ slots }) => slots.length === 1);
  second.unmount();
  await new Promise((later) => setTimeout(later, 30));
  act(() => void first.glove.resolveSlot(first.glove.slots[0]?.id ?? "", "yes"));
  expect(await act(() => sent)).toMatchObject({ type: "completed", text: "Good." });
});
