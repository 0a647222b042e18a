// Runs that are recorded in a page and played again, here and natively: tests/it/native_glove/replay.rs has the same fixtures.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin, defineTool, GloveClient, type GloveClientConfig, type RunOutcome } from "glove-wasm";
import { breakCore, createScriptedModel, replay } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { withoutKeys } from "../../js/src/recording/redact.js";
import { root } from "../support/project.js";

const key = "sk-ant-api03-0123456789abcdef";
const fixture = (name: string) => join(root, "tests/fixtures", name);
const read = (name: string) => readFileSync(fixture(name), "utf8").trimEnd();

const tools = [
  defineTool({
    name: "look_up",
    description: "Looks a customer up.",
    inputSchema: z.object({ name: z.string() }),
    do: ({ name }) => `${name} pays with ${key} and 12345678901234567890`,
  }),
  { name: "pay", description: "Pays", jsonSchema: { type: "object" }, requiresPermission: true, do: () => "paid on the page" },
];
const createModel = () =>
  createScriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.tool_results?.[0]?.tool_name === "pay") return "Thank you, Ada.";
    if (last?.tool_results) return { deltas: ["Ada ", "is known."] };
    if (last?.text.startsWith("Pay")) return { toolCalls: [{ name: "pay", input: { amount: 1.5 } }] };
    return { toolCalls: [{ name: "look_up", input: { name: "Ada" } }] };
  });
const clientOf = (config: GloveClientConfig = {}) => new GloveClient({ createModel, tools, ...config });

/** A run with two requests, the second of which waits for a permission. */
async function recorded(client = clientOf({ record: true })) {
  const session = client.session("page");
  await session.sendMessage("Who is “Ada”?\n");
  void session.sendMessage("Pay her, 5 €").catch(() => {});
  await vi.waitFor(() => expect(session.getSnapshot().approvals).toHaveLength(1));
  return session;
}

test("a run of a page is played without model and tools, and comes out as it did", async () => {
  const session = await recorded();
  const file = await session.exportRun();
  const { messages, effects } = await replay(file);
  expect(messages.map(({ text }) => text)).toEqual((await session.messages()).map(({ text }) => text));
  expect(effects.filter(({ type }) => type === "call_model")).toHaveLength(3);
  expect(effects.filter(({ type }) => type === "run_tool")).toHaveLength(1);
  expect(effects.at(-1)?.type).toBe("ask");
  if (process.env.WRITE_FIXTURE) writeFileSync(fixture("runs/page.json"), `${file}\n`);
});

test("a run that would send the model something else is named, and one of before plays as it did", async () => {
  const file = await (await recorded()).exportRun();
  const parts = JSON.parse(file) as { requests?: { same: number; more: unknown[] }[] };
  expect(parts.requests).toMatchObject([
    { same: 0, more: [0] },
    { same: 1, more: [1, 2] },
    { same: 3, more: [3, 4] },
  ]);
  const withRequests = (change: (requests: { same: number; more: unknown[] }[]) => void) => {
    const requests = structuredClone(parts.requests ?? []);
    change(requests);
    return file.replace(/,"requests":.*$/, `,"requests":${JSON.stringify(requests)}}`);
  };
  const moved = withRequests((requests) => requests[1]?.more.reverse());
  await expect(replay(moved)).rejects.toMatchObject({
    code: "RECORDING_DIVERGED",
    message: expect.stringContaining("message 1 of the model request 1"),
  });
  await expect(replay(withRequests((requests) => requests.pop()))).rejects.toThrow("model request 2");
  await replay(file.replace(/,"requests":.*$/, "}"));
});

test("neither keys nor what the hook takes out are in the file, and it still plays", async () => {
  const session = await recorded();
  const plain = await session.exportRun();
  expect(plain).not.toContain(key);
  expect(plain).toContain("Ada pays with [key] and 12345678901234567890");
  const file = await session.exportRun({ redact: (text) => text.replaceAll("Ada", 'a "person"') });
  expect(file).not.toContain("Ada");
  expect((await replay(file)).messages.at(-3)?.text).toBe('a "person" is known.');
  expect(await session.exportRun()).toBe(plain);
});

test.each(JSON.parse(read("keys.json")) as [string, string][])("of “%s” is struck out what looks like a key", (text, struck) => {
  expect(withoutKeys(text)).toBe(struck);
});

test("a hook that breaks the run, or gives no text, is told of", async () => {
  const session = await recorded();
  await expect(session.exportRun({ redact: () => "x" })).rejects.toMatchObject({ code: "RECORDING_INVALID" });
  await expect(session.exportRun({ redact: () => 1 as never })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(session.exportRun({ redact: "x" as never })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("what was not recorded is not exported", async () => {
  const session = clientOf().session("quiet");
  await session.start();
  await expect(session.exportRun()).rejects.toMatchObject({ code: "RECORDING_MISSING" });
});

test("the file of a session that was there before begins with what was stored of it", async () => {
  const client = clientOf();
  const id = await client.importSession(read("transcripts/page.json"), { withRun: true });
  const text = await client.exportSession(id);
  const again = clientOf({ record: true });
  const session = again.session(await again.importSession(text, { withRun: true }));
  await session.start();
  await vi.waitFor(() => expect(session.getSnapshot().approvals).toHaveLength(1));
  session.approve(session.getSnapshot().approvals[0]?.id ?? "");
  await vi.waitFor(() => expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: "Thank you, Ada." }));
  const file = await session.exportRun();
  expect(JSON.parse(file).start.messages).toHaveLength(2);
  expect((await replay(file)).messages.at(-1)?.text).toBe("Thank you, Ada.");
});

test("whatever happened in a session, its run plays", async () => {
  const answer = ({ messages }: { readonly messages: readonly { readonly text: string }[] }) => {
    const said = messages.at(-1)?.text ?? "";
    if (said.startsWith("slow")) return { deltas: ["Half ", "of ", "it"], every: 200 };
    if (said.startsWith("fail")) return { fail: new Error("no such model") };
    return `Heard ${said.slice(0, 20)}`;
  };
  const count = definePlugin({
    id: "count",
    initialState: { rounds: 0 },
    prepare: async ({ state, context }) => {
      await state.set(({ rounds }) => ({ rounds: rounds + 1 }));
      context.add("A round more.");
    },
  });
  const client = clientOf({ createModel: () => createScriptedModel(answer as never), record: true, plugins: [count] });
  const session = client.session("all");
  await session.sendMessage("one");
  session.configure({ systemPrompt: "Another", limits: { turns: 7 }, compaction: { compaction_every_turns: 3 } });
  await session.sendMessage("two");
  const first = session.getSnapshot().timeline[0]?.id ?? "";
  await session.edit(first, "one, edited");
  await session.switchBranch(first);
  await session.regenerate();
  const slow = session.sendMessage("slow");
  await vi.waitFor(() => expect(session.getSnapshot().streamingText).toContain("Half"));
  expect((await replay(await session.exportRun())).messages.length).toBeGreaterThan(5);
  session.abort();
  await slow;
  await session.sendMessage("fail").catch(() => {});
  await session.sendMessage("last").catch(() => {});
  const { messages } = await replay(await session.exportRun());
  expect(messages).toEqual(await session.messages());
});

test("after the core has stopped, the file begins with what was stored", async () => {
  const session = clientOf({ record: true }).session("trap");
  await session.sendMessage("Who is Ada?");
  breakCore();
  const file = await session.exportRun();
  expect(JSON.parse(file).start.messages).toHaveLength(4);
  expect((await replay(file)).messages.at(-1)?.text).toBe("Ada is known.");
});

test("a file that is none, or comes out differently, is named with the place, what was and what is", async () => {
  const file = await (await recorded()).exportRun();
  const cases: [text: string, code: string, told?: RegExp][] = [
    ["", "RECORDING_INVALID"],
    ["null", "RECORDING_INVALID"],
    ["{}", "RECORDING_INVALID", /"format": "glove-run"/],
    [file.slice(0, file.length / 2), "RECORDING_INVALID", /cannot be read/],
    [file.replace('"version":1,', '"version":2,'), "STORE_NEWER"],
    [file.replace('"version":1,', ""), "RECORDING_INVALID"],
    [file.replace('"records":[', '"records":[{},'), "RECORDING_INVALID"],
    [file.replace('"records":[', '"records":[{"seq":1,"at":1,"input":{"dance":{}}},'), "RECORDING_DIVERGED"],
    [file.replace('"start":{"checkpoint":{', '"start":{"checkpoint":{"x":'), "RECORDING_INVALID"],
    [file.replace('"start":{"checkpoint":{', '"start":{"checkpoint":{"no":1},"was":{'), "RECORDING_INVALID"],
    [file.replace("is known.", "is not known."), "RECORDING_DIVERGED", /message 3 is now `.*is not known.*` and was `.*is known/],
    [file.replace("5 €", "6 €"), "RECORDING_DIVERGED", /message 4/],
  ];
  for (const [text, code, told] of cases) {
    const error = await replay(text).then(
      () => `played: ${text.slice(0, 80)}`,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code, ...(told && { message: expect.stringMatching(told) }) });
  }
});

test("a run that was recorded natively is played here, and goes on", async () => {
  const text = read("runs/native.json");
  const { messages } = await replay(text);
  expect(messages.at(-1)?.tool_calls?.[0]?.tool_name).toBe("pay");
  await goesOn(text);
});

test("a run that was exported goes on where it was", () => goesOn(read("runs/page.json")));

async function goesOn(text: string) {
  const client = clientOf();
  const session = client.session(await client.importSession(text, { withRun: true }));
  await session.start();
  await vi.waitFor(() => expect(session.getSnapshot().approvals).toHaveLength(1));
  session.approve(session.getSnapshot().approvals[0]?.id ?? "");
  await vi.waitFor(() => expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: "Thank you, Ada." }));
  const outcome: RunOutcome = await session.sendMessage("Who is Ada?");
  expect(outcome.type).toBe("completed");
}
