// What W12 measures in a page: rounds of the loop with one tool, the core in the page or in a worker, each step in memory or in IndexedDB.
import { GloveClient, MemoryStore } from "glove-wasm";

const rounds = 100;
const jsonSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

/** A model that costs nothing and calls the tool in each round. */
function model() {
  let asked = 0;
  return {
    name: "none",
    setSystemPrompt() {},
    async prompt() {
      const n = asked++;
      const message =
        n < rounds
          ? { sender: "agent", text: "", tool_calls: [{ tool_name: "double", input_args: { n }, id: `c${n}` }] }
          : { sender: "agent", text: "Done." };
      return { messages: [message], tokens_in: 1, tokens_out: 1 };
    },
  };
}

/** Milliseconds of a round: the median of some requests, behind two that are not counted. */
export async function perRound({ worker, kept, requests = 9 }) {
  const times = [];
  for (let at = -2; at < requests; at++) {
    let ran = 0;
    const tool = {
      name: "double",
      description: "Doubles.",
      jsonSchema,
      do: ({ n }) => ({ status: "success", data: { n: 2 * n, at: ++ran } }),
    };
    const client = new GloveClient({
      worker,
      createModel: model,
      ...(kept ? { persistSession: true } : { createStore: (id) => new MemoryStore(id) }),
      systemPrompt: "You help.",
      limits: { turns: 1000 },
      tools: [tool],
    });
    const session = client.session(crypto.randomUUID());
    await session.start();
    const since = performance.now();
    await session.sendMessage("Go");
    if (ran !== rounds) throw new Error(`${ran} rounds ran`);
    if (at >= 0) times.push((performance.now() - since) / (rounds + 1));
    client.dispose();
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)];
}
