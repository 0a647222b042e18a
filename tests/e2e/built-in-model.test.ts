// The browser's own model: against the Prompt API of this Chromium, which has no engine here, and against a stand-in for one.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { servePackage } from "../support/pages.js";
import { promptApi } from "../support/prompt-api.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;

beforeAll(async () => {
  browser = await openBrowser({ whole: true });
  server = await servePackage();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const prelude = `
  const { GloveClient, createBuiltInModel } = await import("/pkg/src/index.js");
  const told = (error) => ({ code: error.code, message: error.message });
  const ran = [];
  const look = { name: "look", description: "Looks.", jsonSchema: { type: "object", properties: { at: { type: "string" } } },
    do: async (input) => { ran.push(input); return { status: "success", data: "seen " + input.at }; } };
  let opened = 0;
  const open = (options = {}, config = {}) => {
    const model = createBuiltInModel(options);
    const streamed = [];
    const subscribers = [{ record: (type, data) => void (type === "text_delta" && streamed.push(data.text)) }];
    const session = new GloveClient({ createModel: () => model, systemPrompt: "Be kind.", subscribers, ...config }).session("s" + ++opened);
    return { model, session, streamed };
  };
  const failed = async (session, text = "Hi") => session.sendMessage(text).then(() => "answered", told);
  const texts = (session) => session.getSnapshot().timeline.map((entry) => entry.kind === "tool" ? entry.name + " " + entry.output : entry.text + (entry.partial ? " (cut)" : ""));
`;

/** Runs a body in a fresh page, with the stand-in unless told otherwise. */
async function run<T = unknown>(body: string, { standIn = true } = {}): Promise<T> {
  const { page, problems } = await openPage(browser, server.url);
  const result = (await page.evaluate(`(async () => { ${standIn ? promptApi : ""} ${prelude} ${body} })()`)) as T;
  // The browser itself reports that it has no engine. Failures of the model are in the console, each once.
  if (standIn) expect(problems.filter((text) => !text.startsWith("MODEL_"))).toEqual([]);
  await page.close();
  return result;
}

test("where the browser has no model, that is told before and when it is asked", async () => {
  // This Chromium has the API, and nothing behind it.
  const here = await run(
    `const { model, session } = open(); return [typeof LanguageModel, await model.availability(), await failed(session)];`,
    { standIn: false },
  );
  expect(here).toEqual([
    "function",
    "unavailable",
    { code: "MODEL_CONFIG", message: expect.stringContaining('says "unavailable"') },
  ]);
  const absent = await run(
    `delete globalThis.LanguageModel; const { model, session } = open();
    return [await model.availability(), await failed(session), await model.load().catch(told)];`,
    { standIn: false },
  );
  const error = { code: "MODEL_CONFIG", message: expect.stringContaining("there is no `LanguageModel` here") };
  expect(absent).toEqual(["unavailable", error, error]);
});

test("a download is watched, and the context is told", async () => {
  const result = await run(`
    api.availability = "downloadable";
    const loaded = [];
    const { model } = open({ onDownload: (part) => loaded.push(part), languages: ["en"], inputs: ["image"] });
    const before = [await model.availability(), model.context === undefined];
    const context = await model.load();
    model.destroy();
    return { before, asked: api.asked, loaded, context, after: [api.live, model.context === undefined] };`);
  const text = { type: "text", languages: ["en"] };
  expect(result).toEqual({
    before: ["downloadable", true],
    asked: { expectedInputs: [text, { type: "image" }], expectedOutputs: [text] },
    loaded: [0, 0.5, 1],
    context: { used: 0, window: 1000 },
    after: [0, true],
  });
});

test("an answer streams, and a conversation goes on in the session that has read it", async () => {
  const result = await run<{ log: Record<string, unknown>[]; streamed: string[] }>(`
    api.script = (prompts) => prompts[0].content === "Hi" ? ["Hel", "lo \\"you\\""] : [{ type: "thought", value: "hm" }, { type: "text", value: "Fine." }];
    const { model, session, streamed } = open();
    const first = await session.sendMessage("Hi");
    await session.sendMessage("And you?");
    return { streamed, usage: first.usage, texts: texts(session), log: api.log, live: api.live, context: model.context };`);
  expect(result).toMatchObject({
    texts: ["Hi", 'Hello "you"', "And you?", "Fine."],
    usage: { tokens_in: expect.any(Number), tokens_out: 2 },
    log: [
      { create: [{ role: "system", content: "Be kind." }] },
      { prompts: [{ role: "user", content: "Hi" }], signal: true },
      { prompts: [{ role: "user", content: "And you?" }] },
    ],
    live: 1,
    context: { window: 1000 },
  });
  expect(result.streamed.join("")).toBe('Hello "you"Fine.');
  expect(result.log).toHaveLength(3);
});

test("a tool is chosen by a schema, runs, and its result is told; of the object nothing shows", async () => {
  const result = await run<{ streamed: string[]; log: { responseConstraint?: unknown }[] }>(`
    const answers = [['{"tool":"lo', 'ok","argu', 'ments":{"at":"sea"}}'], ['{"ans', 'wer": "It\\\\u', '0301 is\\\\n\\\\', '"blue\\\\"', '."}']];
    api.script = () => answers.shift();
    const { session, streamed } = open({}, { tools: [look] });
    const outcome = await session.sendMessage("Look!");
    return { text: outcome.text, ran, streamed, log: api.log, texts: texts(session) };`);
  const object = (properties: object) => ({
    ...{ type: "object", properties, required: Object.keys(properties) },
    additionalProperties: false,
  });
  const input = { type: "object", properties: { at: { type: "string" } } };
  expect(result).toMatchObject({
    text: 'It\u0301 is\n"blue".',
    ran: [{ at: "sea" }],
    texts: ["Look!", "look seen sea", 'It\u0301 is\n"blue".'],
    log: [
      {
        create: [
          { role: "system", content: expect.stringMatching(/^Be kind\.\n\nAnswer with one JSON object.*\n- look: Looks\./s) },
        ],
      },
      { prompts: [{ role: "user", content: "Look!" }], omitResponseConstraintInput: true },
      { prompts: [{ role: "user", content: "Result of look: seen sea" }] },
    ],
  });
  const call = object({ tool: { type: "string", enum: ["look"] }, arguments: input });
  expect(result.log[1]?.responseConstraint).toEqual({ anyOf: [object({ answer: { type: "string" } }), call] });
  expect(result.streamed.join("")).toBe('It\u0301 is\n"blue".');
});

test("a schema that the browser does not know gives way to a looser one", async () => {
  const result = await run(`
    api.script = (_, { responseConstraint }) => {
      if (responseConstraint.anyOf[1].properties.arguments.properties) throw new DOMException("no", "NotSupportedError");
      return '{"answer":"ok"}';
    };
    const { session } = open({}, { tools: [look] });
    return [(await session.sendMessage("Hi")).text, api.log.filter((entry) => entry.create).length];`);
  expect(result).toEqual(["ok", 1]);
});

test("what is cut or malformed is an error, and no tool runs", async () => {
  const codes = await run(`
    const codes = [];
    for (const text of ['{"tool":"look","arguments":{"at":"s', '{"tool":"look"}', 'Action', 'null', '{"answer":5}', '']) {
      api.script = () => text;
      const { session } = open({}, { tools: [look] });
      codes.push((await failed(session)).code);
      session.dispose();
    }
    return [codes, ran, api.live];`);
  expect(codes).toEqual([Array(6).fill("MODEL_BAD_RESPONSE"), [], 0]);
});

test("stopping ends the model's work, keeps what was shown, and the next message begins from the record", async () => {
  const result = await run(`
    api.script = (prompts) => prompts.at(-1).content === "Go" ? ["Once", " upon", undefined] : ["Yes."];
    const { session } = open();
    const stopped = async (session) => {
      const asked = session.sendMessage("Go");
      await new Promise((resolve) => { const undo = session.subscribe(() => session.getSnapshot().streamingText.includes("upon") && (undo(), resolve())); });
      const since = performance.now();
      session.stop();
      return { outcome: await asked, took: performance.now() - since };
    };
    const { outcome, took } = await stopped(session);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const live = api.live;
    await session.sendMessage("Still there?");
    const whole = { outcome, live, texts: texts(session), creates: api.log.filter((entry) => entry.create).length };
    const times = [took];
    while (times.length < 5) times.push((await stopped(session)).took);
    return { ...whole, times };`);
  expect(result).toMatchObject({
    outcome: { type: "aborted" },
    live: 0,
    texts: ["Go", "Once upon (cut)", "Still there?", "Yes."],
    creates: 2,
  });
  // The median: anything may run in the middle of one.
  const { times } = result as { times: number[] };
  expect(times.sort((one, other) => one - other)[2]).toBeLessThan(50);
});

test("what the browser refuses has a code and says what to do", async () => {
  const result = await run<Record<string, { code: string; message: string }>>(`
    const codes = {};
    for (const name of ["NotAllowedError", "NetworkError", "QuotaExceededError", "NotSupportedError", "OperationError"]) {
      api.refuse = new DOMException("because", name);
      codes["create " + name] = await failed(open().session);
      api.refuse = undefined;
      api.script = () => { throw new DOMException("because", name); };
      codes["prompt " + name] = await failed(open().session);
    }
    return codes;`);
  for (const when of ["create", "prompt"]) {
    const code = (name: string) => result[`${when} ${name}`]?.code;
    expect(code("NotAllowedError")).toBe("MODEL_CONFIG");
    expect(code("NetworkError")).toBe("MODEL_NETWORK");
    expect(code("QuotaExceededError")).toBe("MODEL_CONTEXT_LENGTH");
    expect(code("NotSupportedError")).toBe("MODEL_BAD_REQUEST");
    expect(code("OperationError")).toBe("MODEL_SERVER");
  }
  expect(result["create NotAllowedError"]?.message).toContain("call `load()`");
});

test("an outgrown context is told, under its older names too", async () => {
  for (const old of [false, true]) {
    const result = await run(`
      api.old = ${old}; api.window = 30;
      let overflows = 0;
      const { model, session } = open({ onOverflow: () => overflows++ });
      api.script = () => "a b c d";
      for (let n = 0; n < 8; n++) await session.sendMessage("message number " + n);
      const error = await failed(session, "word ".repeat(40));
      return [overflows > 0, error.code, model.context === undefined];`);
    expect(result).toEqual([true, "MODEL_CONTEXT_LENGTH", true]);
  }
});

test("images are handed over where they are wanted, and are a note elsewhere", async () => {
  const contents = await run(`
    const contents = [];
    for (const inputs of [["image"], []]) {
      api.script = (prompts) => { contents.push(prompts[0].content.map(({ type, value }) => [type, value.type ?? value])); return "ok"; };
      await open({ inputs }).session.sendMessage({ text: "See", images: [{ data: btoa("x"), media_type: "image/png" }] });
    }
    return contents;`);
  expect(contents).toEqual([
    [
      ["text", "See"],
      ["image", "image/png"],
    ],
    [
      ["text", "See"],
      ["text", "[image attachment: image/png]"],
    ],
  ]);
});
