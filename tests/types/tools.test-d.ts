// What `defineTool` and its relatives infer; checked by the compiler alone.

import { type } from "arktype";
import {
  AnthropicAdapter,
  type ContentPart,
  createAdapter,
  type DefinedTool,
  defineTool,
  Glove,
  GloveClient,
  getAvailableProviders,
  type IGloveRunnable,
  jsonSchema,
  type ModelAdapter,
  type ModelPromptResult,
  type NoResolveSchema,
  type SubscriberAdapter,
  type ToolConfig,
  type ToolResultData,
} from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";

declare const model: ModelAdapter;

// Input, display props and the person's answer, with what transforms make of them.
const booking = defineTool({
  name: "book",
  description: "",
  inputSchema: z.object({ city: z.string(), nights: z.number().default(1) }),
  displayPropsSchema: z.object({ options: z.array(z.string()), title: z.string().default("Choose") }),
  resolveSchema: z.object({ choice: z.coerce.number<string>() }),
  requiresPermission: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; nights: number }>();
    return true;
  },
  requireApproval: async (input) => {
    expectTypeOf(input.nights).toEqualTypeOf<number>();
    return { required: true, reason: "it costs" };
  },
  async do(input, display, agent, signal) {
    expectTypeOf(input).toEqualTypeOf<{ city: string; nights: number }>();
    expectTypeOf<Parameters<typeof display.pushAndWait>[0]>().toEqualTypeOf<{ options: string[]; title?: string | undefined }>();
    const answer = await display.pushAndWait({ options: [] });
    expectTypeOf(answer).toEqualTypeOf<{ choice: number }>();
    expectTypeOf(agent).toEqualTypeOf<IGloveRunnable | undefined>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
    // @ts-expect-error options are texts
    void display.pushAndForget({ options: [1] });
    // Ready-made renderers, by name.
    const picked = await display.pushAndWait({ message: "Which?", options: ["a", { label: "B", value: "b" }] }, "select");
    expectTypeOf(picked).toEqualTypeOf<string>();
    expectTypeOf(await display.pushAndWait({ message: "Sure?" }, "confirm")).toEqualTypeOf<string>();
    void display.pushAndForget({ message: "Booked.", type: "success" }, "info");
    // @ts-expect-error a choice needs options
    void display.pushAndWait({ message: "Which?" }, "select");
    // @ts-expect-error nobody is asked by an info
    void display.pushAndWait({ message: "Booked." }, "info");
    return { status: "success", data: answer, renderData: { x: 1 } };
  },
  undo: (input) => expectTypeOf(input.city).toEqualTypeOf<string>(),
  render({ props, data, resolve, reject, status }) {
    expectTypeOf(props).toEqualTypeOf<{ options: string[]; title: string }>();
    expectTypeOf(status).toEqualTypeOf<"pending" | "resolved" | "rejected" | undefined>();
    expectTypeOf(data).toEqualTypeOf(props);
    resolve({ choice: "1" });
    // @ts-expect-error the answer goes in as a text
    resolve({ choice: 1 });
    reject("no");
    return null;
  },
  renderResult: ({ data, status, output }) => {
    expectTypeOf(data).toEqualTypeOf<{ x: number }>();
    return `${status} ${output ?? ""}`;
  },
});
expectTypeOf(booking).toEqualTypeOf<DefinedTool<"book", { city: string; nights: number }, { x: number }>>();
expectTypeOf(booking).toExtend<ToolConfig<{ city: string; nights: number }>>();

// Without a resolve schema there is nothing to answer with.
defineTool({
  name: "show",
  description: "",
  inputSchema: z.object({}),
  displayPropsSchema: z.object({ text: z.string() }),
  async do(_, display) {
    const answer = await display.pushAndWait({ text: "" });
    expectTypeOf(answer).toEqualTypeOf<NoResolveSchema>();
    // @ts-expect-error there is no `resolveSchema`
    void answer.choice;
  },
  render({ resolve }) {
    resolve();
  },
});

// Other libraries, and JSON Schema.
defineTool({
  name: "v",
  description: "",
  inputSchema: v.object({ a: v.optional(v.number(), 1) }),
  do: (input) => expectTypeOf(input).toEqualTypeOf<{ a: number }>(),
});
defineTool({
  name: "z3",
  description: "",
  inputSchema: z3.object({ a: z3.string().transform(Number) }),
  do: (input) => expectTypeOf(input).toEqualTypeOf<{ a: number }>(),
});
defineTool({
  name: "j",
  description: "",
  inputSchema: jsonSchema<{ a: string }>({ type: "object" }),
  do: (input) => expectTypeOf(input).toEqualTypeOf<{ a: string }>(),
});

const arktyped = defineTool({
  name: "ark",
  description: "",
  title: (input) => `${input.a}`,
  inputSchema: type({ a: "number", "b?": "string" }),
  displayPropsSchema: type({ text: "string" }),
  resolveSchema: type({ ok: "boolean" }),
  async do(input, display) {
    expectTypeOf(input).toEqualTypeOf<{ a: number; b?: string }>();
    expectTypeOf(await display.pushAndWait({ text: "" })).toEqualTypeOf<{ ok: boolean }>();
    // @ts-expect-error text is a text
    void display.pushAndForget({ text: 1 });
  },
  render({ props, resolve }) {
    expectTypeOf(props).toEqualTypeOf<{ text: string }>();
    resolve({ ok: true });
    // @ts-expect-error ok is a boolean
    resolve({ ok: 1 });
  },
  undo(input, result, display, agent, signal) {
    expectTypeOf(input.a).toEqualTypeOf<number>();
    expectTypeOf(result).toEqualTypeOf<null>();
    expectTypeOf<Parameters<typeof display.pushAndForget>[0]>().toEqualTypeOf<{ text: string }>();
    expectTypeOf(agent).toEqualTypeOf<IGloveRunnable | undefined>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
  },
});
expectTypeOf(arktyped).toEqualTypeOf<DefinedTool<"ark", { a: number; b?: string }, unknown>>();

// What `do` gives is what is taken back, as the record has it, and what the screen gets.
const one = { name: "one", description: "", inputSchema: z.object({ id: z.string() }) };
defineTool({
  ...one,
  do: async ({ id }) => ({ order: id, at: new Date(), lines: [{ n: 1, by: new Date() }] }),
  undo(_, result) {
    expectTypeOf(result).toEqualTypeOf<{ order: string; at: string; lines: { n: number; by: string }[] }>();
    // @ts-expect-error it is not what `do` gave
    void result.ordr;
  },
  renderResult: ({ data }) => expectTypeOf(data).toBeUnknown(),
});
defineTool({
  ...one,
  do({ id }) {
    if (!id) return { status: "error", data: null, message: "which?" };
    if (id === "1") return { status: "success", data: 1 };
    return { status: "success", data: { order: id }, renderData: { title: id, at: new Date() } };
  },
  undo: (_, result) => expectTypeOf(result).toEqualTypeOf<number | { order: string }>(),
  renderResult: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ title: string; at: string }>(),
});
defineTool({ ...one, do: ({ id }) => id, undo: (_, result) => expectTypeOf(result).toEqualTypeOf<string>() });
defineTool({ ...one, do: async () => {}, undo: (_, result) => expectTypeOf(result).toEqualTypeOf<null>() });
defineTool({ ...one, do: () => [1, "a"], undo: (_, result) => expectTypeOf(result).toEqualTypeOf<(string | number)[]>() });
defineTool({
  ...one,
  resolveSchema: z.object({ ok: z.boolean() }),
  do: (_, display) => display.pushAndWait({}),
  undo: (_, result) => expectTypeOf(result).toEqualTypeOf<{ ok: boolean }>(),
});
// Where nothing is known of it, it may be anything.
defineTool({
  ...one,
  do: (): ToolResultData => ({ status: "success", data: 1 }),
  undo: (_, result) => expectTypeOf(result).toBeAny(),
  renderResult: ({ data }) => expectTypeOf(data).toBeUnknown(),
});
defineTool({
  ...one,
  undo: (_, result) => expectTypeOf(result).toBeAny(),
  do: ({ id }) => expectTypeOf(id).toEqualTypeOf<string>(),
});
defineTool<typeof one.inputSchema>({ ...one, do: ({ id }) => id, undo: (_, result) => expectTypeOf(result).toBeAny() });

// What no model can write.
const never = { name: "never", description: "", do: () => 1 };
// @ts-expect-error JSON has no dates
defineTool({ ...never, inputSchema: z.object({ at: z.date() }) });
// @ts-expect-error nor numbers without an end
defineTool({ ...never, inputSchema: z.object({ list: z.array(z.object({ id: z.bigint().optional() })) }) });
// @ts-expect-error nor maps
defineTool({ ...never, inputSchema: v.object({ of: v.map(v.string(), v.number()) }) });
defineTool({ ...never, inputSchema: z.object({ at: z.coerce.date(), or: z.union([z.string(), z.date()]) }) });
defineTool({ ...never, inputSchema: z.object({ at: z.preprocess((at) => new Date(String(at)), z.date()), any: z.any() }) });
defineTool({
  ...never,
  inputSchema: z.object({
    get tree() {
      return z.array(z.object({ name: z.string() }));
    },
  }),
});

// Providers go by the names that are known, models by any.
createAdapter({ provider: "anthropic", model: "any" });
createAdapter({ provider: getAvailableProviders()[0]?.id ?? "openai" });
new AnthropicAdapter({ provider: "openrouter" });
createChatHandler({ provider: "gemini" });
// @ts-expect-error there is no such provider
createAdapter({ provider: "opneai" });
// @ts-expect-error there is no such provider
createChatHandler({ provider: "opneai" });

// What is shown and answered, by schemas of older and other libraries.
defineTool({
  name: "mixed",
  description: "",
  inputSchema: z3.object({ a: z3.number() }),
  displayPropsSchema: v.object({ text: v.string() }),
  resolveSchema: z3.object({ n: z3.string().transform(Number) }),
  async do(_, display) {
    expectTypeOf(await display.pushAndWait({ text: "" })).toEqualTypeOf<{ n: number }>();
  },
  render({ props, resolve }) {
    expectTypeOf(props).toEqualTypeOf<{ text: string }>();
    resolve({ n: "1" });
  },
});
defineTool({
  name: "raw schemas",
  description: "",
  inputSchema: jsonSchema({ type: "object" }),
  resolveSchema: jsonSchema<{ n: number }>({ type: "object" }),
  async do(input, display) {
    expectTypeOf(input).toEqualTypeOf<unknown>();
    expectTypeOf(await display.pushAndWait({})).toEqualTypeOf<{ n: number }>();
  },
});

// Tools of all kinds in one list, also written down raw as applications have them.
const raw: ToolConfig = {
  name: "raw",
  description: "",
  inputSchema: z.object({ city: z.string() }),
  async do(input, display) {
    const value = await display.pushAndWait<{ q: string }, boolean>({ input: { q: input.city } });
    expectTypeOf(value).toEqualTypeOf<boolean>();
    return { status: "success", data: value };
  },
  render: ({ data, resolve, status }) => status === "pending" && resolve(data.anything),
};
// Drawn by hand, as applications do it that know of no status.
raw.render?.({ data: {}, resolve: () => {}, reject: () => {} });
new GloveClient({
  endpoint: "/api/chat",
  tools: [booking, raw, { name: "x", description: "", jsonSchema: {}, do: (input) => input.y }],
});
new GloveClient({
  createModel: () => model,
  subscribers: [{ record: async (type, data, context) => void [type, data.text, context?.sessionId] }],
});
const own: SubscriberAdapter = {
  async record(event_type: string, data: { text: string }) {
    void [event_type, data.text];
  },
};
void own;

// The builder.
const agent = new Glove({ model, systemPrompt: "" })
  .fold({
    name: "f",
    description: "",
    inputSchema: z.object({ n: z.number() }),
    do(input, display, glove) {
      expectTypeOf(input).toEqualTypeOf<{ n: number }>();
      expectTypeOf(glove).toEqualTypeOf<IGloveRunnable | undefined>();
      return display.pushAndWait({ renderer: "confirm", input });
    },
  })
  .fold<{ city: string }>({
    name: "g",
    description: "",
    inputSchema: z.object({ city: z.string() }),
    do: async (input) => input.city,
  })
  // What `defineTool` gives may be folded in as it is.
  .fold(booking)
  .fold(arktyped)
  .build();
expectTypeOf(agent.processRequest).returns.resolves.toEqualTypeOf<ModelPromptResult>();
expectTypeOf(agent.processRequest).parameter(0).toEqualTypeOf<string | readonly ContentPart[]>();

// @ts-expect-error a tool must do something
defineTool({ name: "t", description: "", inputSchema: z.object({}) });
