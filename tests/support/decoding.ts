// What a streamed answer costs a page: ours from the bytes to the finished message, against a plain parser with JSON.parse.
import type * as Glove from "glove-wasm";

export interface Cost {
  /** Milliseconds for the stream: the median of the rounds. */
  readonly ours: number;
  readonly plain: number;
  readonly ratio: number;
}

/** Runs in Node and, as its own text, in a page: it may use nothing from outside. */
export async function cost(glove: typeof Glove, chunkSize: number, rounds: number): Promise<Cost> {
  const events = 50_000;
  const done = { type: "done", message: { sender: "agent", text: " word".repeat(events) }, tokens_in: 1, tokens_out: 1 };
  const text = `${'data: {"type":"text_delta","text":" word"}\n\n'.repeat(events)}data: ${JSON.stringify(done)}\n\n`;
  const bytes = new TextEncoder().encode(text);
  const response = () => {
    let at = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + chunkSize));
      at += chunkSize;
    };
    return new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/event-stream" } });
  };

  /** A push parser as one writes it: lines, fields, JSON.parse. */
  const plainly = async () => {
    const reader = response().body?.getReader();
    const decoder = new TextDecoder();
    let [rest, data, shown] = ["", "", ""];
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return shown.length;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("data: ")) data += line.slice(6);
        else if (line === "" && data) {
          const event = JSON.parse(data);
          if (event.type === "text_delta") shown += event.text;
          data = "";
        }
      }
    }
  };
  const ourselves = async () => {
    const createModel = () => glove.createEndpointModel("/", { fetch: async () => response() });
    const createStore = (id: string) => new glove.MemoryStore(id);
    const session = new glove.GloveClient({ createModel, createStore, systemPrompt: "" }).session("s");
    const outcome = await session.sendMessage("Hi");
    session.dispose();
    return outcome.type === "completed" ? outcome.text.length : 0;
  };

  const times: { ours: number[]; plain: number[] } = { ours: [], plain: [] };
  // One round more than is counted, and by turns, so that whatever else the machine does falls on both.
  for (let round = 0; round <= rounds; round++) {
    for (const [kind, work] of [
      ["plain", plainly],
      ["ours", ourselves],
    ] as const) {
      const since = performance.now();
      if ((await work()) !== events * 5) throw new Error(`${kind} lost text`);
      if (round > 0) times[kind].push(performance.now() - since);
    }
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
  const [ours, plain] = [median(times.ours), median(times.plain)];
  return { ours, plain, ratio: ours / plain };
}
