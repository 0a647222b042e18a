// Stopping, against a real server: how long it takes until the request is over here, and until the server sees the connection closed.
import { createAdapter, createEndpointModel, GloveClient, MemoryStore, type ModelAdapter } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openProvider, type Provider, type Reply, speak } from "../support/provider.js";
import { serve } from "../support/server.js";

/** All of it within so many milliseconds, in the best of some rounds: what is slow by itself is slow in each of them. */
const limit = 50;
const rounds = 3;
/** As often where something else has the machine. */
const mostRounds = 30;
vi.setConfig({ testTimeout: 120_000 });

let provider: Provider;
beforeEach(async () => {
  provider = await openProvider();
});
afterEach(() => provider.close());

const best = (times: number[]) => Math.min(...times);
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const endpoint = [
  event({ type: "reasoning_delta", text: "Hm" }),
  event({ type: "text_delta", text: "Once" }),
  event({ type: "tool_input_delta", id: "c1", name: "look", delta: "{" }),
  event({ type: "tool_use", id: "c1", name: "look", input: {} }),
  event({ type: "text_delta", text: " more" }),
  'data: {"type":"te',
];
const call = { id: "c1", name: "look", args: '{"a": 1}' };
const hour = 3_600_000;

/** Stops when the server has written what it writes at once; gives how long it took here and there. */
async function stopped(model: ModelAdapter, reply: Reply): Promise<{ here: number; there: number }> {
  const times = { here: [] as number[], there: [] as number[] };
  provider.reply(reply);
  const slow = () => [times.here, times.there].some((list) => best(list) >= limit && list.length > 0);
  for (let round = 0; round < rounds || (slow() && round < mostRounds); round++) {
    const ran = vi.fn();
    const look = { name: "look", description: "", jsonSchema: { type: "object" }, do: ran };
    const config = { createModel: () => model, createStore: () => new MemoryStore("s1"), systemPrompt: "", tools: [look] };
    const session = new GloveClient(config).session("s1");
    const sending = session.sendMessage("Hi");
    await vi.waitFor(() => expect(provider.asked).toHaveLength(round + 1), { timeout: 5_000, interval: 2 });
    // What the server wrote at once is on its way.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const since = performance.now();
    session.stop();
    expect(await sending).toEqual({ type: "aborted" });
    times.here.push(performance.now() - since);
    if (reply.silent || reply.body.includes(hour)) {
      const asked = provider.asked[round];
      await vi.waitFor(() => expect(asked?.left).toBeDefined(), { timeout: 5_000, interval: 1 });
      times.there.push((asked?.left ?? Number.NaN) - since);
    }
    expect([ran.mock.calls.length, provider.asked.length]).toEqual([0, round + 1]);
    session.dispose();
  }
  const [here, there] = [best(times.here), best(times.there)];
  console.log(`over here after ${here.toFixed(1)} ms, there after ${there.toFixed(1)} ms`);
  return { here, there };
}

const cases: [string, Reply][] = [
  ["before the head", { silent: hour, body: [] }],
  ...[...endpoint.keys(), endpoint.length].map((count): [string, Reply] => [
    `behind ${count} events`,
    { body: [...endpoint.slice(0, count), hour] },
  ]),
];
test.each(cases)("an endpoint is stopped within 50 ms %s", async (_, reply) => {
  const { here, there } = await stopped(createEndpointModel(`${provider.url}/api/chat`), reply);
  expect(here).toBeLessThan(limit);
  expect(there).toBeLessThan(limit);
});

test("a wait before another attempt is stopped within 50 ms", async () => {
  const busy = { status: 429, headers: { "retry-after": "30" }, body: ["busy"] };
  expect((await stopped(createEndpointModel(`${provider.url}/api/chat`), busy)).here).toBeLessThan(limit);
});

test("what an endpoint's headers are waited for is stopped within 50 ms, and the server is not asked", async () => {
  const times: number[] = [];
  for (let round = 0; round < rounds || (best(times) >= limit && round < mostRounds); round++) {
    const headers = vi.fn(() => new Promise<never>(() => {}));
    const createModel = () => createEndpointModel(`${provider.url}/api/chat`, { headers });
    const session = new GloveClient({ createModel, createStore: () => new MemoryStore("s1"), systemPrompt: "" }).session("s1");
    const sending = session.sendMessage("Hi");
    await vi.waitFor(() => expect(headers).toHaveBeenCalled());
    const since = performance.now();
    session.stop();
    expect(await sending).toEqual({ type: "aborted" });
    times.push(performance.now() - since);
  }
  expect(best(times)).toBeLessThan(limit);
  expect(provider.asked).toEqual([]);
});

const formats = [
  ["anthropic", speak.anthropic],
  ["openai", speak.openai],
] as const;
test.each(formats)(
  "a provider that the page asks (%s) is stopped within 50 ms before the head and at each event",
  async (id, say) => {
    const model = () => createAdapter({ provider: id, apiKey: "k", baseURL: provider.url });
    const events = say(["Once", " more"], call);
    for (const reply of [
      cases[0]?.[1] as Reply,
      ...events.slice(0, -2).map((_, at) => ({ body: [...events.slice(0, at), hour] })),
    ]) {
      const { here, there } = await stopped(model(), reply);
      expect(here).toBeLessThan(limit);
      expect(there).toBeLessThan(limit);
      provider.asked.length = 0;
    }
  },
);

test("through a chat handler, the provider too is left within 50 ms", async () => {
  const handle = createChatHandler({ provider: "anthropic", apiKey: "k", baseURL: provider.url });
  const app = await serve("", { routes: { "/api/chat": handle } });
  const events = speak.anthropic(["Once", " more"], call);
  for (const reply of [cases[0]?.[1] as Reply, { body: [...events.slice(0, 3), hour] }]) {
    const { here, there } = await stopped(createEndpointModel(`${app.url}/api/chat`), reply);
    expect(here).toBeLessThan(limit);
    expect(there).toBeLessThan(limit);
    provider.asked.length = 0;
  }
  await app.close();
});
