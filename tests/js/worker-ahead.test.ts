// What a core in a worker need not ask its page before it calls a model, and that it asks where it must.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createEndpointModel, defineTool } from "glove-wasm";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { clientOf, PageWorker } from "../support/page-worker.js";

/** What workers have asked and waited for. */
let asked: string[] = [];

class Heard extends PageWorker {
  constructor(url: string) {
    super(url);
    let hear: PageWorker["onmessage"] = null;
    Object.defineProperty(this, "onmessage", {
      get: () => (event: { readonly data: unknown }) => {
        for (const { kind, id, method } of event.data as { kind: string; id: number; method: string }[])
          if (kind === "ask" && id !== 0) asked.push(method);
        hear?.(event);
      },
      set: (listener) => {
        hear = listener;
      },
    });
  }
}

beforeEach(() => {
  asked = [];
  vi.stubGlobal("Worker", Heard);
});
afterEach(() => vi.unstubAllGlobals());

const rounds = 3;
const calls = (of = rounds) => Array.from({ length: of }, (_, n) => ({ toolCalls: [{ name: "double", input: { n } }] }));
const double = (did = (_: number) => {}) =>
  defineTool({
    name: "double",
    description: "Doubles.",
    inputSchema: z.object({ n: z.number() }),
    do: async ({ n }) => {
      did(n);
      return 2 * n;
    },
  });
const count = (method: string) => asked.filter((name) => name === method).length;

test("a model is called without a question where nothing is to be prepared", async () => {
  const session = clientOf({ createModel: () => createScriptedModel([...calls(), "Done."]), tools: [double()] }).session("s");
  expect(await session.sendMessage("Go")).toMatchObject({ text: "Done." });
  expect([count("prompt"), count("run"), count("prepare")]).toEqual([rounds + 1, rounds, 0]);
  session.dispose();
});

test("the page is asked before each call once there is something to prepare, also from the middle of a run on", async () => {
  const model = createScriptedModel([...calls(), "Done."]);
  const prepared = vi.fn(({ context }: { context: { add(text: string): void } }) => context.add("It is noon."));
  const late = double((n) => {
    if (n === 0) session.configure({ plugins: [{ id: "clock", prepare: prepared }] });
  });
  // What a plugin takes is loaded.
  const slow = {
    ...late,
    async do(...args: Parameters<typeof late.do>) {
      await late.do(...args);
      await pause();
    },
  };
  const session = clientOf({ createModel: () => model, tools: [slow as never] }).session("s");
  await session.sendMessage("Go");
  expect(count("prepare")).toBe(rounds);
  expect(prepared).toHaveBeenCalledTimes(rounds);
  const prompts = model.calls.map(({ systemPrompt }) => systemPrompt.includes("It is noon."));
  expect(prompts).toEqual([false, ...Array(rounds).fill(true)]);
  session.dispose();
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 300));

test("an endpoint whose headers are known is asked without a question, with the headers of then", async () => {
  const { url, seen, close } = await endpoint([...calls(1).map(callOf), "Done.", "Done."]);
  const headers: Record<string, string> = { "x-key": "one" };
  const tool = double(() => {
    headers["x-key"] = "two";
  });
  const session = clientOf({ createModel: () => createEndpointModel(url, { headers }), tools: [tool] }).session("s");
  expect(await session.sendMessage("Go")).toMatchObject({ text: "Done." });
  headers["x-key"] = "three";
  await session.sendMessage("Go");
  expect(seen.map((sent) => sent["x-key"])).toEqual(["one", "two", "three"]);
  expect(count("reach")).toBe(0);
  session.dispose();
  close();
});

test("headers that are asked for are asked for with each request, and those of a call that is made again too", async () => {
  const { url, seen, close } = await endpoint([503, "Done.", "Done."]);
  let asks = 0;
  const session = clientOf({
    createModel: () => createEndpointModel(url, { headers: () => ({ "x-key": `${++asks}` }) }),
  }).session("s");
  await session.sendMessage("Go");
  await session.sendMessage("Go");
  expect(seen.map((sent) => sent["x-key"])).toEqual(["1", "2", "3"]);
  session.dispose();
  close();

  const other = await endpoint([503, "Done."]);
  const again = clientOf({ createModel: () => createEndpointModel(other.url, { headers: { "x-key": "known" } }) });
  asked = [];
  await again.session("s").sendMessage("Go");
  expect(other.seen.map((sent) => sent["x-key"])).toEqual(["known", "known"]);
  expect(count("reach")).toBe(1);
  again.dispose();
  other.close();
});

const callOf = ({ toolCalls: [call] }: ReturnType<typeof calls>[number]) => ({
  sender: "agent",
  text: "",
  tool_calls: [{ tool_name: call?.name, input_args: call?.input, id: "c" }],
});

/** Gives these answers, one after the other: a status, a text, or a message. */
async function endpoint(answers: readonly (number | string | object)[]) {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const answer = answers[seen.push(request.headers) - 1];
    request.resume().on("end", () => {
      const message = typeof answer === "string" ? { sender: "agent", text: answer } : answer;
      const done = { type: "done", message, tokens_in: 1, tokens_out: 1 };
      if (typeof answer === "number") response.writeHead(answer).end();
      else response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(done)}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/chat`, seen, close: () => server.close() };
}
