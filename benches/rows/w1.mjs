// W1: a streamed answer from the bytes to the whole text, in the protocol of each library and in those of two providers.
import { answer, lengthOf, plainly, responseOf, textOf } from "../streams.mjs";

export const title = "W1 a streamed answer, from the bytes to its text";
/** Each sample is the median of five. */
export const samples = 2;

const sizes = { "64 KiB": 65_536, "1 KiB": 1024, "16 B": 16 };
/** Few events in small chunks: each of them is some chunks then. */
const piecesIn = (size) => (size < 1024 ? 5_000 : 50_000);

/** Whoever takes longer for a tenth of the events is measured with that tenth, and once: all of them in small chunks would take minutes. */
const patienceMs = 200;

/** µs of CPU for each event, by protocol and size of chunks; `read` gives the length of the text that came. */
async function measured(readers) {
  const figures = {};
  for (const [shape, { protocol, read }] of Object.entries(readers)) {
    for (const [name, size] of Object.entries(sizes)) {
      const once = async (pieces) => {
        const bytes = answer(protocol, pieces);
        globalThis.gc?.();
        const cpu = process.cpuUsage();
        const length = await read((onChunk) => responseOf(bytes, size, onChunk));
        const { user, system } = process.cpuUsage(cpu);
        if (length !== lengthOf(pieces)) throw new Error(`${shape}: ${length} characters came`);
        return (user + system) / pieces;
      };
      const pieces = piecesIn(size);
      await once(pieces / 10);
      const since = performance.now();
      const times = [await once(pieces / 10)];
      if (performance.now() - since < patienceMs) {
        await once(pieces);
        times.length = 0;
        for (let at = 0; at < 5; at++) times.push(await once(pieces));
      }
      times.sort((one, other) => one - other);
      figures[`${shape}, ${name}, µs of CPU an event`] = times[Math.floor(times.length / 2)];
    }
  }
  return figures;
}

export const contenders = {
  bare() {
    const plain = (protocol) => ({
      protocol,
      read: async (response) => (await plainly(response(), textOf[protocol])).length,
    });
    return measured({ "own protocol": plain("ours"), Anthropic: plain("anthropic"), OpenAI: plain("openai") });
  },
  async ours() {
    const { createAdapter, createEndpointModel, GloveClient, MemoryStore } = await import("glove-wasm");
    const reading = (createModel) => async (response) => {
      const createStore = (id) => new MemoryStore(id);
      const session = new GloveClient({
        createModel: () => createModel(async () => response()),
        createStore,
        systemPrompt: "",
      }).session("s");
      const outcome = await session.sendMessage("Hi");
      session.dispose();
      return outcome.text?.length;
    };
    const provider = (provider, model) => (fetch) =>
      createAdapter({ provider, model, apiKey: "k", dangerouslyAllowBrowser: true, fetch });
    return measured({
      "own protocol": { protocol: "ours", read: reading((fetch) => createEndpointModel("/", { fetch })) },
      Anthropic: { protocol: "anthropic", read: reading(provider("anthropic", "claude-sonnet-4-5")) },
      OpenAI: {
        protocol: "openai",
        read: reading((fetch) =>
          createAdapter({
            provider: "openai",
            format: "openai_chat",
            model: "gpt-4.1",
            apiKey: "k",
            dangerouslyAllowBrowser: true,
            fetch,
          }),
        ),
      },
    });
  },
  async glove() {
    let respond;
    globalThis.fetch = async () => respond();
    const { OpenAICompatAdapter } = await import("glove-core/models/openai-compat");
    const model = new OpenAICompatAdapter({
      baseURL: "http://localhost/",
      apiKey: "k",
      model: "gpt",
      stream: true,
      systemPrompt: "",
    });
    const read = async (response) => {
      respond = response;
      let length = 0;
      const listen = async (type, { text }) => {
        if (type === "text_delta") length += text.length;
      };
      await model.prompt({ messages: [{ sender: "user", text: "Hi" }], tools: [] }, listen);
      return length;
    };
    return measured({ OpenAI: { protocol: "openai", read } });
  },
  async "AI SDK"() {
    const { DefaultChatTransport, streamText } = await import("ai");
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const own = async (response) => {
      const transport = new DefaultChatTransport({ api: "http://localhost/", fetch: async () => response() });
      let length = 0;
      const chunks = await transport.sendMessages({ chatId: "c", trigger: "submit-message", messages: [] });
      for await (const chunk of chunks) if (chunk.type === "text-delta") length += chunk.delta.length;
      return length;
    };
    const reading = (model) => async (response) => {
      const { textStream } = streamText({ model: model(async () => response()), prompt: "Hi" });
      let length = 0;
      for await (const text of textStream) length += text.length;
      return length;
    };
    return measured({
      "own protocol": { protocol: "ai-sdk", read: own },
      Anthropic: { protocol: "anthropic", read: reading((fetch) => createAnthropic({ apiKey: "k", fetch })("claude")) },
      OpenAI: {
        protocol: "openai",
        read: reading((fetch) => createOpenAICompatible({ name: "o", baseURL: "http://localhost", apiKey: "k", fetch })("gpt")),
      },
    });
  },
  async TanStack() {
    const { fetchServerSentEvents } = await import("@tanstack/ai-client");
    const read = async (response) => {
      const connection = fetchServerSentEvents("http://localhost/", { fetchClient: async () => response() });
      let length = 0;
      for await (const event of connection.connect([])) if (event.delta) length += event.delta.length;
      return length;
    };
    return measured({ "own protocol": { protocol: "tanstack", read } });
  },
};
