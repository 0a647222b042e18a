// Answers in the form of a schema: `output` of a message.
import { jsonSchema, MemoryStore } from "glove-wasm";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { scene, until } from "../support/session.js";

const trip = z.object({ city: z.string(), from: z.coerce.date(), days: z.number().min(1).default(2) });
const gives = (input: unknown, id = "c1") => ({ toolCalls: [{ name: "give_answer", id, input }] });
const oslo = { city: "Oslo", from: "2026-12-01" };

test("a message with a schema is answered with its checked value, and the request ends with it", async () => {
  const { session, model } = scene([gives(oslo), "You are welcome."]);
  const outcome = await session.sendMessage({ text: "Where to?", output: trip });
  if (outcome.type !== "completed") throw new Error(outcome.type);
  expectTypeOf(outcome.value).toEqualTypeOf<{ city: string; from: Date; days: number }>();
  expect(outcome.value).toEqual({ city: "Oslo", from: new Date("2026-12-01"), days: 2 });
  expect(model.calls).toHaveLength(1);
  const [asked, , taken] = await session.messages();
  expect(asked?.answer_schema).toMatchObject({ required: ["city", "from"] });
  expect(taken?.tool_results?.[0]?.result.data).toEqual({ city: "Oslo", from: "2026-12-01T00:00:00.000Z", days: 2 });
  // What a model reads of it later is neither the schema nor the answer a second time.
  await session.sendMessage("Thanks");
  const read = model.calls[1]?.messages ?? [];
  expect(read[0]).not.toHaveProperty("answer_schema");
  expect(read[2]?.tool_results?.[0]?.result.data).toBe("Taken.");
  expect(model.calls[1]?.tools).toEqual([]);
});

test("values of every form come back as they were meant", async () => {
  const table: [z.ZodType, unknown, unknown][] = [
    [z.array(z.string()), { answer: ["a", "b"] }, ["a", "b"]],
    [z.number(), { answer: 3 }, 3],
    [z.null(), { answer: null }, null],
    [z.record(z.string(), z.number()), { answer: { answer: 1 } }, { answer: 1 }],
    [z.object({ answer: z.string() }), { answer: { answer: "yes" } }, { answer: "yes" }],
    [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { answer: { b: "x" } }, { b: "x" }],
  ];
  for (const [output, input, value] of table) {
    const { session } = scene([gives(input)]);
    expect(await session.sendMessage({ text: "?", output })).toMatchObject({ type: "completed", value });
  }
  const { session } = scene([gives({ city: "Oslo" })]);
  const raw = jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } }, required: ["city"] });
  expect(await session.sendMessage({ text: "?", output: raw })).toMatchObject({ value: { city: "Oslo" } });
});

test("an answer is checked by the schema of its own request, whatever waits in other sessions and however ids begin", async () => {
  const first = scene([() => new Promise<string>(() => {}), gives({ city: "Oslo" })]);
  const stuck = first.session.requestAs("r", { text: "?", output: z.object({ n: z.number() }) });
  await until(first.session, ({ timeline }) => timeline.length === 1);
  const other = scene([gives({ city: "Oslo" })]);
  const asked = { text: "?", output: z.object({ city: z.string() }) };
  expect(await other.session.requestAs("r2", asked)).toMatchObject({ value: { city: "Oslo" } });
  first.session.abort();
  await expect(stuck).rejects.toMatchObject({ name: "AbortError" });
  expect(await first.session.requestAs("r2", asked)).toMatchObject({ value: { city: "Oslo" } });
});

test("what never fits, and words, are a typed error, and the session goes on", async () => {
  const misfits = ["c1", "c2", "c3"].map((id) => gives({ city: 7 }, id));
  const { session, model } = scene([...misfits, "I cannot.", "Words.", "Words again.", gives(oslo)]);
  const asked = () => session.sendMessage({ text: "Where to?", output: trip });
  await expect(asked()).rejects.toMatchObject({ code: "ANSWER_MISSING" });
  expect(JSON.stringify(model.calls[1]?.messages.at(-1))).toContain("city");
  await expect(asked()).rejects.toMatchObject({ code: "ANSWER_MISSING" });
  expect(await asked()).toMatchObject({ value: { city: "Oslo" } });
});

test("a schema that no model can be told of is refused before anything is sent", async () => {
  const { session, model } = scene(["never"]);
  const odd = { "~standard": { version: 1, vendor: "own", validate: (value: unknown) => ({ value }) } } as const;
  await expect(session.sendMessage({ text: "?", output: odd })).rejects.toMatchObject({ code: "SCHEMA_WITHOUT_JSON" });
  // @ts-expect-error no schema
  await expect(session.sendMessage({ text: "?", output: 5 })).rejects.toMatchObject({ code: "SCHEMA_WITHOUT_JSON" });
  expect(model.calls).toHaveLength(0);
});

test("after a reload the answer is checked by the stored schema, and regenerated in the same form", async () => {
  const store = new MemoryStore("s");
  const open = async (script: readonly ScriptedAnswer[]) => {
    // Another page knows nothing of the schemas of the first.
    vi.resetModules();
    const { GloveClient } = await import("glove-wasm");
    const model = createScriptedModel(script);
    const session = new GloveClient({ createModel: () => model, createStore: () => store }).session("s");
    return { session, model };
  };
  const first = await open([{ ...gives(oslo), after: 60_000 }]);
  first.session.sendMessage({ text: "Where to?", output: trip }).catch(() => {});
  await until(first.session, () => first.model.calls.length === 1);
  first.session.dispose();

  const { session, model } = await open([
    gives({ ...oslo, days: 0 }, "c2"),
    gives({ ...oslo, days: 3 }, "c3"),
    gives(oslo, "c4"),
  ]);
  await session.start();
  const { timeline } = await until(session, ({ busy, timeline }) => !busy && timeline.length === 3);
  expect(timeline.map((entry) => entry.kind === "tool" && [entry.status, entry.renderData])).toEqual([
    false,
    ["error", undefined],
    ["success", { ...oslo, days: 3 }],
  ]);
  expect(model.calls).toHaveLength(2);
  expect((await session.regenerate()).type).toBe("completed");
  expect(model.calls[2]?.tools).toEqual(["give_answer"]);
});

test("no tool of the application is called as the one that gives the answer", async () => {
  const own = { name: "Give_Answer", description: "", jsonSchema: { type: "object" }, do: () => "own" };
  await expect(scene([], { tools: [own] }).session.start()).rejects.toMatchObject({ code: "TOOL_NAME_TAKEN" });
});

test("a schema that refers to itself is told and stored with its references where they are", async () => {
  type Tree = Tree[];
  const tree: z.ZodType<Tree> = z.lazy(() => z.array(tree));
  const input = { answer: [[], [[]]] };
  const { session } = scene([{ toolCalls: [{ name: "give_answer", input }] }]);
  expect(await session.sendMessage({ text: "A tree", output: tree })).toMatchObject({ value: [[], [[]]] });
  const [asked] = await session.messages();
  expect(asked?.answer_schema).toMatchObject({
    properties: { answer: { type: "array", items: { $ref: "#/properties/answer" } } },
  });
});
