// Answers with a schema that a provider gives as text in that form: through a chat handler and without one, while they are written and
// after a reload. Nobody sees their JSON as words.
import { createAdapter, createEndpointModel, MemoryStore } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { scene, texts, until } from "../support/session.js";

const trip = z.object({ city: z.string(), days: z.number().int().min(1) });
const encoder = new TextEncoder();
const chunk = (delta: object, finish_reason: string | null = null) =>
  encoder.encode(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
const gives = (input: object) => ({
  tool_calls: [{ index: 0, id: "call_2", type: "function", function: { name: "give_answer", arguments: JSON.stringify(input) } }],
});

// biome-ignore lint/suspicious/noExplicitAny: the body of a request.
type Body = any;

/** OpenAI, whose answers come in these pieces; the second of an answer waits for `go`. */
function openai(answers: (readonly object[])[], go: Promise<unknown> = Promise.resolve()) {
  const bodies: Body[] = [];
  const fetch = async (_: string, init: RequestInit) => {
    bodies.push(JSON.parse(String(init.body)));
    const pieces = answers.shift() ?? [];
    const body = new ReadableStream({
      async start(controller) {
        for (const [at, piece] of pieces.entries()) {
          if (at === 1) await go;
          controller.enqueue(chunk(piece));
        }
        controller.enqueue(chunk({}, pieces.some((piece) => "tool_calls" in piece) ? "tool_calls" : "stop"));
        controller.enqueue(encoder.encode("data: [DONE]\n\n"));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { fetch, bodies };
}

const settings = { provider: "openai", model: "gpt-4.1", apiKey: "sk-test-key-1" } as const;
type Fetch = ReturnType<typeof openai>["fetch"];
const ways = {
  "a chat handler": (fetch: Fetch) => {
    const handle = createChatHandler({ ...settings, fetch });
    return createEndpointModel("/api/chat", {
      fetch: (url: string, init: RequestInit) => handle(new Request(new URL(url, "http://here/"), init)),
    });
  },
  "an adapter": (fetch: Fetch) => createAdapter({ ...settings, fetch }),
};

test.each(Object.entries(ways))(
  "an answer that %s gets as text is followed, checked and shown as any other",
  async (_, modelOf) => {
    let go = () => {};
    const { fetch, bodies } = openai(
      [[{ content: '{"city":"Os' }, { content: 'lo","days":3}' }]],
      new Promise<void>((ok) => (go = ok)),
    );
    const store = new MemoryStore("s1");
    const weather = {
      name: "weather",
      description: "",
      jsonSchema: { type: "object", properties: {} },
      do: () => "sunny",
    } as const;
    const config = { createModel: () => modelOf(fetch), createStore: () => store, tools: [weather] };
    const { session } = scene([], config);
    const asked = session.sendMessage({ text: "Where to?", output: trip });
    const { streamingCalls, timeline } = await until(session, ({ streamingCalls }) => streamingCalls.length > 0);
    expect(streamingCalls.map(({ name, input }) => [name, input])).toEqual([["give_answer", { city: "Os" }]]);
    expect(timeline.map(({ kind }) => kind)).not.toContain("agent_text");
    go();
    expect(await asked).toMatchObject({ type: "completed", value: { city: "Oslo", days: 3 } });
    expect(bodies[0].response_format.json_schema).toMatchObject({ name: "answer", strict: true });
    expect(bodies[0].tools.map((tool: Body) => tool.function.name)).toEqual(["glove_update_tasks", "weather"]);
    const shown = ["user: Where to?", expect.stringMatching(/^give_answer: success/)];
    expect(texts(session.getSnapshot())).toEqual(shown);
    session.dispose();

    const later = scene([], config);
    await later.session.start();
    expect(later.shown()).toEqual(shown);
  },
);

test("what does not fit is put right by the tool, whose result says what was wrong, and words are asked about", async () => {
  const right = { city: "Oslo", days: 3 };
  for (const wrong of ['{"city":"Oslo","days":0}', "To Oslo!"]) {
    const { fetch, bodies } = openai([[{ content: wrong }], [gives(right)]]);
    const { session } = scene([], { createModel: () => ways["an adapter"](fetch) });
    expect(await session.sendMessage({ text: "Where to?", output: trip })).toMatchObject({ value: right });
    expect(bodies.map(({ response_format, tools }) => [!!response_format, tools?.length ?? 0])).toEqual([
      [true, 0],
      [false, 1],
    ]);
    expect(JSON.stringify(bodies[1].messages)).toContain(
      wrong.startsWith("{") ? "days" : "Give the answer by calling give_answer.",
    );
  }
});

test("a fact of the application chooses the way", async () => {
  const { fetch, bodies } = openai([[gives({ city: "Oslo", days: 3 })]]);
  const model = createAdapter({ ...settings, fetch, facts: [{ model: "gpt-4.1", answers: "tool" }] });
  const { session } = scene([], { createModel: () => model });
  expect(await session.sendMessage({ text: "Where to?", output: trip })).toMatchObject({ value: { city: "Oslo" } });
  expect([bodies[0].response_format, bodies[0].tools.length]).toEqual([undefined, 1]);
});
