// Answers in the form of a schema.
import { AbortError, askFor } from "glove-wasm";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const city = z.object({ name: z.string(), people: z.number().default(0) });
const gives = (input: unknown) => ({ toolCalls: [{ name: "give_answer", input }] });

test("the answer is what the schema makes of the call, and the tool is there for the question only", async () => {
  const { session, model } = scene([gives({ name: "Oslo" }), "Done.", "Just words."]);
  const answer = await askFor(session, "Which city?", city);
  expectTypeOf(answer).toEqualTypeOf<{ name: string; people: number }>();
  expect(answer).toEqual({ name: "Oslo", people: 0 });
  expect(model.calls[0]?.tools).toContain("give_answer");
  await session.sendMessage("And now?");
  expect(model.calls[2]?.tools).not.toContain("give_answer");
});

test("an answer that is no object is asked for and given as it is", async () => {
  const { session } = scene([gives({ answer: ["Oslo", "Bergen"] }), "Done."]);
  expect(await askFor(session, "Which cities?", z.array(z.string()))).toEqual(["Oslo", "Bergen"]);
});

test("what does not fit is told to the model, and words alone are asked about once more", async () => {
  const { session, model } = scene(["Oslo, I think.", gives({ name: 7 }), gives({ name: "Oslo", people: 700_000 }), "Done."]);
  expect(await askFor(session, "Which city?", city)).toEqual({ name: "Oslo", people: 700_000 });
  expect(model.calls[1]?.messages.at(-1)?.text).toBe("Give the answer by calling give_answer.");
  expect(JSON.stringify(model.calls[2]?.messages.at(-1))).toContain("TOOL_INPUT_INVALID");
});

test("no answer is an error with a code, a stop is a stop, and the session goes on", async () => {
  const { session, model } = scene(["Hm.", "Hm!", { text: "Never", after: 60_000 }, "Fine."]);
  await expect(askFor(session, "Which city?", city)).rejects.toMatchObject({ code: "ANSWER_MISSING" });
  const stop = new AbortController();
  const asked = askFor(session, "Which city?", city, stop.signal);
  setTimeout(() => stop.abort(), 30);
  await expect(asked).rejects.toBeInstanceOf(AbortError);
  expect((await session.sendMessage("Hi")).type).toBe("completed");
  expect(model.calls.at(-1)?.tools).not.toContain("give_answer");
});

test("two questions at once are refused", async () => {
  const { session } = scene([gives({ name: "Oslo" }), "Done."]);
  const first = askFor(session, "Which city?", city);
  await expect(askFor(session, "Which other?", city)).rejects.toMatchObject({ code: "TOOL_NAME_TAKEN" });
  expect(await first).toMatchObject({ name: "Oslo" });
});

test("a request that was running, or runs meanwhile, does not give the answer", async () => {
  for (const whenBusy of ["queue", "steer"] as const) {
    const script = [{ ...gives({ name: "Other" }), after: 20 }, "Words.", gives({ name: "Oslo" }), "Done."];
    const { session } = scene(script, { whenBusy });
    const other = session.sendMessage("Something else");
    expect(await askFor(session, "Which city?", city)).toEqual({ name: "Oslo", people: 0 });
    expect(await other).toMatchObject({ type: "completed" });
  }
});

test("a message that comes while the answer is waited for does not give it", async () => {
  const { session } = scene(["Hm.", gives({ name: "Other" }), "Words.", gives({ name: "Oslo" }), "Done."]);
  const asked = askFor(session, "Which city?", city);
  await until(session, ({ busy }) => busy);
  const other = session.sendMessage("Something else");
  expect(await asked).toEqual({ name: "Oslo", people: 0 });
  await other;
});
