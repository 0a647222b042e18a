// W2: a round of the loop: the model costs nothing and calls one JavaScript tool, again and again in one request.
export const title = "W2 a round of the loop, one tool, a model that costs nothing";

const rounds = 100;
const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

/** µs of a round, from requests of a hundred; the first ones are not counted. */
async function perRound(request, requests = 20) {
  for (let at = 0; at < 5; at++) await request();
  const since = performance.now();
  const cpu = process.cpuUsage();
  for (let at = 0; at < requests; at++) {
    if ((await request()) !== rounds) throw new Error("not every round was run");
  }
  const { user, system } = process.cpuUsage(cpu);
  const all = requests * (rounds + 1);
  return { "a round, µs": ((performance.now() - since) * 1000) / all, "a round, µs of CPU": (user + system) / all };
}

/** A model that calls the tool in each round, and the tool that counts. */
function counted() {
  const state = { asked: 0, ran: 0 };
  const next = () => (state.asked++ < rounds ? state.asked : undefined);
  const run = ({ n }) => {
    state.ran++;
    return { doubled: n * 2 };
  };
  return { state, next, run };
}

/** Ours and glove's models have the same form. */
const gloveModel = (next) => ({
  name: "none",
  setSystemPrompt() {},
  async prompt() {
    const n = next();
    const message =
      n === undefined
        ? { sender: "agent", text: "Done." }
        : { sender: "agent", text: "", tool_calls: [{ tool_name: "double", input_args: { n }, id: `c${n}` }] };
    return { messages: [message], tokens_in: 1, tokens_out: 1 };
  },
});

export const contenders = {
  async bare() {
    return perRound(async () => {
      const { state, next, run } = counted();
      const messages = [{ role: "user", text: "Go" }];
      const model = async () => JSON.stringify({ n: next() });
      for (;;) {
        const args = JSON.parse(await model(messages));
        if (args.n === undefined) return state.ran;
        messages.push({ role: "agent", args });
        messages.push({ role: "tool", text: JSON.stringify(await run(args)) });
      }
    });
  },
  async ours() {
    const { GloveClient, MemoryStore } = await import("glove-wasm");
    return perRound(async () => {
      const { state, next, run } = counted();
      const client = new GloveClient({
        createModel: () => gloveModel(next),
        createStore: (id) => new MemoryStore(id),
        systemPrompt: "You help.",
        limits: { turns: 1000 },
        tools: [
          {
            name: "double",
            description: "Doubles.",
            jsonSchema: schema,
            do: async (args) => ({ status: "success", data: run(args) }),
          },
        ],
      });
      const session = client.session("s");
      await session.sendMessage("Go");
      session.dispose();
      return state.ran;
    });
  },
  async glove() {
    const { Glove, Displaymanager, MemoryStore } = await import("glove-core");
    const { z } = await import("zod");
    return perRound(async () => {
      const { state, next, run } = counted();
      const agent = new Glove({
        store: new MemoryStore("s"),
        model: gloveModel(next),
        displayManager: new Displaymanager(),
        systemPrompt: "You help.",
        compaction_config: { compaction_instructions: "", max_turns: 1000 },
        serverMode: true,
      })
        .fold({
          name: "double",
          description: "Doubles.",
          inputSchema: z.object({ n: z.number() }),
          do: async (args) => ({ status: "success", data: run(args) }),
        })
        .build();
      await agent.processRequest("Go");
      return state.ran;
    });
  },
  async "AI SDK"() {
    const { jsonSchema, stepCountIs, streamText, tool } = await import("ai");
    const { MockLanguageModelV4, simulateReadableStream } = await import("ai/test");
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return perRound(async () => {
      const { state, next, run } = counted();
      const parts = () => {
        const n = next();
        if (n === undefined) {
          return [
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: "Done." },
            { type: "text-end", id: "t" },
            { type: "finish", finishReason: { unified: "stop" }, usage },
          ];
        }
        return [
          { type: "tool-call", toolCallId: `c${n}`, toolName: "double", input: JSON.stringify({ n }) },
          { type: "finish", finishReason: { unified: "tool-calls" }, usage },
        ];
      };
      const model = new MockLanguageModelV4({
        doStream: async () => ({
          stream: simulateReadableStream({
            chunks: [{ type: "stream-start", warnings: [] }, ...parts()],
            initialDelayInMs: null,
            chunkDelayInMs: null,
          }),
        }),
      });
      const double = tool({ description: "Doubles.", inputSchema: jsonSchema(schema), execute: async (args) => run(args) });
      const result = streamText({ model, prompt: "Go", tools: { double }, stopWhen: stepCountIs(1000) });
      await result.consumeStream();
      return state.ran;
    });
  },
  async TanStack() {
    const { chat, maxIterations, toolDefinition } = await import("@tanstack/ai");
    return perRound(async () => {
      const { state, next, run } = counted();
      const adapter = {
        kind: "text",
        name: "none",
        model: "none",
        async *chatStream({ runId = "r", threadId = "t" }) {
          const n = next();
          const base = { timestamp: 0, model: "none" };
          yield { type: "RUN_STARTED", runId, threadId, ...base };
          if (n === undefined) {
            yield { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", ...base };
            yield { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Done.", ...base };
            yield { type: "TEXT_MESSAGE_END", messageId: "m", ...base };
            yield { type: "RUN_FINISHED", runId, threadId, finishReason: "stop", ...base };
            return;
          }
          const toolCallId = `c${n}`;
          yield { type: "TOOL_CALL_START", toolCallId, toolCallName: "double", toolName: "double", ...base };
          yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ n }), ...base };
          yield { type: "TOOL_CALL_END", toolCallId, toolCallName: "double", toolName: "double", ...base };
          yield { type: "RUN_FINISHED", runId, threadId, finishReason: "tool_calls", ...base };
        },
      };
      const double = toolDefinition({ name: "double", description: "Doubles.", inputSchema: schema }).server(async (args) =>
        run(args),
      );
      const stream = chat({
        adapter,
        messages: [{ role: "user", content: "Go" }],
        tools: [double],
        agentLoopStrategy: maxIterations(1000),
      });
      for await (const _ of stream);
      return state.ran;
    });
  },
};
