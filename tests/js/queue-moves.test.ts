// Messages that wait: they come in front of others, or go into the run that goes on.
import type { GloveSnapshot } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const digging = (gate: Promise<unknown>) => ({
  name: "dig",
  description: "",
  inputSchema: z.object({}),
  do: () => gate as Promise<string>,
});

function held() {
  let open = () => {};
  const gate = new Promise<string>((resolve) => {
    open = () => resolve("deep");
  });
  return { gate, open };
}

const waiting = ({ queue }: GloveSnapshot) => queue.map(({ text, steers }) => (steers ? `${text}!` : text)).join();

test("a message that waits is read by the run after its current step, and others are moved", async () => {
  const { gate, open } = held();
  const script = [{ toolCalls: [{ name: "dig" }] }, "dug, and wide", "three", "one"];
  const { session, shown, model } = scene(script, { tools: [digging(gate)] });
  const all = [session.sendMessage("dig")];
  await until(session, ({ run }) => run.phase === "tools");
  for (const text of ["one", "two", "three"]) all.push(session.sendMessage(text));
  const { queue } = await until(session, ({ queue }) => queue.length === 3);
  const [one = "", two = "", three = ""] = queue.map(({ id }) => id);
  expect(session.moveQueued(three, one)).toBe(true);
  await until(session, (now) => waiting(now) === "three,one,two");
  expect(session.sendNow(two)).toBe(true);
  await until(session, (now) => waiting(now) === "two!,three,one");
  // What does not wait is not moved.
  const none = [session.sendNow("none"), session.moveQueued("none", one), session.moveQueued(one, "none")];
  expect(none).toEqual([false, false, false]);
  open();
  await Promise.all(all);
  expect(model.calls[1]?.messages.at(-1)?.text).toBe("two");
  expect(shown()).toEqual([
    "user: dig",
    "dig: success deep",
    "user: two",
    "agent: dug, and wide",
    "user: three",
    "agent: three",
    "user: one",
    "agent: one",
  ]);
  expect(session.sendNow(two)).toBe(false);
});

test("a message that goes in after the step is one like the others again when it is moved", async () => {
  const { gate, open } = held();
  const { session, shown } = scene([{ toolCalls: [{ name: "dig" }] }, "dug", "to a", "to b"], { tools: [digging(gate)] });
  const all = [session.sendMessage("dig")];
  await until(session, ({ run }) => run.phase === "tools");
  for (const text of ["a", "b"]) all.push(session.sendMessage(text));
  const [a = "", b = ""] = (await until(session, ({ queue }) => queue.length === 2)).queue.map(({ id }) => id);
  session.sendNow(a);
  await until(session, (now) => waiting(now) === "a!,b");
  session.moveQueued(a, b);
  await until(session, (now) => waiting(now) === "a,b");
  open();
  await Promise.all(all);
  expect(shown().slice(2)).toEqual(["agent: dug", "user: a", "agent: to a", "user: b", "agent: to b"]);
});

test("a message that goes in after the step can be taken back", async () => {
  const { gate, open } = held();
  const { session, shown } = scene([{ toolCalls: [{ name: "dig" }] }, "dug"], { tools: [digging(gate)] });
  const first = session.sendMessage("dig");
  await until(session, ({ run }) => run.phase === "tools");
  const second = session.sendMessage("no");
  const id = (await until(session, ({ queue }) => queue.length === 1)).queue[0]?.id ?? "";
  session.sendNow(id);
  await until(session, (now) => waiting(now) === "no!");
  expect(session.cancelQueued(id)).toBe(true);
  expect(await second).toEqual({ type: "aborted" });
  open();
  await first;
  expect(shown()).toEqual(["user: dig", "dig: success deep", "agent: dug"]);
});

test("the context that is used is told, and where it ends", async () => {
  const { session } = scene([{ text: "one", usage: { tokens_in: 700, tokens_out: 3 } }], {
    compaction: { compaction_context_limit: 1000 },
  });
  expect(session.getSnapshot().stats).toMatchObject({ contextTokens: 0, contextLimit: 0 });
  await session.sendMessage("1");
  expect(session.getSnapshot().stats).toMatchObject({ contextTokens: 700, contextLimit: 1000 });
});

test("bad ids are refused", () => {
  const { session } = scene([]);
  for (const id of [undefined, 1, null]) {
    expect(() => session.sendNow(id as never)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(() => session.moveQueued("a", id as never)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  }
});
