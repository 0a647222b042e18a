// What an application or a model gets wrong: each is a sentence with a code, and the session goes on.
import { defineTool, GloveClient, type GloveSession, type ToolConfig } from "glove-wasm";
import { expect, test } from "vitest";
import { z } from "zod";
import { scene, texts, until } from "../support/session.js";

const call = (name: string, input: unknown = {}) => ({ toolCalls: [{ name, input }] });
const plain = (name: string, work: ToolConfig["do"]): ToolConfig => ({ name, description: "", jsonSchema: {}, do: work });

const ask = defineTool({
  name: "ask",
  description: "",
  inputSchema: z.object({}),
  displayPropsSchema: z.object({ text: z.string() }),
  resolveSchema: z.number(),
  do: (_, display) => display.pushAndWait({ text: "How many?" }),
});

const circle: Record<string, unknown> = {};
circle.itself = circle;

/** What is wrong, what is done about it, and what is told: a part of the call's output, or the code of an error. */
interface Wrong {
  readonly tools?: ToolConfig[];
  readonly calls?: string;
  readonly act?: (session: GloveSession) => unknown;
  readonly told: string | RegExp;
}

const table: Record<string, Wrong> = {
  "a schema whose transform throws": {
    tools: [
      defineTool({
        name: "t",
        description: "",
        inputSchema: z.object({}).transform((): object => {
          throw new Error("no such city");
        }),
        do: () => 1,
      }),
    ],
    calls: "t",
    told: /^t: error .*TOOL_INPUT_INVALID|^t: error .*no such city/,
  },
  "a tool that throws": {
    tools: [
      plain("t", () => {
        throw new TypeError("x is undefined");
      }),
    ],
    calls: "t",
    told: /^t: error .*x is undefined/,
  },
  "a result with a BigInt deep inside": {
    tools: [plain("t", () => ({ rows: [{ id: 1n }] }))],
    calls: "t",
    told: /^t: error .*The result of t: data\.rows\[0\]\.id is a BigInt/,
  },
  "a result that holds itself": {
    tools: [plain("t", () => circle)],
    calls: "t",
    told: /^t: error .*data\.itself is a circular reference/,
  },
  "a tool that succeeds with a message and a summary that are no texts": {
    tools: [plain("t", () => ({ status: "success", data: "done", message: { n: 1 }, summary: { n: 1 } }))],
    calls: "t",
    told: /^t: success done$/,
  },
  "a tool whose summary is no text": {
    tools: [
      { ...plain("t", () => ({ status: "success", data: "done" })), generateToolSummary: () => ({ n: 1 }) as unknown as string },
    ],
    calls: "t",
    told: /^t: success done$/,
  },
  "a tool that fails with a message that is no text": {
    tools: [plain("t", () => ({ status: "error", data: null, message: { code: 5 } }))],
    calls: "t",
    told: /^t: error .*\{"code":5\}/,
  },
  "a tool that throws an error whose message is no text": {
    tools: [plain("t", () => Promise.reject(Object.assign(new Error(), { message: { code: 5 } })))],
    calls: "t",
    told: /^t: error .*\{"code":5\}/,
  },
  "a tool that throws what cannot be read": {
    tools: [
      plain("t", () => {
        throw Object.defineProperty(new Error(), "message", {
          get() {
            throw new Error("trap");
          },
        });
      }),
    ],
    calls: "t",
    told: /^t: error .*an unprintable value/,
  },
  "a tool that shows what its schema refuses": {
    tools: [{ ...ask, do: (_, display) => display.pushAndWait({ input: { text: 7 } }) }],
    calls: "ask",
    told: /^ask: error .*does not match the schema of the renderer .*: text/,
  },
  "a tool that nobody made": { calls: "nowhere", told: /^nowhere: error No tool called nowhere exists/ },
  "a question answered with the wrong type": {
    tools: [ask],
    calls: "ask",
    async act(session) {
      const { slots } = await until(session, ({ slots }) => slots.length === 1);
      const id = slots[0]?.id ?? "";
      expect(session.resolveSlot(id, "seven")).toBe(false);
      expect(session.getSnapshot().slots[0]?.status).toBe("pending");
      expect(session.resolveSlot(id, 7)).toBe(true);
    },
    told: "DISPLAY_WRONG_OUTPUT",
  },
  "a question of the run answered with what might be a yes": {
    tools: [{ ...plain("pay", () => "paid"), requireApproval: true }],
    calls: "pay",
    async act(session) {
      const { slots } = await until(session, ({ slots }) => slots.length === 1);
      const id = slots[0]?.id ?? "";
      for (const answer of ["deny", "false", "once", "ok", { approved: false }, { approved: true }, [], 1])
        expect(session.resolveSlot(id, answer), JSON.stringify(answer)).toBe(false);
      expect(session.getSnapshot().slots[0]?.status).toBe("pending");
      expect(session.resolveSlot(id, "no")).toBe(true);
    },
    told: "DISPLAY_WRONG_OUTPUT",
  },
  "an empty message": {
    act: (session) => expect(session.sendMessage("  ")).rejects.toMatchObject({ code: "MESSAGE_EMPTY" }),
    told: "",
  },
  "ids that nobody knows": {
    async act(session) {
      await session.start();
      expect(session.resolveSlot("nothing", 1)).toBe(false);
      expect(session.rejectSlot("nothing")).toBe(false);
      session.approve("nothing");
      session.reject("nothing");
      expect(await session.undo()).toMatchObject({ type: "undone", steps: 0 });
    },
    told: "",
  },
  "a tool that is there twice": {
    act: (session) =>
      expect(() => session.configure({ tools: [plain("a", () => 1), plain("A", () => 1)] })).toThrow(
        expect.objectContaining({ code: "TOOL_NAME_TAKEN", message: expect.stringContaining("case is ignored") }),
      ),
    told: "",
  },
  "a listener that throws": {
    act: (session) =>
      void session.subscribe(() => {
        throw new Error("a broken screen");
      }),
    told: "LISTENER_FAILED",
  },
  "a subscriber that throws": {
    act: (session) =>
      void session.addSubscriber({
        record: () => {
          throw new Error("a broken log");
        },
      }),
    told: "SUBSCRIBER_FAILED",
  },
};

test.each(Object.entries(table))("%s", async (_, { tools, calls, act, told }) => {
  const { session, events } = scene([...(calls ? [call(calls)] : []), "Well.", "On we go."], { tools });
  const acting = calls ? undefined : await act?.(session);
  const going = session.sendMessage("Hi");
  if (calls) await act?.(session);
  void acting;
  expect((await going).type).toBe("completed");
  if (told instanceof RegExp)
    expect(
      texts(session.getSnapshot()).find((text) => told.test(text)),
      texts(session.getSnapshot()).join("\n"),
    ).toBeTruthy();
  else if (told) expect(events).toContainEqual(["error", { code: told, message: expect.stringMatching(/\w{3}/) }]);
  // The session goes on.
  expect(await session.sendMessage("And?")).toMatchObject({ type: "completed" });
});

test("a model whose counts of tokens are none is believed in its words", async () => {
  const counts = [1.5, "7", Number.NaN, -1, null, 10n] as unknown as number[];
  for (const count of counts) {
    const prompt = async () => ({
      messages: [{ sender: "agent" as const, text: "Fine." }],
      tokens_in: count,
      tokens_out: count,
      cost: count,
    });
    const { session } = scene([], { createModel: () => ({ name: "odd", setSystemPrompt() {}, prompt }) });
    expect(await session.sendMessage("Hi"), String(count)).toMatchObject({ type: "completed", text: "Fine." });
    expect(session.getSnapshot().stats.tokens_in, String(count)).toBe({ 1.5: 2, 7: 7, 10: 10 }[String(count)] ?? 0);
  }
});

test("a client without a model", () => {
  expect(() => new GloveClient({})).toThrow(expect.objectContaining({ code: "CLIENT_CONFIG" }));
});

test("an image of 20 MB is sent, stored and shown, once each", async () => {
  const { session, model } = scene(["A big one.", "Yes."]);
  const image = new File([new Uint8Array(20_000_000)], "big.png", { type: "image/png" });
  expect((await session.sendMessage({ text: "What is it?", files: [image] })).type).toBe("completed");
  const [entry] = session.getSnapshot().timeline;
  expect(entry?.kind === "user" && entry.images?.[0]?.length).toBeGreaterThan(26_000_000);
  expect(model.calls[0]?.messages[0]?.content).toHaveLength(2);
  expect((await session.sendMessage("Sure?")).type).toBe("completed");
}, 120_000);
