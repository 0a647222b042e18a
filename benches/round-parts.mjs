// What a round of the loop, and a turn without a tool, cannot do without, part by part (`npm run bench -- parts`): µs of CPU, the least of
// five samples in a process that is warm, and how often the border is crossed.
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

/** Messages and their answers, as many as there are rounds elsewhere, in one session. */
function turns(createStore, subscribed = false) {
  return async () => {
    const model = {
      name: "none",
      setSystemPrompt() {},
      prompt: async () => ({ messages: [{ sender: "agent", text: "Done." }], tokens_in: 1, tokens_out: 1 }),
    };
    const one = new GloveClient({ createModel: () => model, createStore, systemPrompt: "You help." }).session("s");
    const leave = subscribed ? one.subscribe(() => one.getSnapshot()) : () => {};
    for (let n = 0; n < rounds; n++) await one.sendMessage("Go");
    leave();
    one.dispose();
  };
}

/** The decisions of these turns and nothing else. */
async function machineOfTurns() {
  const run = new Run({ limits: { turns: 1000 } });
  for (let n = 0; n < rounds; n++) {
    const effects = run.step({ type: "request", id: `r${n}`, message: { sender: "user", text: "Go" } }, n);
    const { call } = effects.find(({ type }) => type === "call_model");
    const reply = { messages: [{ sender: "agent", text: "Done." }], usage: { tokens_in: 1, tokens_out: 1 } };
    const ended = run.step({ type: "model_finished", call, reply }, n);
    if (ended.at(-1).type !== "finish") throw new Error("a turn does not end");
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
  "a turn": turns((id) => new MemoryStore(id)),
  "a turn that a screen follows": turns((id) => new MemoryStore(id), true),
  "a turn whose store keeps nothing": turns((id) => new Nothing(id)),
  "the decisions of a turn alone": machineOfTurns,
};
if (counts) {
  for (const name of ["a round", "a turn"]) {
    const work = figures[name];
    await work();
    const before = { ...counts };
    await work();
    const each = (way) => ((counts[way] - before[way]) / rounds).toFixed(0);
    console.log(`calls of the core in ${name}: ${each("in")}; calls of the page by the core: ${each("out")}`);
  }
} else {
  for (const [name, work] of Object.entries(figures))
    console.log(`${name.padEnd(40)}${(await perRound(work)).toFixed(0).padStart(6)} µs`);
}
