// What the browser's own model answers, over a stand-in for its API: the engine itself runs on few machines.
import { createBuiltInModel, type ModelTool } from "glove-wasm";
import { afterEach, expect, test, vi } from "vitest";

const tools: ModelTool[] = [{ name: "t", description: "", jsonSchema: { type: "object" } }];
const hi = { sender: "user" as const, text: "Hi" };
afterEach(() => vi.unstubAllGlobals());

/** A model that says these pieces. */
function says(pieces: Iterable<string>, measureContextUsage = async () => 2): void {
  class Session extends EventTarget {
    contextUsage = 5;
    contextWindow = 1_000;
    measureContextUsage = measureContextUsage;
    promptStreaming() {
      const left = pieces[Symbol.iterator]();
      const pull = (controller: ReadableStreamDefaultController<string>) => {
        const { done, value } = left.next();
        if (done) controller.close();
        else controller.enqueue(value);
      };
      return new ReadableStream({ pull });
    }
    destroy() {}
  }
  vi.stubGlobal("LanguageModel", { availability: async () => "available", create: async () => new Session() });
}

test("a count of tokens that fails loses no answer", async () => {
  const failing = [async () => Promise.reject(new DOMException("no", "UnknownError"))];
  failing.push(() => {
    throw new DOMException("no", "UnknownError");
  });
  for (const measure of failing) {
    says(["Hello ", "there."], measure as () => Promise<number>);
    const answer = await createBuiltInModel().prompt({ messages: [hi] }, async () => {});
    expect(answer).toEqual({ messages: [{ sender: "agent", text: "Hello there." }], tokens_in: 2, tokens_out: 3 });
  }
});

test("whatever the pieces are, what is shown is what is answered", async () => {
  const text = 'Say "é" \\ and\n\t😀 \u0001 {"answer":"x"}';
  const escaped = JSON.stringify(text).replace("é", "\\u00e9");
  for (const whole of [`{"answer":${escaped}}`, ` {\n "answer" : ${escaped} } `]) {
    for (const size of [1, 2, 3, 5, 7, 1_000]) {
      says(whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);
      let shown = "";
      const notify = async (_: string, data: unknown) => {
        shown += (data as { text: string }).text;
      };
      const answer = await createBuiltInModel().prompt({ messages: [hi], tools }, notify);
      expect([answer.messages[0]?.text, shown], `pieces of ${size}`).toEqual([text, text]);
    }
  }
});

test("a long answer, and a long call, are read in time that grows with their length", async () => {
  const time = async (front: string, count: number, end: string) => {
    function* pieces() {
      yield front;
      for (let n = 0; n < count; n++) yield "abcd";
      yield end;
    }
    says(pieces());
    const since = performance.now();
    await createBuiltInModel().prompt({ messages: [hi], tools }, async () => {});
    return performance.now() - since;
  };
  for (const [front, end] of [
    ['{"answer":"', '"}'],
    ['{"tool":"t","arguments":{"a":"', '"}}'],
  ] as const) {
    await time(front, 2_000, end);
    const [small, large] = [await time(front, 10_000, end), await time(front, 80_000, end)];
    console.log(`${small.toFixed(0)} ms, eight times as long: ${large.toFixed(0)} ms`);
    expect(large / small).toBeLessThan(24);
  }
}, 30_000);
