// Conformance: steps of a run, for stores that keep runs.
import type { Message } from "../../src/exports.js";
import { answer, append, type Case, checkpoint, conflicts, equal, message, runOf, step } from "./kit.js";

const cases: readonly Case[] = [
  {
    name: "a new session has no run",
    run: async (store) => equal(await runOf(store), { messages: [], records: [], checkpoint: null }, "run"),
  },
  {
    name: "a step is kept whole: messages, records and checkpoint",
    async run(store, { reopen }) {
      const first = step(1, 0, { messages: [message("Hi")], checkpoint: checkpoint(1, 1, "turn") });
      await append(store, first, step(2, 1));
      const kept = { messages: [message("Hi")], records: step(2, 1).records, checkpoint: first.checkpoint };
      equal(await runOf(store), kept, "run");
      equal(await runOf(await reopen(store)), kept, "run after a reload");
    },
  },
  {
    name: "messages of a step keep every field, those too that only the core knows",
    async run(store, { reopen }) {
      const asked: Message = {
        ...message("Hi"),
        id: "r1.m1",
        prompt_id: "r1",
        joins: "r0",
        at: 5,
        pre_modified_text: "/hi",
        is_skill_injection: true,
        framework_context: "inbox",
        undone: ["c0"],
        content: [{ type: "image", source: { type: "url", media_type: "image/png", url: "https://example.com/a.png" } }],
        "x-own": { kept: [1, null] },
      };
      const said: Message = {
        ...answer("b"),
        reasoning_content: "hm",
        partial: true,
        tool_calls: [{ tool_name: "t", input_args: { a: 1 }, id: "c1" }],
      };
      const result = { data: 1, status: "success" as const, renderData: { a: [] }, summary: "one", outcome: "failed" };
      const results: Message = {
        ...message("tool results"),
        is_compaction: true,
        tool_results: [
          { tool_name: "t", call_id: "c1", result, duration_ms: 3, outputs: [{ type: "file", data: "x" }], slots: [{ id: "s" }] },
        ],
      };
      await append(store, step(1, 0, { messages: [asked, said, results] }));
      equal((await runOf(await reopen(store))).messages, [asked, said, results], "messages after a reload");
    },
  },
  {
    name: "messages of steps are the messages of the session",
    async run(store) {
      await append(store, step(1, 0, { messages: [message("a")] }), step(2, 1, { messages: [answer("b"), message("c")] }));
      equal(await store.getMessages(), [message("a"), answer("b"), message("c")], "messages");
    },
  },
  {
    name: "records after a checkpoint are kept in order",
    async run(store) {
      await append(store, step(1, 0, { checkpoint: checkpoint(1, 0) }));
      for (let seq = 2; seq <= 12; seq++) await append(store, step(seq, 0));
      const { records } = await runOf(store);
      equal(
        (records as { seq: number }[]).map(({ seq }) => seq),
        [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        "numbers of the records",
      );
    },
  },
  {
    name: "a checkpoint replaces the one before, and old records may go",
    async run(store) {
      await append(store, step(1, 0, { checkpoint: checkpoint(1, 0) }), step(2, 0), step(3, 0));
      await append(store, step(4, 0, { checkpoint: checkpoint(4, 0) }), step(5, 0));
      const { records, checkpoint: kept } = await runOf(store);
      equal(kept, checkpoint(4, 0), "checkpoint");
      const after = (records as { seq: number }[]).filter(({ seq }) => seq > 4);
      equal(after, step(5, 0).records, "records after the checkpoint");
    },
  },
  {
    name: "several records of one step stay together",
    async run(store) {
      const records = [
        { seq: 1, at: 1, input: { request: { text: "€" } } },
        { seq: 2, at: 2, input: "recovered" },
      ];
      await append(store, step(2, 0, { records }), step(3, 0));
      equal((await runOf(store)).records, [...records, ...step(3, 0).records], "records");
    },
  },
  {
    name: "records and checkpoints are opaque: any JSON comes back as it was",
    async run(store) {
      const odd = JSON.parse('{"seq":1,"__proto__":{"x":1},"n":1e-7,"s":"\\u0000\\ud83d","e":[],"o":{},"null":null}');
      await append(store, step(1, 0, { records: [odd] }));
      equal((await runOf(store)).records, [odd], "records");
      await append(store, step(2, 0, { checkpoint: 'no JSON: "]}\u0000' }));
      equal((await runOf(store)).checkpoint, 'no JSON: "]}\u0000', "checkpoint");
    },
  },
  {
    name: "large media in records and checkpoints come back as they were",
    async run(store, { reopen }) {
      const data = "QUJD".repeat(20_000);
      const record = { seq: 1, at: 1, input: { content: [{ type: "image", source: { type: "base64", data } }] } };
      const message_ = message("look", {
        content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
      });
      const held = JSON.stringify({ state: { phase: "turn", queue: [{ data }] } });
      await append(store, step(1, 0, { records: [record], messages: [message_] }));
      await append(store, step(2, 1, { checkpoint: held }));
      const run = await runOf(await reopen(store));
      equal([run.messages, run.checkpoint], [[message_], held], "messages and checkpoint");
    },
  },
  {
    name: "a step counts its answers and their usage",
    async run(store) {
      const usage = { tokens_in: 10, tokens_out: 5 };
      await append(store, step(1, 0, { messages: [message("a"), answer("b", { usage })] }));
      await append(store, step(2, 2, { messages: [answer("c", { usage }), answer("d")] }));
      equal([await store.getTurnCount(), await store.getTokenCount()], [3, 30], "turns and tokens");
    },
  },
  ...[
    { name: "that leaves a gap", given: step(3, 2, { messages: [message("x")] }) },
    { name: "that would write over messages", given: step(3, 0, { messages: [message("x")] }) },
    { name: "that skips a record", given: step(4, 1, { messages: [message("x")] }) },
    { name: "that repeats a record", given: step(2, 1, { messages: [message("x")] }) },
    { name: "with a checkpoint that comes too late", given: step(2, 1, { checkpoint: checkpoint(2, 1) }) },
  ].map(
    ({ name, given }): Case => ({
      name: `a step ${name} is refused, and nothing of it is kept`,
      async run(store, { reopen }) {
        await append(store, step(1, 0, { messages: [message("a")], checkpoint: checkpoint(1, 1) }), step(2, 1));
        const before = [await runOf(store), await store.getTurnCount(), await store.getTokenCount()];
        await conflicts(store.appendStep?.(given, "strict"), "writing it");
        equal([await runOf(store), await store.getTurnCount(), await store.getTokenCount()], before, "the session");
        equal(await runOf(await reopen(store)), before[0], "run after a reload");
      },
    }),
  ),
  {
    name: "after a refusal the step that does follow is taken",
    async run(store) {
      await append(store, step(1, 0, { messages: [message("a")] }));
      await conflicts(store.appendStep?.(step(2, 5), "relaxed"), "writing what does not follow");
      await append(store, step(2, 1, { messages: [answer("b")] }));
      equal(
        (await store.getMessages()).map(({ text }) => text),
        ["a", "b"],
        "texts",
      );
    },
  },
  {
    name: "of two writers at one place one is refused",
    async run(store, { reopen }) {
      await append(store, step(1, 0, { messages: [message("a")] }));
      const other = await reopen(store);
      const writes = [store, other].map((one, at) => one.appendStep?.(step(2, 1, { messages: [answer(`w${at}`)] }), "relaxed"));
      const ends = await Promise.allSettled(writes);
      equal(ends.filter(({ status }) => status === "rejected").length, 1, "number of refusals");
      const lost = ends.findIndex(({ status }) => status === "rejected");
      await conflicts(writes[lost], "the one that lost");
      equal(
        (await store.getMessages()).map(({ text }) => text),
        ["a", `w${1 - lost}`],
        "texts",
      );
    },
  },
  {
    name: "steps of different sessions do not mix",
    async run(store, { make }) {
      const other = await make();
      const steps = Array.from({ length: 10 }, (_, at) => at);
      const write = async (to: typeof store, name: string) => {
        for (const at of steps) await append(to, step(at + 1, at, { messages: [message(`${name}${at}`)] }));
      };
      await Promise.all([write(store, "a"), write(other, "b")]);
      equal(
        (await store.getMessages()).map(({ text }) => text),
        steps.map((at) => `a${at}`),
        "texts of one",
      );
      equal(
        (await other.getMessages()).map(({ text }) => text),
        steps.map((at) => `b${at}`),
        "texts of the other",
      );
    },
  },
  {
    name: "messages of another program are read before the first step",
    async run(store) {
      await store.appendMessages([message("old"), answer("older")]);
      await append(store, step(1, 2, { messages: [message("new")], checkpoint: checkpoint(1, 3) }));
      equal(
        (await runOf(store)).messages.map(({ text }) => text),
        ["old", "older", "new"],
        "texts",
      );
    },
  },
  {
    name: "messages of another program make a finished run give way",
    async run(store) {
      await append(store, step(1, 0, { messages: [message("a")], checkpoint: checkpoint(1, 1) }));
      await store.appendMessages([message("from elsewhere")]);
      const run = await runOf(store);
      equal([run.messages.length, run.records, run.checkpoint], [2, [], null], "run");
      await append(store, step(1, 2, { messages: [message("b")], checkpoint: checkpoint(1, 3) }));
    },
  },
  {
    name: "messages of another program do not come into the middle of a run",
    async run(store) {
      const held = checkpoint(1, 1, { model: { call: 1 } });
      await append(store, step(1, 0, { messages: [message("a")], checkpoint: held }));
      await conflicts(store.appendMessages([message("from elsewhere")]), "writing messages");
      equal([(await runOf(store)).checkpoint, (await store.getMessages()).length], [held, 1], "run");
    },
  },
  {
    name: "both durabilities are taken, and none given too",
    async run(store) {
      await store.appendStep?.(step(1, 0), "relaxed");
      await store.appendStep?.(step(2, 0), "strict");
      await store.appendStep?.(step(3, 0));
      equal((await runOf(store)).records.length, 3, "number of records");
    },
  },
];

const textCases: readonly Case[] = [
  {
    name: "text steps come back with numbers, key order and unknown fields as they were written",
    needs: ["appendStepText", "readRunText"],
    async run(store, { reopen }) {
      const exact = '{"sender":"user","text":"x","2":1,"1":2,"big":12345678901234567890.10,"e":1E5,"u":"\\u00e9\\/"}';
      const records = '[{"seq":1,"n":9007199254740993}]';
      await store.appendStepText?.(`{"firstMessage":0,"messages":[${exact}],"records":${records},"seq":1}`, "strict");
      const text = (await (await reopen(store)).readRunText?.()) ?? "";
      equal([text.includes(exact), text.includes(records.slice(1, -1))], [true, true], `both in ${text}`);
    },
  },
];

export const runCases: readonly Case[] = [
  ...cases.map((one) => ({ ...one, needs: ["appendStep", "readRun", ...(one.needs ?? [])] as NonNullable<Case["needs"]> })),
  ...textCases,
];
