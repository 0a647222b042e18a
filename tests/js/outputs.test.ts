// What tools are given, and what they show beside their results: widgets, files and types of the application.
import {
  createAdapter,
  defineTool,
  type GloveClientConfig,
  MemoryStore,
  type PromptEvent,
  promptEvents,
  type SideOutput,
  type ToolConfig,
} from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { openProvider, speak } from "../support/provider.js";
import { scene, until } from "../support/session.js";

const show = (work: ToolConfig["do"]): ToolConfig => ({
  name: "show",
  description: "",
  jsonSchema: { type: "object" },
  do: work,
});
const script = [{ toolCalls: [{ name: "show" }] }, "ok"];

async function shown(work: ToolConfig["do"], config: Partial<GloveClientConfig> = {}) {
  const { session, model, events } = scene(script, { tools: [show(work)], ...config });
  await session.sendMessage("Hi");
  const entry = session.getSnapshot().timeline.find(({ kind }) => kind === "tool");
  if (entry?.kind !== "tool") throw new Error("there is no call");
  return { entry, session, model, events };
}

test("a widget stands on the entry of its call, in the record and in the prompts, with its time, and in another client after that", async () => {
  const store = new MemoryStore("s1");
  const config = { createStore: () => store };
  const began = Date.now();
  const { entry, session } = await shown((_, display) => {
    const data = { days: [3, 4] };
    display.displayWidget("forecast", data, "Rain");
    data.days.push(5);
    return "It rains";
  }, config);
  const [widget] = entry.outputs ?? [];
  expect(entry.outputs).toEqual([
    { type: "widget", widget: "forecast", data: { days: [3, 4] }, fallback: "Rain", at: expect.any(Number) },
  ]);
  expect(widget?.at).toBeGreaterThanOrEqual(began);
  const [prompt] = await session.prompts();
  expect(prompt?.outputs.map(({ type }) => type)).toEqual(["tool", "widget", "text"]);
  expect(prompt?.outputs[1]).toEqual(widget);
  expect(prompt).toMatchObject({ input: "Hi", state: "completed", at: expect.any(Number) });
  session.dispose();

  const { session: again } = scene([], config);
  await again.start();
  expect(again.getSnapshot().timeline.find(({ kind }) => kind === "tool")).toMatchObject({ outputs: [widget] });
  again.dispose();
});

test("files come from texts, bytes, blobs, files and addresses", async () => {
  const { entry } = await shown((_, display) => {
    display.addFileOutput({ name: "a.txt", type: "text/plain", content: "é", summary: "a letter" });
    const bytes = new Uint8Array([1, 2, 3]);
    display.addFileOutput({ name: "b.bin", content: bytes });
    bytes.fill(0);
    display.addFileOutput({ name: "c.csv", type: "text/csv", content: new Blob(["1;2"]) });
    display.addFileOutput(new File(["{}"], "d.json", { type: "application/json" }));
    display.addFileOutput({ name: "e.pdf", type: "application/pdf", url: "https://example.com/e.pdf" });
    display.addFileOutput({ name: "empty", content: "" });
    return "made";
  });
  const of = (output: SideOutput) => [output.type, output.summary, output.data];
  expect(entry.outputs?.map(of)).toEqual([
    ["file", "a letter", { name: "a.txt", type: "text/plain", size: 2, data: "w6k=" }],
    ["file", undefined, { name: "b.bin", type: "", size: 3, data: "AQID" }],
    ["file", undefined, { name: "c.csv", type: "text/csv", size: 3, data: "MTsy" }],
    ["file", undefined, { name: "d.json", type: "application/json", size: 2, data: "e30=" }],
    ["file", undefined, { name: "e.pdf", type: "application/pdf", url: "https://example.com/e.pdf" }],
    ["file", undefined, { name: "empty", type: "", size: 0, data: "" }],
  ]);
});

test("a model reads the summary of a file or its name, that of an own type, and nothing of a widget", async () => {
  const { model } = await shown((_, display) => {
    display.displayWidget("forecast", { secret: 1 }, "secret");
    display.addFileOutput({ name: "week.pdf", content: "secret" });
    display.addFileOutput({ name: "day.pdf", content: "secret", summary: "A PDF with the day" });
    display.addOutput({ type: "quote", data: "secret" });
    display.addOutput({ type: "note", data: "secret", summary: "A note" });
    return "Done";
  });
  const read = JSON.stringify(model.calls.at(-1)?.messages);
  expect(read).toContain('"data":"Done\\n[File: week.pdf]\\nA PDF with the day\\nA note"');
  expect(read).not.toMatch(/secret|c2VjcmV0|forecast/);
});

test("no provider is sent a widget, the body of a file, or whose session it is", async () => {
  const provider = await openProvider();
  try {
    for (const [format, say] of [
      ["anthropic", speak.anthropic],
      ["openai", speak.openai],
      ["gemini", speak.gemini],
    ] as const) {
      const options = {
        provider: format,
        ...(format === "gemini" && { format }),
        apiKey: "k",
        baseURL: provider.url,
        model: "m",
      };
      provider.reply({ body: say([""], { id: "c1", name: "show", args: "{}" }) }, { body: say(["ok"]) });
      const before = provider.asked.length;
      await shown(
        (_, display) => {
          display.displayWidget("forecast", { secret: 1 }, "secret");
          display.addFileOutput({ name: "week.pdf", content: "secret" });
          return "Done";
        },
        { createModel: () => createAdapter(options as never), userId: "secret-user" },
      );
      const sent = JSON.stringify(provider.asked.slice(before));
      expect(sent).toContain("week.pdf");
      expect(sent).not.toMatch(/secret|c2VjcmV0|forecast/);
    }
  } finally {
    await provider.close();
  }
});

test.each<[string, string, ToolConfig["do"]]>([
  [
    "a file over the limit",
    "OUTPUT_TOO_LARGE",
    (_, display) => display.addFileOutput({ name: "big", content: "x".repeat(13e6) }),
  ],
  ["a widget over the limit", "OUTPUT_TOO_LARGE", (_, display) => display.displayWidget("big", "x".repeat(17e6))],
  ["a widget that is no JSON", "NOT_SERIALISABLE", (_, display) => display.displayWidget("odd", { n: 1n })],
  [
    "a file that cannot be read",
    "FILE_UNREADABLE",
    (_, display) => {
      const file = new File(["x"], "gone");
      file.arrayBuffer = () => Promise.reject(new Error("it is gone"));
      display.addFileOutput(file);
    },
  ],
])("%s is an error of its call with a code, the tool does not run again, and the session goes on", async (_, code, work) => {
  let runs = 0;
  const { entry, session, events } = await shown((input, display) => {
    runs++;
    work(input, display);
    return "made";
  });
  expect([entry.status, entry.outputs, runs]).toEqual(["error", undefined, 1]);
  expect(events.filter(([type]) => type === "error").map(([, data]) => (data as { code: string }).code)).toEqual([code]);
  expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ kind: "agent_text", text: "ok" });
});

test.each<[string, ToolConfig["do"], string]>([
  // @ts-expect-error it has no type
  ["an output without a type", (_, display) => display.addOutput({ data: 1 }), "`type` of the output must be a string"],
  // @ts-expect-error it is no object
  ["no output", (_, display) => display.addOutput(null), "The output must be an object, got null."],
  // @ts-expect-error its name is no string
  ["a widget without a name", (_, display) => display.displayWidget(5), "`widget` of the output must be a string"],
  [
    "a summary that is no text",
    // @ts-expect-error its summary is no string
    (_, display) => display.addOutput({ type: "x", summary: 5 }),
    "`summary` of the output must be a string",
  ],
  // @ts-expect-error it is no object
  ["no file", (_, display) => display.addFileOutput(null), "The file must be an object, got null."],
  // @ts-expect-error it has no content
  ["a file without content", (_, display) => display.addFileOutput({ name: "x" }), "`content` of the file must be a string"],
  [
    "a file with a list as content",
    // @ts-expect-error its content is a list
    (_, display) => display.addFileOutput({ name: "x", content: [1, 300] }),
    "`content` of the file must be a string",
  ],
])("%s is refused where it is added, and a tool that catches that keeps its result", async (_, add, message) => {
  const thrown: unknown[] = [];
  const { entry } = await shown((input, display) => {
    try {
      add(input, display);
    } catch (error) {
      thrown.push(error);
    }
    return "paid";
  });
  expect(thrown).toEqual([expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(message) })]);
  expect([entry.status, entry.output, entry.outputs]).toEqual(["success", "paid", undefined]);
});

test("an output that becomes another one as JSON is left out with an error, and the result and the others are kept", async () => {
  const { entry, events } = await shown((_, display) => {
    const odd = { type: "odd", toJSON: () => ({ type: 5 }) };
    display.addOutput(odd);
    display.displayWidget("forecast", 1);
    return "paid";
  });
  expect([entry.status, entry.output, entry.outputs?.map(({ type }) => type)]).toEqual(["success", "paid", ["widget"]]);
  expect(events.filter(([type]) => type === "error").map(([, data]) => data)).toEqual([
    { code: "CONFIG_INVALID", message: expect.stringContaining("`type` of the output") },
  ]);
});

test.each([
  ["a time of the tool's own", { type: "x", at: 1.5 }],
  ["half a letter", { type: "x\ud800", summary: "\udfff" }],
])("an output with %s does not take the result of its call away", async (_, output) => {
  const { entry } = await shown((__, display) => {
    display.addOutput(output);
    return "paid";
  });
  expect([entry.status, entry.output, entry.outputs?.length]).toEqual(["success", "paid", 1]);
});

test("an output of too many levels is left out with an error, and the result is kept", async () => {
  const { entry, events } = await shown((_, display) => {
    display.displayWidget("deep", JSON.parse("[".repeat(500) + "]".repeat(500)));
    return "paid";
  });
  expect([entry.status, entry.output, entry.outputs]).toEqual(["success", "paid", undefined]);
  expect(events.find(([type]) => type === "error")?.[1]).toMatchObject({ code: "NOT_SERIALISABLE" });
});

test("an output of an own type may have a `file`, and stays what it is", async () => {
  const { entry } = await shown((_, display) => {
    const output = { type: "report", file: "a.pdf", data: { a: 1 } };
    display.addOutput(output);
  });
  expect(entry.outputs).toEqual([{ type: "report", file: "a.pdf", data: { a: 1 }, at: expect.any(Number) }]);
});

test.each<[string, ToolConfig["do"]]>([
  [
    "widgets",
    (_, display) => {
      for (let at = 0; at < 3; at++) display.displayWidget("w", "a".repeat(6e6));
    },
  ],
  [
    "a widget and a file",
    (_, display) => {
      display.displayWidget("w", "a".repeat(12e6));
      display.addFileOutput({ name: "f", content: "a".repeat(4e6) });
    },
  ],
  ["a widget of letters of three bytes", (_, display) => display.displayWidget("w", "漢".repeat(6e6))],
])("%s that have too many bytes together are an error of their call, and the next message is answered", async (_, add) => {
  let runs = 0;
  const { entry, session } = await shown((input, display) => {
    runs++;
    add(input, display);
  });
  expect([entry.status, entry.outputs?.length, runs]).toEqual(["error", undefined, 1]);
  expect(entry.output ?? entry.error).toContain("16777216");
  expect(session.getSnapshot()).toMatchObject({ run: { phase: "idle" }, error: undefined });
});

test("what is added after the tool has ended is refused as a question is", async () => {
  let tell: (thrown: unknown[]) => void = () => {};
  const late = new Promise<unknown[]>((resolve) => {
    tell = resolve;
  });
  await shown((_, display) => {
    const thrown: unknown[] = [];
    setTimeout(() => {
      for (const add of [() => display.displayWidget("late"), () => display.addFileOutput({ name: "late", content: "1" })])
        try {
          add();
        } catch (error) {
          thrown.push(error);
        }
      display.pushAndWait({ input: {} }).catch((error: unknown) => tell([...thrown, error]));
    }, 20);
    return "done";
  });
  const [widget, file, question] = await late;
  expect([widget, file]).toEqual([question, question]);
  expect(question).toMatchObject({ name: "AbortError", message: expect.stringContaining("has ended") });
});

test("what is added inside of a step is refused with what to do instead", async () => {
  const { entry } = await shown(async (_, display) => {
    const add = display.step("make", () => display.displayWidget("in the step"));
    await expect(add).rejects.toMatchObject({ code: "OUTPUT_IN_STEP", message: expect.stringContaining("after it") });
    display.displayWidget("after", await display.step("other", () => 1));
    return "done";
  });
  expect([entry.status, entry.outputs?.map(({ widget }) => widget)]).toEqual(["success", ["after"]]);
});

test("giving a file of megabytes holds its tool up no longer than a copy takes", async () => {
  const content = new Uint8Array(10e6).fill(7);
  const began: number[] = [];
  const { entry } = await shown((_, display) => {
    began.push(performance.now());
    display.addFileOutput({ name: "large.bin", content });
    began.push(performance.now());
  });
  expect(entry.outputs?.[0]?.data).toMatchObject({ size: 10_000_000 });
  expect((began[1] ?? 0) - (began[0] ?? 0)).toBeLessThan(1_000);
});

test("what a call that fails has added is not shown", async () => {
  const { entry } = await shown((_, display) => {
    display.displayWidget("forecast", 1);
    throw new Error("no weather");
  });
  expect([entry.status, entry.outputs]).toEqual(["error", undefined]);
});

test("a tool is given the services and the user of its client, its call and its signal, and the next call what was configured since", async () => {
  const seen: unknown[] = [];
  const look = defineTool({
    name: "show",
    description: "",
    inputSchema: z.object({}),
    async do(_, display, __, signal) {
      const { services, userId, callId, displayWidget } = display;
      displayWidget("seen");
      seen.push([services.api(), userId, callId === "", display.signal === signal, await display.step("one", () => 1)]);
    },
  });
  const { session } = scene([...script, ...script], { tools: [look], services: { api: () => "A" }, userId: "ann" });
  await session.sendMessage("Hi");
  session.configure({ services: { api: () => "B" }, userId: "ben" });
  await session.sendMessage("Hi again");
  expect(seen).toEqual([
    ["A", "ann", false, true, 1],
    ["B", "ben", false, true, 1],
  ]);
  expect((await session.prompts()).map(({ userId }) => userId)).toEqual(["ann", "ben"]);
  expect(session.getSnapshot().timeline[1]).toMatchObject({ outputs: [{ widget: "seen" }] });
  // @ts-expect-error a string
  expect(() => scene([], { userId: 7 })).toThrow("`userId`");
});

test("a prompt that nobody wrote has its reason, and the chat shows its answer alone", async () => {
  const { client, session, model } = scene(["I will", "Call Ann!", "Again: call Ann!"]);
  await session.sendMessage("Remind me at five");
  const outcome = await client.trigger("s1", { reason: "it is five" });
  expect(outcome.type).toBe("completed");
  const shown = () => session.getSnapshot().timeline.map((entry) => "text" in entry && entry.text);
  expect(shown()).toEqual(["Remind me at five", "I will", "Call Ann!"]);
  expect(model.calls[1]?.messages.at(-1)).toMatchObject({ sender: "user", text: expect.stringContaining("it is five") });
  const prompts = await session.prompts();
  expect(prompts.map(({ input, reason }) => [input, reason])).toEqual([
    ["Remind me at five", undefined],
    [undefined, "it is five"],
  ]);
  await session.regenerate();
  expect(shown()).toEqual(["Remind me at five", "I will", "Again: call Ann!"]);
  await expect(client.trigger("s1", { reason: "" })).rejects.toMatchObject({ code: "MESSAGE_EMPTY" });
  // @ts-expect-error a string
  await expect(client.trigger("s1", { reason: 5 })).rejects.toThrow("`reason`");
});

test("a trigger with an id begins once: not twice at a time, not again later, and not in another page", async () => {
  const store = new MemoryStore("s1");
  const createStore = () => store;
  const { session, client, model, shown } = scene(["Call Ann!"], { createStore });
  const due = { id: "reminder 1", reason: "it is five" };
  const outcomes = await Promise.all([client.trigger("s1", due), client.trigger("s1", due)]);
  outcomes.push(await client.trigger("s1", due));
  session.dispose();
  const after = scene([], { createStore });
  outcomes.push(await after.client.trigger("s1", due));
  expect(outcomes.map((outcome) => outcome.type === "completed" && outcome.text)).toEqual(Array(4).fill("Call Ann!"));
  expect([model.calls.length, after.model.calls.length]).toEqual([1, 0]);
  expect((await after.session.prompts()).map(({ id, reason }) => [id, reason])).toEqual([["reminder 1", "it is five"]]);
  expect(shown()).toEqual(after.shown());
  // @ts-expect-error a string
  await expect(after.client.trigger("s1", { ...due, id: 5 })).rejects.toThrow("`id`");
});

test("why a trigger waits does not stand in the queue as a message", async () => {
  const { session, shown } = scene([{ deltas: ["o", "n", "e"], every: 150 }, "two", "three"]);
  const queue = () => session.getSnapshot().queue.map(({ text }) => text);
  const first = session.trigger({ reason: "secret timer" });
  const others = [session.sendMessage("Hi"), session.trigger({ reason: "secret build" })];
  await until(session, ({ queue }) => queue.some(({ text }) => text === "Hi"));
  expect(["", "Hi", ""].join()).toContain(queue().join());
  await until(session, ({ queue }) => queue.length < 2);
  expect(queue().join()).not.toContain("secret");
  await Promise.all([first, ...others]);
  expect(shown()).toEqual(["agent: one", "user: Hi", "agent: two", "agent: three"]);
});

test("after a reload, a tool that is entered again is told with the input of its call", async () => {
  const store = new MemoryStore("s1");
  const ask = show(async (_, display) => `It is ${await display.pushAndWait({ input: {} })}`);
  const config = { tools: [ask], createStore: () => store };
  const before = scene([{ toolCalls: [{ name: "show", input: { amount: 120 } }] }], config);
  before.session.sendMessage("Hi").catch(() => {});
  await until(before.session, ({ slots }) => slots.length > 0);
  before.session.dispose();

  const heard: PromptEvent[] = [];
  const { session } = scene(["ok"], { ...config, subscribers: [promptEvents((event) => heard.push(event))] });
  await session.start();
  const { slots } = await until(session, ({ slots, run }) => run.phase === "tools" && slots.length > 0);
  session.displayManager.resolve(slots[0]?.id ?? "", "paid");
  await until(session, ({ run }) => run.phase === "idle");
  const output = heard.find((event) => event.type === "prompt.output");
  expect(output).toMatchObject({ output: { type: "tool", input: { amount: 120 }, result: { output: "It is paid" } } });
  session.dispose();
});

test("what happens to prompts is told as it is in the record, each output once, with the approvals that are asked for", async () => {
  const heard: PromptEvent[] = [];
  const tool: ToolConfig = {
    ...show((_, display) => {
      display.displayWidget("receipt", { paid: 120 });
      display.addFileOutput({ name: "receipt.txt", content: "120" });
      return "paid";
    }),
    requireApproval: { required: true, reason: "It is more than 100" },
  };
  const call = { text: "One moment.", toolCalls: [{ name: "show", id: "c1", input: { amount: 120 } }] };
  const { session } = scene([call, "Paid.", call, "Not paid."], {
    tools: [tool],
    subscribers: [promptEvents((event) => heard.push(event))],
  });
  const asked = () => until(session, ({ approvals }) => approvals[0]?.kind === "approval");
  const told = () =>
    heard.map(({ type, ...event }) => (type === "prompt.output" ? (event as { output: SideOutput }).output.type : type));

  const paid = session.sendMessage("Pay 120");
  const [approval] = (await asked()).approvals;
  expect(told()).toEqual(["text", "prompt.approval-requested"]);
  const id = heard[0]?.prompt;
  expect(heard[1]).toEqual({
    type: "prompt.approval-requested",
    sessionId: "s1",
    prompt: id,
    id: approval?.id,
    toolName: "show",
    toolCallId: "c1",
    input: { amount: 120 },
    reason: "It is more than 100",
  });
  session.approve("c1");
  await paid;
  expect(told().slice(2)).toEqual(["tool", "widget", "file", "text", "prompt.completed"]);
  const [prompt] = await session.prompts();
  expect([prompt?.id, heard.every(({ prompt, sessionId }) => prompt === id && sessionId === "s1")]).toEqual([id, true]);
  const outputs = heard.flatMap((event) => (event.type === "prompt.output" ? [event.output] : []));
  expect(prompt?.outputs).toMatchObject(outputs.map(({ ...output }) => output));
  expect(prompt?.outputs).toHaveLength(outputs.length);
  expect(heard.at(-1)).toEqual({ type: "prompt.completed", sessionId: "s1", prompt: id, outcome: "completed" });

  heard.length = 0;
  const refused = session.sendMessage("Pay 120 again");
  const [second] = (await asked()).approvals;
  session.reject(second?.id ?? "", "too much");
  await refused;
  expect(heard[2]).toMatchObject({ output: { type: "tool", input: { amount: 120 }, result: { type: "error" } } });
  expect(JSON.stringify(heard[2])).toContain("too much");
  // @ts-expect-error a function
  expect(() => promptEvents("prompt.output")).toThrow("The listener");
});

test("the text of a stopped or failed answer is an output, and a prompt that goes on after a pause is completed once", async () => {
  const heard: PromptEvent[] = [];
  const told = () =>
    heard
      .splice(0)
      .map((event) =>
        event.type === "prompt.output"
          ? JSON.stringify(event.output)
          : `${event.type} ${"outcome" in event ? event.outcome : ""}`,
      );
  const script = [
    { deltas: ["Half an ", "answer"], every: 20, after: 0, until: new Promise(() => {}) },
    { deltas: ["Cut "], cut: true },
    "Whole.",
  ];
  const { session } = scene(script, { subscribers: [promptEvents((event) => heard.push(event))] });
  const stopped = session.sendMessage("Hi");
  await until(session, ({ streamingText }) => streamingText === "Half an answer");
  session.abort();
  await stopped;
  expect(told()).toEqual([JSON.stringify({ type: "text", text: "Half an answer" }), "prompt.completed aborted"]);
  await session.sendMessage("Again").catch(() => {});
  expect(told()).toEqual([JSON.stringify({ type: "text", text: "Cut " }), "prompt.paused model_failed"]);
  await session.resume();
  expect(told()).toEqual([JSON.stringify({ type: "text", text: "Whole." }), "prompt.completed completed"]);
  const outputs = (await session.prompts()).map(({ outputs }) => outputs.map((output) => "text" in output && output.text));
  expect(outputs).toEqual([["Half an answer"], ["Cut ", "Whole."]]);
});
