// What it costs to keep a very long answer while it is written, in letters and not in time: machines differ, and are busy.
import { createEndpointModel, GloveClient, IndexedDBStore, type ModelAdapter } from "glove-wasm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const now = performance.now.bind(performance);
let passed = 0;
beforeEach(() => void vi.spyOn(performance, "now").mockImplementation(() => now() + passed));
afterEach(() => void vi.restoreAllMocks());
/** A second, after which what was written is kept. */
const passes = () => {
  passed += 1_100;
};

const piece = "The quick brown fox jumps over the lazy dog, é.\n".repeat(1_000);
const event = (data: object) => new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`);
const later = () => new Promise((resolve) => setImmediate(resolve));

const models: Record<string, (pieces: number) => ModelAdapter> = {
  "an endpoint": (pieces) =>
    createEndpointModel("http://h.invalid/", {
      policy: { answerBytes: 0 },
      fetch: async () => {
        let left = pieces;
        const pull = async (stream: ReadableStreamDefaultController) => {
          await later();
          passes();
          if (left-- > 0) return stream.enqueue(event({ type: "text_delta", text: piece }));
          const message = { sender: "agent", text: "" };
          stream.enqueue(event({ type: "done", message, tokens_in: 1, tokens_out: 1 }));
          stream.close();
        };
        return new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/event-stream" } });
      },
    }),
  "the page": (pieces) => ({
    name: "m",
    setSystemPrompt() {},
    async prompt(_request, notify) {
      for (let n = 0; n < pieces; n++) {
        await notify("text_delta", { text: piece });
        // Pieces go into the core frame by frame.
        await new Promise((frame) => setTimeout(frame, 20));
        passes();
      }
      return { messages: [{ sender: "agent", text: piece.repeat(pieces) }], tokens_in: 1, tokens_out: 1 };
    },
  }),
};

/** The lengths of what is written while an answer comes, over a minute or more, and of what is written at its end. */
async function written(model: (typeof models)[string], pieces: number) {
  const store = new IndexedDBStore(`s${pieces}`);
  const lengths: number[] = [];
  const append = store.appendStepText.bind(store);
  store.appendStepText = (step, durability) => {
    lengths.push(step.length);
    return append(step, durability);
  };
  const client = new GloveClient({ createModel: () => model(pieces), createStore: () => store, systemPrompt: "" });
  const outcome = await client.session("s").sendMessage("Hi");
  client.dispose();
  expect(outcome).toMatchObject({ text: piece.repeat(pieces) });
  return { meanwhile: lengths.slice(0, -1), end: lengths.at(-1) ?? 0 };
}

test.each(Object.entries(models))("a long answer of %s is kept by writing each part of it once", async (_, model) => {
  const [short, long] = [await written(model, 20), await written(model, 80)];
  for (const [{ meanwhile, end }, pieces] of [[short, 20] as const, [long, 80] as const]) {
    const letters = piece.length * pieces;
    // It is kept: what a page may lose is a small part.
    expect(meanwhile.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(letters * 0.8);
    expect(meanwhile.reduce((sum, length) => sum + length, 0)).toBeLessThan(letters * 1.5);
    expect(end).toBeLessThan(letters * 2.5);
  }
  // What is written at once does not grow with the answer.
  expect(Math.max(...long.meanwhile)).toBeLessThan(Math.max(...short.meanwhile) * 1.5);
});

test("what was kept of a long answer is there when its page is gone, and gives way to the one that is written anew", async () => {
  const store = new IndexedDBStore("gone");
  const endpoint = models["an endpoint"] as (typeof models)[string];
  const open = (pieces: number) =>
    new GloveClient({ createModel: () => endpoint(pieces), createStore: () => store, systemPrompt: "" });
  const first = open(1_000);
  void first
    .session("s")
    .sendMessage("Hi")
    .catch(() => {});
  await vi.waitFor(async () => expect(JSON.stringify(await store.readRun()).length).toBeGreaterThan(piece.length * 8), 20_000);
  first.dispose();
  const kept = JSON.stringify(await store.readRun()).length;
  const second = open(3);
  const session = second.session("s");
  await session.start();
  await vi.waitFor(() => expect(session.getSnapshot().busy).toBe(false), 20_000);
  expect(session.getSnapshot().timeline.at(-1)).toMatchObject({ text: piece.repeat(3) });
  expect(JSON.stringify(await store.readRun()).length).toBeLessThan(kept);
  second.dispose();
});
