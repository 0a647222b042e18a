// Models asked without a session are stopped as sessions are: with an `AbortError`, also where the model heeds no signal.
import {
  AbortError,
  Context,
  createEndpointModel,
  createRemoteModel,
  MemoryStore,
  type Message,
  type ModelAdapter,
  Observer,
  PromptMachine,
} from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test, vi } from "vitest";

const never = () => new Promise<never>(() => {});
const messages: Message[] = [{ sender: "user", text: "Hi" }];
const models: Record<string, () => ModelAdapter> = {
  "an endpoint model": () => createEndpointModel("http://h/chat", { fetch: never }),
  "a remote model": () => createRemoteModel("mine", { prompt: never }),
  "a remote model that streams": () =>
    createRemoteModel("mine", { promptStream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) }),
  "a scripted model": () => createScriptedModel([{ until: never() }]),
  "a prompt machine": () => {
    const model = { name: "deaf", setSystemPrompt() {}, prompt: never };
    const machine = new PromptMachine(model, new Context(new MemoryStore("x")), "");
    return { ...model, prompt: (request, _, signal) => machine.run(request.messages, [], signal) };
  },
};

for (const late of [false, true])
  test.each(Object.entries(models))(
    `%s that is stopped ${late ? "while it answers" : "before"} rejects with an AbortError`,
    async (_, make) => {
      const stop = new AbortController();
      const why = new Error("enough");
      if (!late) stop.abort(why);
      const asked = make().prompt({ messages }, async () => {}, stop.signal);
      if (late) setTimeout(() => stop.abort(why), 20);
      const error: unknown = await asked.catch((error: unknown) => error);
      expect(error).toBeInstanceOf(AbortError);
      expect(error).toMatchObject({ name: "AbortError", code: "ABORTED", cause: why });
    },
  );

test("a summary that is stopped changes nothing, though its model heeds no signal", async () => {
  const store = new MemoryStore("x");
  const context = new Context(store);
  const model: ModelAdapter = { name: "deaf", setSystemPrompt() {}, prompt: never };
  const observer = new Observer(store, context, new PromptMachine(model, context, ""), "Summarise.");
  await context.appendMessages(messages);
  const stop = new AbortController();
  const running = observer.runCompactionNow(stop.signal);
  setTimeout(() => stop.abort(), 20);
  await expect(running).rejects.toBeInstanceOf(AbortError);
  expect(await store.getMessages()).toEqual(messages);
});

test("a summary's model is told nothing that is for the screen alone", async () => {
  const store = new MemoryStore("x");
  const context = new Context(store);
  const prompt = vi.fn<ModelAdapter["prompt"]>(async () => ({
    messages: [{ sender: "agent", text: "They looked." }],
    tokens_in: 1,
    tokens_out: 1,
  }));
  const observer = new Observer(
    store,
    context,
    new PromptMachine({ name: "own", setSystemPrompt() {}, prompt }, context, ""),
    "Summarise.",
  );
  const result = { status: "success" as const, data: "seen", renderData: { secret: "for the screen" } };
  await context.appendMessages([
    ...messages,
    { sender: "agent", text: "", tool_calls: [{ tool_name: "look", input_args: {}, id: "c1" }] },
    { sender: "user", text: "", tool_results: [{ tool_name: "look", call_id: "c1", result }] },
  ]);
  await observer.runCompactionNow();
  const asked = prompt.mock.calls[0]?.[0].messages ?? [];
  expect(asked).toHaveLength(4);
  expect(JSON.stringify(asked)).toContain("seen");
  expect(JSON.stringify(asked)).not.toContain("for the screen");
});
