// How far a call is, while it runs: in its entry, in the tabs that follow, and nowhere in the record.
import { defineTool, type ToolDisplay, type ToolEntry } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

function working() {
  let display: Pick<ToolDisplay, "progress"> | undefined;
  let end = () => {};
  const tool = defineTool({
    name: "work",
    description: "Works.",
    inputSchema: z.object({}),
    do: (_, shown) =>
      new Promise<string>((resolve) => {
        display = shown;
        end = () => resolve("worked");
      }),
  });
  const made = scene([{ toolCalls: [{ name: "work", input: {}, id: "w1" }] }, "Done."], { tools: [tool] });
  const entry = () => made.session.getSnapshot().timeline.find(({ kind }) => kind === "tool") as ToolEntry | undefined;
  const begun = async () => {
    await until(made.session, () => display !== undefined);
    return display as Pick<ToolDisplay, "progress">;
  };
  return { ...made, entry, begun, end: () => end() };
}

test("a call's entry tells how far it is until it is over, and the record nothing of it", async () => {
  const { session, entry, begun, end } = working();
  const sent = session.sendMessage("Work");
  const display = await begun();
  const [first] = session.getSnapshot().timeline;
  display.progress("half of it", 1, 2);
  expect(entry()?.progress).toEqual({ message: "half of it", done: 1, of: 2 });
  display.progress(undefined, 2);
  await until(session, () => entry()?.progress?.done === 2);
  expect(entry()?.progress).toEqual({ done: 2 });
  const before = entry();
  expect(session.getSnapshot().timeline[0]).toBe(first);
  end();
  await sent;
  expect(before).not.toBe(entry());
  expect(entry()).toMatchObject({ status: "success" });
  expect(entry()).not.toHaveProperty("progress");
  display.progress("too late");
  await new Promise((later) => setTimeout(later, 150));
  expect(entry()).not.toHaveProperty("progress");
  expect(JSON.stringify(await session.messages())).not.toContain("half of it");
});

test("a tool that tells without end is shown ten times a second, in sentences of a length", async () => {
  const { session, entry, begun, end } = working();
  const seen = new Set<unknown>();
  session.subscribe(() => seen.add(entry()?.progress));
  const sent = session.sendMessage("Work");
  const display = await begun();
  for (let count = 0; count < 100_000; count++) display.progress("x".repeat(2_000), count, Number.NaN);
  await until(session, () => entry()?.progress?.done === 99_999);
  expect(entry()?.progress?.message).toHaveLength(500);
  expect(entry()?.progress).not.toHaveProperty("of");
  expect(seen.size).toBeLessThan(8);
  end();
  await sent;
});
