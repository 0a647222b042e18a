// W3: what one more piece of an answer costs when 100,000 came before it. TanStack AI is not here: its client waits for a timer behind
// each event, so its time is not work.
import { answer, responseOf } from "../streams.mjs";

export const title = "W3 a piece of an answer, 100,000 pieces in";

const pieces = 100_000;
/** Those that count: near the end, but without what the end itself costs. */
const [from, to] = [80_000, 95_000];

/** µs for each of the pieces that count. */
function clock() {
  const [first, last] = [{}, {}];
  const mark = (place, piece) => Object.assign(place, { piece, time: performance.now() });
  return {
    at(piece) {
      if (piece >= from && first.time === undefined) mark(first, piece);
      if (piece >= to && last.time === undefined) mark(last, piece);
    },
    perPiece: () => ((last.time - first.time) * 1000) / (last.piece - first.piece),
  };
}

/** Medians of runs: each is given the clock, and is over when the text is whole. */
async function measured(works) {
  const figures = {};
  for (const [name, work] of Object.entries(works)) {
    const times = [];
    for (let at = 0; at < 4; at++) {
      globalThis.gc?.();
      const one = clock();
      const length = await work(one);
      if (length !== pieces * 5) throw new Error(`${name}: ${length} characters came`);
      if (at > 0) times.push(one.perPiece());
    }
    figures[`${name}, µs`] = times.sort((one, other) => one - other)[1];
  }
  return figures;
}

/** An answer of a protocol in chunks of 64 KiB. */
function streamed(protocol, { at }) {
  const bytes = answer(protocol, pieces);
  return responseOf(bytes, 65_536, (before) => at((before / bytes.length) * pieces));
}

export const contenders = {
  async ours() {
    const { createEndpointModel, createRemoteModel, GloveClient, MemoryStore } = await import("glove-wasm");
    const session = async (model) => {
      const createStore = (id) => new MemoryStore(id);
      const session = new GloveClient({ createModel: () => model, createStore, systemPrompt: "" }).session("s");
      const outcome = await session.sendMessage("Hi");
      session.dispose();
      return outcome.text?.length;
    };
    const text = " word".repeat(pieces);
    return measured({
      "a server's events": (clock) => session(createEndpointModel("/", { fetch: async () => streamed("ours", clock) })),
      "a model in JavaScript": (clock) =>
        session({
          name: "js",
          setSystemPrompt() {},
          async prompt(_request, notify) {
            for (let at = 0; at < pieces; at++) {
              clock.at(at);
              await notify("text_delta", { text: " word" });
            }
            return { messages: [{ sender: "agent", text }], tokens_in: 1, tokens_out: 1 };
          },
        }),
      "a remote model": (clock) =>
        session(
          createRemoteModel("remote", {
            async *promptStream() {
              for (let at = 0; at < pieces; at++) {
                clock.at(at);
                yield { type: "text_delta", text: " word" };
              }
              yield { type: "done", message: { sender: "agent", text }, tokens_in: 1, tokens_out: 1 };
            },
          }),
        ),
    });
  },
  async glove() {
    const { Glove, Displaymanager, MemoryStore } = await import("glove-core");
    const text = " word".repeat(pieces);
    return measured({
      async "a model in JavaScript"({ at }) {
        const model = {
          name: "js",
          setSystemPrompt() {},
          async prompt(_request, notify) {
            for (let piece = 0; piece < pieces; piece++) {
              at(piece);
              await notify("text_delta", { text: " word" });
            }
            return { messages: [{ sender: "agent", text }], tokens_in: 1, tokens_out: 1 };
          },
        };
        let shown = "";
        const agent = new Glove({
          store: new MemoryStore("s"),
          model,
          displayManager: new Displaymanager(),
          systemPrompt: "",
          compaction_config: { compaction_instructions: "" },
          serverMode: true,
        }).build();
        agent.addSubscriber({
          async record(type, data) {
            if (type === "text_delta") shown += data.text;
          },
        });
        await agent.processRequest("Hi");
        return shown.length;
      },
    });
  },
  async "AI SDK"() {
    const { Chat } = await import("@ai-sdk/react");
    const { DefaultChatTransport } = await import("ai");
    return measured({
      async "a server's events"(clock) {
        const fetch = async () => streamed("ai-sdk", clock);
        const chat = new Chat({ transport: new DefaultChatTransport({ api: "http://localhost/", fetch }) });
        await chat.sendMessage({ text: "Hi" });
        return chat.messages.at(-1).parts.at(-1).text.length;
      },
    });
  },
};
