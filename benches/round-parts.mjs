// What a round of the loop cannot do without, part by part (`npm run bench -- parts`): µs of CPU, the least of five samples in a process
// that is warm, and how often the border is crossed.
import { GloveClient, init, MemoryStore, Run } from "glove-wasm";

const rounds = 100;
const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const callOf = (n) => ({ tool_name: "double", input_args: { n }, id: `c${n}` });

/** How often the border is crossed, each way; counted in a process of its own, as that costs too. */
const counts = process.argv.includes("count") && { in: 0, out: 0 };
if (counts) {
  const counting = (functions, way) =>
    Object.fromEntries(
      Object.entries(functions).map(([name, given]) => [
        name,
        typeof given === "function"
          ? (...args) => {
              counts[way]++;
              return given(...args);
            }
          : given,
      ]),
    );
  const construct = (Instance, [module, imports = {}]) => {
    const outer = Object.entries(imports).map(([from, all]) => [from, counting(all, "out")]);
    return { exports: counting(new Instance(module, Object.fromEntries(outer)).exports, "in") };
  };
  WebAssembly.Instance = new Proxy(WebAssembly.Instance, { construct });
}
await init();

class Nothing extends MemoryStore {
  async appendStepText() {}
  async readRunText() {
    return '{"messages":[],"records":[]}';
  }
}

function session(createStore) {
  return async () => {
    let asked = 0;
    const model = {
      name: "none",
      setSystemPrompt() {},
      async prompt() {
        const message = asked++ < rounds ? { text: "", tool_calls: [callOf(asked)] } : { text: "Done." };
        return { messages: [{ sender: "agent", ...message }], tokens_in: 1, tokens_out: 1 };
      },
    };
    const tool = {
      name: "double",
      description: "Doubles.",
      jsonSchema: schema,
      do: async ({ n }) => ({ status: "success", data: 2 * n }),
    };
    const config = { createModel: () => model, createStore, systemPrompt: "You help.", limits: { turns: 1000 }, tools: [tool] };
    const one = new GloveClient(config).session("s");
    await one.sendMessage("Go");
    one.dispose();
  };
}

/** The decisions of a round and nothing else: what happened goes in as JSON, what is to be done comes out. */
async function machine() {
  const run = new Run({ tools: [{ name: "double" }], limits: { turns: 1000 } });
  const next = (effects) => effects.find(({ type }) => type === "call_model").call;
  let call = next(run.step({ type: "request", id: "r", message: { sender: "user", text: "Go" } }, 1));
  for (let n = 1; n <= rounds; n++) {
    const reply = { messages: [{ sender: "agent", text: "", tool_calls: [callOf(n)] }], usage: { tokens_in: 1, tokens_out: 1 } };
    run.step({ type: "model_finished", call, reply }, n);
    const outcome = { returned: { result: { status: "success", data: 2 * n }, outputs: [] } };
    call = next(run.step({ type: "tool_finished", call_id: `c${n}`, outcome }, n));
  }
  run.dispose();
}

async function perRound(work, requests = 40, samples = 5) {
  for (let at = 0; at < 20; at++) await work();
  const times = [];
  for (let sample = 0; sample < samples; sample++) {
    const since = process.cpuUsage();
    for (let at = 0; at < requests; at++) await work();
    const { user, system } = process.cpuUsage(since);
    times.push((user + system) / requests / rounds);
  }
  return Math.min(...times);
}

const figures = {
  "a round": session((id) => new MemoryStore(id)),
  "a round whose store keeps nothing": session((id) => new Nothing(id)),
  "the decisions alone, in and out as JSON": machine,
};
if (counts) {
  const work = figures["a round"];
  await work();
  const before = { ...counts };
  await work();
  const each = (way) => ((counts[way] - before[way]) / rounds).toFixed(0);
  console.log(`calls of the core in a round: ${each("in")}; calls of the page by the core: ${each("out")}`);
} else {
  for (const [name, work] of Object.entries(figures))
    console.log(`${name.padEnd(40)}${(await perRound(work)).toFixed(0).padStart(6)} µs`);
}
