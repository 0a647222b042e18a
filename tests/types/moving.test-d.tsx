// Code as it is written for glove compiles under `strict`, and what tools of other libraries have is told by its name here; checked by
// the compiler alone.
import {
  createAdapter,
  createRemoteModel,
  defineTool,
  GloveClient,
  type GloveHandle,
  type Message,
  type ModelAdapter,
  type PromptRequest,
  type TimelineEntry,
  type ToolConfig,
  type TypedDisplay,
} from "glove-wasm/react";
import { createChatHandler } from "glove-wasm/server";
import { expectTypeOf } from "vitest";
import { z } from "zod";

const card = {
  name: "card",
  description: "Shows a card.",
  inputSchema: z.object({ text: z.string() }),
  displayPropsSchema: z.object({ text: z.string() }),
};

// `TypedDisplay<D>` is the display of a tool without a `resolveSchema`, in `do` and in a function that it calls.
defineTool({
  ...card,
  async do(input, display: TypedDisplay<{ text: string }>) {
    await display.pushAndWait({ text: input.text });
    return display.pushAndForget({ text: input.text });
  },
});
const shows = (display: TypedDisplay<{ text: string }>): Promise<void> => display.pushAndWait({ text: "" });
defineTool({
  ...card,
  async do(_, display) {
    await shows(display);
    return "Shown.";
  },
});
const asks = async (display: TypedDisplay<{ text: string }, boolean>) => (await display.pushAndWait({ text: "" })) === true;
defineTool({ ...card, resolveSchema: z.boolean(), do: (_, display) => asks(display) });
// @ts-expect-error there is no answer to read
defineTool({ ...card, do: (_, display) => asks(display) });
// Without any schema of what is shown, the answer has none either, and its type says what to add.
defineTool({
  name: "ask",
  description: "Asks.",
  inputSchema: z.object({}),
  async do(_, display) {
    const answer = await display.pushAndWait({ question: "Which?" });
    expectTypeOf<keyof typeof answer>().toEqualTypeOf<"add a `resolveSchema` to the tool to read its answer">();
    // @ts-expect-error there is no `resolveSchema`
    return answer.choice;
  },
});

// A model of one's own reads `request.tools`.
const described = ({ tools }: PromptRequest) => tools?.map((tool) => ({ name: tool.name, description: tool.description }));
export const own: ModelAdapter = {
  name: "own",
  async prompt(request, notify, signal) {
    const message: Message = {
      sender: "agent",
      text: JSON.stringify(request.tools?.map((tool) => tool.name) ?? described(request)),
    };
    await notify("text_delta", { text: message.text });
    signal?.throwIfAborted();
    return { messages: [message], tokens_in: 1, tokens_out: 1 };
  },
  setSystemPrompt(_: string) {},
};
createRemoteModel("remote", {
  async prompt(request) {
    const names = request.tools?.map((tool) => tool.name).join() ?? "";
    return { message: { sender: "agent", text: names }, tokens_in: 1, tokens_out: 1 };
  },
});

// `entry.images` is a list of addresses.
export function Images({ entry }: { entry: Extract<TimelineEntry, { kind: "user" }> }) {
  return (
    <p>
      {entry.images?.map((address: string) => (
        <img key={address} src={address} alt="" />
      ))}
    </p>
  );
}
export const lines = (glove: GloveHandle) =>
  glove.timeline.map((entry, at) => (entry.kind === "user" ? <Images key={String(at)} entry={entry} /> : null));

// `provider` may be a `string` that comes from a file or the environment. One that is written out is checked.
const provider: string = process.env.PROVIDER ?? "anthropic";
const config = { provider: "anthropic", model: "m" };
export const models = [createAdapter({ provider, model: "m" }), createAdapter(config), createAdapter({ provider: "openai" })];
export const handlers = [
  createChatHandler({ provider }),
  createChatHandler(config),
  createChatHandler({ provider: "gemini" }),
  createChatHandler({ provider: undefined, createModel: () => own }),
  createChatHandler({ createModel: () => own }),
];
// @ts-expect-error a provider has a name
createAdapter({ provider: 5 });
// @ts-expect-error there is no such provider
createAdapter({ provider: Math.random() > 0.5 ? "openai" : "opneai" });
// @ts-expect-error a provider is named
createAdapter({ model: "m" });

// Names of other libraries.
expectTypeOf<keyof NonNullable<ToolConfig["execute"]>>().toEqualTypeOf<"did you mean `do`?">();
expectTypeOf<keyof NonNullable<ToolConfig["parameters"]>>().toEqualTypeOf<"did you mean `inputSchema`?">();
expectTypeOf<keyof NonNullable<ToolConfig["needsApproval"]>>().toEqualTypeOf<"did you mean `requireApproval`?">();
const { inputSchema, ...named } = card;
// @ts-expect-error it is `do`
defineTool({ ...card, execute: async () => 1, do: () => 1 });
// @ts-expect-error it is `inputSchema`
defineTool({ ...named, parameters: inputSchema, do: () => 1 });
// @ts-expect-error it is `requireApproval`
defineTool({ ...card, needsApproval: true, do: () => 1 });
// @ts-expect-error it is `jsonSchema`, or `jsonSchema()`
defineTool({ ...named, inputSchema: { type: "object", properties: {} }, do: () => 1 });
// @ts-expect-error in a list too, it is `do`
new GloveClient({ endpoint: "/api/chat", tools: [{ name: "raw", description: "", execute: () => 1, do: () => 1 }] });
