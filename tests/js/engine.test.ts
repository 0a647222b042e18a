// Engines in the page with OpenAI's calls: the model of the guide (docs/models-and-keys.md), over a stand-in with WebLLM's calls.
import { getEventListeners } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, GloveClient, type ModelAdapter } from "glove-wasm";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { blocks } from "../docs/blocks.js";
import { root } from "../support/project.js";
import { texts } from "../support/session.js";

/** The example itself. */
const { engineModel } = await guide();

async function guide(): Promise<{ engineModel(engine: StandIn, model: string): ModelAdapter }> {
  const block = blocks().find(({ place, file }) => place.startsWith("docs/models-and-keys.md") && file.endsWith("engine.ts"));
  const folder = join(root, ".cache", "engine");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "engine.ts"), block?.code ?? "");
  return import(join(folder, "engine.ts"));
}

type Delta = { content?: string | null; tool_calls?: object[] };
const chunk = (delta: Delta, finish_reason: string | null = null) => ({ choices: [{ index: 0, delta, finish_reason }] });
const piece = (index: number, args: string, head: object = {}, name?: string) => ({
  index,
  ...head,
  function: { ...(name && { name }), arguments: args },
});
const usage = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } };

/** Calls as `MLCEngine` has them; an interrupted answer ends with `abort`. */
class StandIn {
  readonly asked: { messages: { content: string }[] }[] = [];
  interrupted = 0;
  readonly #answers: (object | number)[][];

  constructor(...answers: (object | number)[][]) {
    this.#answers = answers;
  }

  readonly chat = {
    completions: {
      create: async (request: object) => {
        this.asked.push(structuredClone(request) as { messages: [] });
        return this.#stream(this.#answers.shift() ?? []);
      },
    },
  };

  interruptGenerate = () => {
    this.interrupted++;
  };

  async *#stream(answer: (object | number)[]): AsyncGenerator<object> {
    const before = this.interrupted;
    for (const part of answer) {
      for (let left = Number(part); left > 0 && this.interrupted === before; left -= 5) await sleep(5);
      if (this.interrupted > before) return yield chunk({}, "abort");
      if (typeof part === "object") yield part;
    }
  }
}

const look = vi.fn(async ({ place }: { place: string }) => `Sun in ${place}`);
const tool = defineTool({ name: "look", description: "Looks.", inputSchema: z.object({ place: z.string() }), do: look });

function session(engine: StandIn) {
  look.mockClear();
  const client = new GloveClient({ createModel: () => engineModel(engine, "m"), systemPrompt: "Be kind.", tools: [tool] });
  return client.session("s");
}

test("text is shown as it comes, and the usage of the last chunk counts", async () => {
  const engine = new StandIn([chunk({ content: "Hel" }), 80, chunk({ content: "lo" }), chunk({}, "stop"), usage]);
  const chat = session(engine);
  const shown = new Set<string>();
  chat.subscribe(() => shown.add(chat.getSnapshot().streamingText));
  expect(await chat.sendMessage("hi")).toMatchObject({ type: "completed", text: "Hello" });
  expect([...shown]).toContain("Hel");
  expect(chat.getSnapshot().stats).toMatchObject({ tokens_in: 9, tokens_out: 5 });
  expect(engine.asked[0]).toMatchObject({
    ...{ model: "m", stream: true, stream_options: { include_usage: true } },
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "hi" },
    ],
    tools: expect.arrayContaining([{ type: "function", function: expect.objectContaining({ name: "look" }) }]),
  });
});

test("calls that come in pieces run once they are whole, and their results go back by their ids", async () => {
  const engine = new StandIn(
    [
      chunk({ content: null, tool_calls: [piece(0, "", { id: "a", type: "function" }, "look")] }),
      chunk({ tool_calls: [piece(0, '{"pla')] }),
      chunk({ tool_calls: [piece(0, 'ce":"Bern"}'), piece(1, '{"place":"Rome"}', { id: "b" }, "look")] }),
      chunk({}, "tool_calls"),
      usage,
    ],
    [chunk({ content: "Sunny." }, "stop")],
  );
  expect(await session(engine).sendMessage("where?")).toMatchObject({ type: "completed", text: "Sunny." });
  expect(look.mock.calls.map(([input]) => input)).toEqual([{ place: "Bern" }, { place: "Rome" }]);
  expect(engine.asked[1]?.messages.slice(2)).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "look", arguments: '{"place":"Bern"}' } },
        { id: "b", type: "function", function: { name: "look", arguments: '{"place":"Rome"}' } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "Sun in Bern" },
    { role: "tool", tool_call_id: "b", content: "Sun in Rome" },
  ]);
});

test.each(["length", "tool_calls"])("arguments that are no JSON run nothing and go back as an error (%s)", async (end) => {
  const cut = chunk({ tool_calls: [piece(0, '{"place":', { id: "a" }, "look")] });
  const engine = new StandIn([cut, chunk({}, end)], [chunk({ content: "Sorry." }, "stop")]);
  expect(await session(engine).sendMessage("where?")).toMatchObject({ type: "completed", text: "Sorry." });
  expect(look).not.toHaveBeenCalled();
  expect(engine.asked[1]?.messages.at(-1)?.content).toMatch(/^Error: /);
});

test("an answer that breaks off is a failure, and its call runs nothing", async () => {
  const engine = new StandIn([chunk({ tool_calls: [piece(0, '{"place":"Bern"}', { id: "a" }, "look")] })]);
  await expect(session(engine).sendMessage("where?")).rejects.toThrow("before its answer was whole");
  expect(look).not.toHaveBeenCalled();
});

test("a stop interrupts the engine, keeps what was read, and leaves no listener", async () => {
  const engine = new StandIn(
    [chunk({ content: "Once upon" }), 60_000, chunk({ content: " a time" }, "stop")],
    [chunk({ content: "Hi" }, "stop")],
  );
  const added = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const chat = session(engine);
  const running = chat.sendMessage("tell");
  await vi.waitFor(() => expect(chat.getSnapshot().streamingText).toBe("Once upon"));
  const signals = added.mock.contexts.filter((_, at) => added.mock.calls[at]?.[1]?.toString().includes("interruptGenerate"));
  added.mockRestore();
  expect(signals).toHaveLength(1);
  chat.abort();
  await vi.waitFor(() => expect(engine.interrupted).toBe(1));
  await running.catch(() => {});
  expect(texts(chat.getSnapshot())).toContain("agent: Once upon (cut)");
  await vi.waitFor(() => expect(getEventListeners(signals[0] as EventTarget, "abort")).toEqual([]));
  expect(await chat.sendMessage("again")).toMatchObject({ type: "completed", text: "Hi" });
});
