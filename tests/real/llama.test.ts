// llama.cpp's own server with a random model: what it takes, what it answers, what it refuses.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  type CreateAdapterOptions,
  createAdapter,
  createEndpointModel,
  defineTool,
  GloveClient,
  type GloveClientConfig,
  type GloveSession,
  jsonSchema,
} from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";
import { callsOnce, type Llama, llamaFolder, openLlama, type Steered, steered } from "./llama.js";

/** The APIs that the server speaks. */
const formats = ["openai_chat", "openai_responses", "anthropic"] as const;
type Format = (typeof formats)[number];
const ways = formats.flatMap((format) => [true, false].map((stream) => ({ format, stream })));

const weather = { type: "object", properties: { city: { type: "string", maxLength: 12 }, unit: { enum: ["c", "f"] } } };

describe.skipIf(!llamaFolder)("llama.cpp's server", () => {
  let llama: Llama;
  beforeAll(async () => {
    llama = await openLlama();
  });
  afterAll(() => llama?.close());

  function adapter(format: Format, options: Partial<CreateAdapterOptions> = {}) {
    const its =
      format === "anthropic"
        ? { provider: "anthropic" as const, baseURL: llama.url }
        : { provider: "openai" as const, baseURL: `${llama.url}/v1` };
    return createAdapter({ ...its, format, apiKey: "none", model: "tiny", maxTokens: 300, ...options });
  }

  function session(
    format: Format,
    options: Partial<CreateAdapterOptions> = {},
    config: Partial<GloveClientConfig> = {},
  ): GloveSession {
    const client = new GloveClient({ createModel: () => adapter(format, options), systemPrompt: "You are a test.", ...config });
    return client.session("s");
  }

  /** A tool that keeps what it was called with. */
  function lookedUp(inputSchema: object) {
    const inputs: unknown[] = [];
    const tool = defineTool({
      name: "weather",
      description: "Tells the weather.",
      inputSchema: jsonSchema(inputSchema as never),
      async do(input: unknown) {
        inputs.push(input);
        return { status: "success", data: "rain" };
      },
    });
    return { inputs, tools: [tool] };
  }

  test.each(ways)("answers a conversation of two turns: $format, stream $stream", async ({ format, stream }) => {
    const { fetch, asked } = steered((body) => ({ ...body, tools: undefined }));
    const chat = session(format, { stream, fetch });
    const pieces: string[] = [];
    chat.subscribe(() => pieces.push(chat.getSnapshot().streamingText ?? ""));
    for (const text of ["Good morning.", "And now?"]) {
      const outcome = await chat.sendMessage(text);
      if (outcome.type !== "completed") throw new Error(outcome.type);
      expect(outcome.text).toMatch(/\w/);
      expect(outcome.usage).toMatchObject({ tokens_in: expect.any(Number), tokens_out: expect.any(Number) });
      expect(outcome.usage.tokens_out).toBeGreaterThan(1);
    }
    expect(asked).toHaveLength(2);
    expect(chat.getSnapshot().timeline.map(({ kind }) => kind)).toEqual(["user", "agent_text", "user", "agent_text"]);
  });

  test.each(ways)("calls a tool and reads its result: $format, stream $stream", async ({ format, stream }) => {
    const { fetch, asked } = steered(callsOnce);
    const { inputs, tools } = lookedUp({ ...weather, required: ["city", "unit"], additionalProperties: false });
    const chat = session(format, { stream, fetch, maxTokens: 1000 }, { tools });
    const outcome = await chat.sendMessage("How is the weather?");
    expect(outcome).toMatchObject({ type: "completed", text: expect.stringMatching(/\w/) });
    expect(inputs[0]).toEqual({ city: expect.any(String), unit: expect.stringMatching(/^[cf]$/) });
    const calls = chat.getSnapshot().timeline.filter((entry) => entry.kind === "tool");
    expect(calls[0]).toMatchObject({ name: "weather", status: "success", output: "rain", input: inputs[0] });
    expect(JSON.stringify(asked[1])).toContain("rain");
  });

  // The server makes a grammar of each schema, and refuses what it cannot read.
  test.each([
    ["a union at the root", { anyOf: [weather, { type: "object", properties: { all: { const: true } }, required: ["all"] }] }],
    [
      "references and a list of themselves",
      {
        type: "object",
        properties: { tree: { $ref: "#/$defs/node" } },
        required: ["tree"],
        $defs: {
          node: {
            type: "object",
            properties: { kind: { enum: ["leaf"] }, children: { type: "array", maxItems: 1, items: { $ref: "#/$defs/node" } } },
            required: ["kind"],
            additionalProperties: false,
          },
        },
      },
    ],
    [
      "a closed tuple",
      {
        type: "object",
        properties: { at: { type: "array", prefixItems: [{ enum: [1] }, { enum: [1] }], minItems: 2, items: false } },
        required: ["at"],
      },
    ],
    ["schemas that are true and false", { type: "object", properties: { any: true, none: false } }],
    ["no properties at all", { type: "object", properties: {} }],
    [
      "words that may be missing",
      { type: "object", properties: { unit: { type: ["string", "null"], enum: ["c", null] } }, required: ["unit"] },
    ],
    [
      "a pattern, lengths and bounds",
      {
        type: "object",
        properties: { code: { type: "string", pattern: "^[a-c]{2}$" }, n: { type: "integer", minimum: 1, maximum: 9 } },
        required: ["code", "n"],
      },
    ],
    [
      "several forms at once",
      {
        type: "object",
        properties: { unit: { oneOf: [{ const: "c" }, { const: 7 }] } },
        required: ["unit"],
        additionalProperties: false,
      },
    ],
  ])("takes a tool whose schema has %s", async (_, schema) => {
    const { fetch } = steered(callsOnce);
    const { inputs, tools } = lookedUp(schema);
    const chat = session("openai_chat", { fetch, maxTokens: 1500 }, { tools });
    expect(await chat.sendMessage("Go.")).toMatchObject({ type: "completed" });
    expect(inputs.length).toBeGreaterThan(0);
    expect(chat.getSnapshot().timeline).toContainEqual(expect.objectContaining({ kind: "tool", status: "success" }));
  });

  test("a tool described in words is called by what the model writes", async () => {
    // What the model may write, as the server takes it: a random one would never keep to the form by itself.
    const grammar = 'root ::= "Action: weather\nAction Input: {\\"city\\": \\"" [a-z]{3,9} "\\", \\"unit\\": \\"c\\"}\n"';
    const { fetch, asked } = steered((body, round) => (round === 0 ? { ...body, grammar } : body));
    const { inputs, tools } = lookedUp({ ...weather, required: ["city"] });
    const chat = session("openai_chat", { fetch, toolUse: "text" }, { tools });
    expect(await chat.sendMessage("Go.")).toMatchObject({ type: "completed" });
    expect(inputs).toEqual([{ city: expect.stringMatching(/^[a-z]{3,9}$/), unit: "c" }]);
    expect(asked[0].tools).toBeUndefined();
  });

  test("an answer that a stop sequence ends is whole", async () => {
    const { fetch, asked } = steered((body) => ({ ...body, stop: ["a", "e", "k"] }));
    const chat = session("openai_chat", { fetch, toolUse: "text" });
    const outcome = await chat.sendMessage("Hi.");
    if (outcome.type !== "completed") throw new Error(outcome.type);
    expect(outcome.text).not.toMatch(/[aek]/);
    expect(asked).toHaveLength(1);
  });

  test.each(formats)("a stop in mid-stream lets the server go: %s", async (format) => {
    const endless = await openLlama({ n_ctx: 65_536, sampling: { ignore_eos: true } }, { context: 65_536 });
    try {
      const baseURL = format === "anthropic" ? endless.url : `${endless.url}/v1`;
      const { fetch } = steered((body) => ({ ...body, tools: undefined }));
      const chat = session(format, { fetch, baseURL, maxTokens: 60_000 });
      const busy = async () => {
        const slots = (await (await globalThis.fetch(`${endless.url}/slots`)).json()) as { is_processing: boolean }[];
        return slots.some((slot) => slot.is_processing);
      };
      let worked = false;
      const undo = chat.subscribe(async () => {
        if ((chat.getSnapshot().streamingText?.length ?? 0) < 50) return;
        undo();
        worked = await busy();
        chat.abort();
      });
      expect(await chat.sendMessage("Go on.")).toEqual({ type: "aborted" });
      expect(worked).toBe(true);
      await expect.poll(busy, { timeout: 2000 }).toBe(false);
      expect(chat.getSnapshot().timeline.at(-1)).toMatchObject({ kind: "agent_text", partial: true });
    } finally {
      await endless.close();
    }
  });

  test.each(ways)("a conversation that is too long is known as such: $format, stream $stream", async ({ format, stream }) => {
    await expect(session(format, { stream }).sendMessage("word ".repeat(3000))).rejects.toMatchObject({
      ...{ code: "MODEL_CONTEXT_LENGTH", status: 400 },
      message: expect.stringContaining("exceeds the available context size (4096 tokens)"),
    });
  });

  test("a wrong path is told in the server's words", async () => {
    await expect(session("openai_chat", { baseURL: `${llama.url}/v2` }).sendMessage("Hi.")).rejects.toMatchObject({
      ...{ code: "MODEL_BAD_REQUEST", status: 404 },
      message: expect.stringContaining("File Not Found"),
    });
  });

  test("a server that is gone is a network's failure", async () => {
    const gone = session("openai_chat", { baseURL: "http://127.0.0.1:9/v1", policy: { maxRetries: 0 } });
    await expect(gone.sendMessage("Hi.")).rejects.toMatchObject({ code: "MODEL_NETWORK" });
  });

  test("a server of one model answers for whatever name", async () => {
    const { fetch } = steered((body) => ({ ...body, tools: undefined }));
    expect(await session("openai_chat", { model: "no-such-model", fetch }).sendMessage("Hi.")).toMatchObject({
      type: "completed",
    });
  });

  test("a key is asked for, and a wrong one refused", async () => {
    const locked = await openLlama({ api_keys: ["right"] });
    try {
      for (const format of formats) {
        const baseURL = format === "anthropic" ? locked.url : `${locked.url}/v1`;
        const { fetch } = steered((body) => ({ ...body, tools: undefined }));
        const wrong = session(format, { baseURL, fetch, apiKey: "sk-wrong-4711" }).sendMessage("Hi.");
        await expect(wrong).rejects.toMatchObject({
          code: "MODEL_AUTHENTICATION",
          status: 401,
          message: expect.not.stringContaining("4711"),
        });
        const right = await session(format, { baseURL, fetch, apiKey: "right" }).sendMessage("Hi.");
        expect(right).toMatchObject({ type: "completed" });
      }
    } finally {
      await locked.close();
    }
  });

  test("native programs talk to it as pages do", async () => {
    const options = ["--workspace", "--all-features", ...(process.env.CI ? ["--locked"] : [])];
    const env = { ...process.env, GLOVE_LLAMA_URL: llama.url };
    await promisify(execFile)("cargo", ["test", ...options, "--test", "native_llama"], { cwd: root, env });
  }, 300_000);

  describe("behind a chat handler", () => {
    async function behind(format: Format, { fetch }: Steered, options: { toolUse?: "text" } = {}) {
      const baseURL = format === "anthropic" ? llama.url : `${llama.url}/v1`;
      const provider = format === "anthropic" ? "anthropic" : "openai";
      const given = { provider, format, baseURL, apiKey: "none", model: "tiny", maxTokens: 1000, fetch, ...options } as const;
      return serve(root, { routes: { "/api/chat": createChatHandler(given) } });
    }

    test.each(formats)("a session talks, calls a tool and goes on: %s", async (format) => {
      const served = await behind(format, steered(callsOnce));
      try {
        const { inputs, tools } = lookedUp({ ...weather, required: ["city", "unit"] });
        const createModel = () => createEndpointModel(`${served.url}/api/chat`);
        const chat = new GloveClient({ createModel, systemPrompt: "You are a test.", tools }).session("s");
        for (const text of ["How is the weather?", "And tomorrow?"]) {
          expect(await chat.sendMessage(text)).toMatchObject({ type: "completed", text: expect.stringMatching(/\w/) });
        }
        expect(inputs[0]).toMatchObject({ city: expect.any(String), unit: expect.stringMatching(/^[cf]$/) });
      } finally {
        await served.close();
      }
    });

    test("a conversation that is too long is known as such to the client", async () => {
      const served = await behind(
        "openai_chat",
        steered((body) => body),
      );
      try {
        const chat = new GloveClient({ endpoint: `${served.url}/api/chat`, systemPrompt: "You are a test." }).session("s");
        await expect(chat.sendMessage("word ".repeat(3000))).rejects.toMatchObject({ code: "MODEL_CONTEXT_LENGTH" });
      } finally {
        await served.close();
      }
    });
  });
});
