// An engine in the page: wllama, which is llama.cpp as a wasm file, with the random model and the guide's own code.
import { transform } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { blocks } from "../docs/blocks.js";
import { openBrowser, openPage } from "../support/browser.js";
import { inPage, servePackage } from "../support/pages.js";
import type { Served } from "../support/server.js";
import { tinyModel } from "./model.js";

const wllama = "tests/real/clients/node_modules/@wllama/wllama/esm";

/** A file of the guide, as a page loads it. */
async function guide(name: string): Promise<string> {
  const block = blocks().find(({ place, file }) => place.startsWith("docs/models-and-keys.md") && file.endsWith(`/${name}`));
  if (!block) throw new Error(`docs/models-and-keys.md has no ${name}`);
  return (await transform(block.code, { loader: "ts" })).code;
}

const load = `
  const { Wllama, LoggerWithoutDebug } = await import("/${wllama}/index.js");
  const wasm = new URL("/${wllama}/wasm/wllama.wasm", document.baseURI).href;
  const wllama = new Wllama({ default: wasm }, { suppressNativeLog: true, logger: LoggerWithoutDebug });
  const model = await (await fetch("/tiny.gguf")).blob();
  await wllama.loadModel([model], { n_ctx: 8192, n_parallel: 2, n_gpu_layers: 0, n_threads: 1, seed: 1 });
  const { engineModel } = await import("/engine.js");
  const { textToolsModel } = await import("/text-tools.js");
  const { wllamaEngine } = await import("/wllama.js");
  const asked = [];
  /** An engine of its own; what it is asked is changed for the random model. */
  const engine = (change = (request) => request) => {
    const own = wllamaEngine(wllama);
    let round = 0;
    const create = (request) => {
      asked.push(request);
      return own.chat.completions.create({ max_tokens: 400, ...change(request, round++) });
    };
    return { ...own, chat: { completions: { create } } };
  };
  const inputs = [];
  const weather = glove.defineTool({
    name: "weather",
    description: "Tells the weather.",
    inputSchema: glove.jsonSchema({ type: "object", properties: { unit: { enum: ["c", "f"] } }, required: ["unit"] }),
    async do(input) {
      inputs.push(input);
      return { status: "success", data: "rain" };
    },
  });
  const session = (createModel, tools = []) => new GloveClient({ createModel, tools, systemPrompt: "You are a test." }).session(crypto.randomUUID());
  const wordsOnly = (request) => ({ ...request, tools: undefined, tool_choice: undefined });
  const endless = (request) => ({ ...wordsOnly(request), ignore_eos: true, max_tokens: 3000 });
  globalThis.parts = { engine, engineModel, textToolsModel, session, weather, inputs, asked, wordsOnly, endless };
`;
const parts =
  "const { engine, engineModel, textToolsModel, session, weather, inputs, asked, wordsOnly, endless } = globalThis.parts; " +
  "inputs.length = asked.length = 0;";

describe("wllama in the page", () => {
  let served: Served;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    const names = ["engine", "wllama", "text-tools"];
    const files = await Promise.all(names.map(async (name) => [`/${name}.js`, await guide(`${name}.ts`)] as const));
    const routes = { "/tiny.gguf": async () => new Response(tinyModel({ context: 8192 })) };
    served = await servePackage(Object.fromEntries(files), routes);
    browser = await openBrowser({ whole: true });
    ({ page, problems } = await openPage(browser, served.url));
    await inPage(page, load);
  });
  afterEach(() => expect(problems).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  const inside = <T>(body: string) => inPage<T>(page, parts + body);

  test("a conversation of two turns streams", async () => {
    const turns = await inside<{ type: string; text: string; pieces: number; usage: object }[]>(`
      const chat = session(() => engineModel(engine(wordsOnly), "tiny"));
      const turns = [];
      for (const text of ["Good morning.", "And now?"]) {
        const seen = new Set();
        const undo = chat.subscribe(() => seen.add(chat.getSnapshot().streamingText));
        const { type, text: said, usage } = await chat.sendMessage(text);
        undo();
        turns.push({ type, text: said, pieces: seen.size, usage });
      }
      return turns;
    `);
    expect(turns).toHaveLength(2);
    for (const { type, text, pieces, usage } of turns) {
      expect({ type, text }).toEqual({ type: "completed", text: expect.stringMatching(/\w/) });
      expect(pieces).toBeGreaterThan(2);
      expect(usage).toEqual({ tokens_in: expect.any(Number), tokens_out: expect.any(Number) });
    }
  });

  test("a tool is called, and its result read", async () => {
    const { type, inputs, second, entry } = await inside<{ type: string; inputs: object[]; second: string; entry: object }>(`
      const calling = (request, round) => ({
        ...request,
        tools: request.tools.filter((tool) => tool.function.name === "weather"),
        tool_choice: round === 0 ? "required" : "none",
        parallel_tool_calls: false,
      });
      const chat = session(() => engineModel(engine(calling), "tiny"), [weather]);
      const { type } = await chat.sendMessage("How is the weather?");
      const entry = chat.getSnapshot().timeline.find((entry) => entry.kind === "tool");
      return { type, inputs, second: JSON.stringify(asked[1].messages), entry };
    `);
    expect(type).toBe("completed");
    expect(inputs[0]).toEqual({ unit: expect.stringMatching(/^[cf]$/) });
    expect(entry).toMatchObject({ id: expect.stringMatching(/./), name: "weather", status: "success", output: "rain" });
    expect(second).toContain("rain");
  });

  test("a tool described in words is called by what the model writes", async () => {
    const { type, inputs, tools } = await inside<{ type: string; inputs: object[]; tools: unknown }>(`
      // What the model may write, as llama.cpp takes it: a random one would never keep to the form by itself.
      const grammar = 'root ::= "Action: weather\\\\nAction Input: {\\\\"unit\\\\": \\\\"" [cf] "\\\\"}\\\\n"';
      const steered = (request, round) => (round === 0 ? { ...request, grammar } : request);
      const chat = session(() => textToolsModel(engine(steered), "tiny"), [weather]);
      const { type } = await chat.sendMessage("How is the weather?");
      return { type, inputs, tools: asked[0].tools ?? null };
    `);
    expect({ type, inputs, tools }).toEqual({
      type: "completed",
      inputs: [{ unit: expect.stringMatching(/^[cf]$/) }],
      tools: null,
    });
  });

  test.each(["engineModel", "textToolsModel"])("a stop interrupts the engine, which is free at once: %s", async (model) => {
    const told = await inside<object>(`
      const chat = session(() => ${model}(engine((request, round) => (round === 0 ? endless : wordsOnly)(request)), "tiny"));
      const undo = chat.subscribe(() => {
        if ((chat.getSnapshot().streamingText?.length ?? 0) < 30) return;
        undo();
        chat.abort();
      });
      const stopped = await chat.sendMessage("Go on.");
      const { kind, partial, text } = chat.getSnapshot().timeline.at(-1);
      const since = performance.now();
      const { type } = await chat.sendMessage("Hi.");
      return { stopped, kind, partial, short: text.length < 1000, type, soon: performance.now() - since < 5000 };
    `);
    expect(told).toEqual({
      stopped: { type: "aborted" },
      ...{ kind: "agent_text", partial: true, short: true },
      ...{ type: "completed", soon: true },
    });
  });

  test("two conversations ask one engine at the same time, and a stop of one leaves the other alone", async () => {
    const told = await inside<object>(`
      const first = session(() => engineModel(engine(endless), "tiny"));
      const second = session(() => engineModel(engine((request) => ({ ...endless(request), max_tokens: 300 })), "tiny"));
      const going = [first.sendMessage("Go on."), second.sendMessage("You too.")];
      await until(first, ({ streamingText }) => streamingText?.length > 5);
      await until(second, ({ streamingText }) => streamingText?.length > 5);
      first.abort();
      const [one, two] = await Promise.all(going);
      return { one: one.type, two: two.type, whole: two.text.length > 200 };
    `);
    expect(told).toEqual({ one: "aborted", two: "completed", whole: true });
  });
});
