// Answers in the form of a schema.
import { AbortError, askFor, createEndpointModel } from "glove-wasm";
import { expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const city = z.object({ name: z.string(), people: z.number().default(0) });
const gives = (input: unknown) => ({ toolCalls: [{ name: "give_answer", input }] });

test("the answer is what the schema makes of the call, and the tool is there for the question only", async () => {
  const { session, model } = scene([gives({ name: "Oslo" }), "Just words."]);
  const answer = await askFor(session, "Which city?", city);
  expectTypeOf(answer).toEqualTypeOf<{ name: string; people: number }>();
  expect(answer).toEqual({ name: "Oslo", people: 0 });
  expect(model.calls[0]?.tools).toContain("give_answer");
  await session.sendMessage("And now?");
  expect(model.calls[1]?.tools).not.toContain("give_answer");
});

test("an answer that is no object is asked for and given as it is", async () => {
  const { session } = scene([gives({ answer: ["Oslo", "Bergen"] })]);
  expect(await askFor(session, "Which cities?", z.array(z.string()))).toEqual(["Oslo", "Bergen"]);
});

test("what does not fit is told to the model, and words alone are asked about once more", async () => {
  const { session, model } = scene(["Oslo, I think.", gives({ name: 7 }), gives({ name: "Oslo", people: 700_000 })]);
  expect(await askFor(session, "Which city?", city)).toEqual({ name: "Oslo", people: 700_000 });
  expect(model.calls[1]?.messages.at(-1)?.text).toBe("Give the answer by calling give_answer.");
  expect(JSON.stringify(model.calls[2]?.messages.at(-1))).toContain("TOOL_INPUT_INVALID");
});

test("no answer is an error with a code, a stop is a stop, and the session goes on", async () => {
  const { session, model } = scene(["Hm.", "Hm!", { text: "Never", after: 60_000 }, "Fine."]);
  await expect(askFor(session, "Which city?", city)).rejects.toMatchObject({ code: "ANSWER_MISSING" });
  const stop = new AbortController();
  const asked = askFor(session, "Which city?", city, stop.signal);
  asked.catch(() => {});
  // Stopped sooner, the next message would be given this one's answer.
  await vi.waitFor(() => expect(model.calls).toHaveLength(3));
  stop.abort();
  await expect(asked).rejects.toBeInstanceOf(AbortError);
  expect((await session.sendMessage("Hi")).type).toBe("completed");
  expect(model.calls.at(-1)?.tools).not.toContain("give_answer");
});

test("two questions at once are answered one after the other, each by its own schema", async () => {
  const { session } = scene([gives({ name: "Oslo" }), gives({ answer: 3 })]);
  const first = askFor(session, "Which city?", city);
  const second = askFor(session, "How many?", z.number());
  expect(await Promise.all([first, second])).toEqual([{ name: "Oslo", people: 0 }, 3]);
});

test("a request that was running, or runs meanwhile, does not give the answer", async () => {
  for (const whenBusy of ["queue", "steer"] as const) {
    const script = [{ ...gives({ name: "Other" }), after: 20 }, "Words.", gives({ name: "Oslo" })];
    const { session } = scene(script, { whenBusy });
    const other = session.sendMessage("Something else");
    expect(await askFor(session, "Which city?", city)).toEqual({ name: "Oslo", people: 0 });
    expect(await other).toMatchObject({ type: "completed" });
  }
});

test("a message that comes while the answer is waited for does not give it", async () => {
  const { session } = scene(["Hm.", gives({ name: "Oslo" }), gives({ name: "Other" }), "Words."]);
  const asked = askFor(session, "Which city?", city);
  await until(session, ({ busy }) => busy);
  const other = session.sendMessage("Something else");
  expect(await asked).toEqual({ name: "Oslo", people: 0 });
  await other;
});

test("the answer is told as it is written, also one that is no object, and a listener that throws stops nothing", async () => {
  const delta = (delta: string) => ({ type: "tool_input_delta", id: "c1", name: "give_answer", delta });
  const done = (message: object) => ({
    type: "done",
    message: { sender: "agent", text: "", ...message },
    tokens_in: 1,
    tokens_out: 1,
  });
  const call = (input_args: unknown) => done({ tool_calls: [{ id: "c1", tool_name: "give_answer", input_args }] });
  const pause = () => new Promise((later) => setTimeout(later, 60));
  const model = (events: readonly object[], end: object) => {
    const answers = [[...events, end], [done({ text: "Done." })]];
    const body = (events: readonly object[]) =>
      new ReadableStream({
        async start(controller) {
          for (const event of events) {
            controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
            await pause();
          }
          controller.close();
        },
      });
    const fetch = async () => new Response(body(answers.shift() ?? []), { headers: { "content-type": "text/event-stream" } });
    return () => createEndpointModel("/api/chat", { fetch });
  };

  const pieces = [delta('{"name":"Os'), delta('lo","people":7'), delta("}")];
  const object = scene([], { createModel: model(pieces, call({ name: "Oslo", people: 7 })) });
  const seen: unknown[] = [];
  const onPartial = (partial: { readonly name?: string; readonly people?: number | undefined }) => {
    seen.push(partial);
    throw new Error("a listener");
  };
  expect(await askFor(object.session, "Which city?", city, { onPartial })).toEqual({ name: "Oslo", people: 7 });
  expect(seen[0]).toEqual({ name: "Os" });
  expect(seen.at(-1)).toEqual({ name: "Oslo", people: 7 });
  expect(object.events).toContainEqual(["error", { code: "LISTENER_FAILED", message: "a listener" }]);

  const list = scene([], {
    createModel: model([delta('{"answer":["Oslo","Ber'), delta('gen"]}')], call({ answer: ["Oslo", "Bergen"] })),
  });
  const lists: (readonly (string | undefined)[])[] = [];
  await askFor(list.session, "Which cities?", z.array(z.string()), { onPartial: (partial) => lists.push(partial) });
  expect(lists[0]).toEqual(["Oslo", "Ber"]);
  expect(lists.at(-1)).toEqual(["Oslo", "Bergen"]);
  // @ts-expect-error a function
  await expect(askFor(list.session, "?", city, { onPartial: 1 })).rejects.toThrow("`onPartial`");
});
