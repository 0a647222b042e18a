// What servers ask in the middle of a call, and what of it is asked of a person.
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import { MemoryStore } from "glove-wasm";
import type { McpServerOptions } from "glove-wasm/mcp";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, type Fill, mcpScene, mcpSite, mcpStore, olderServer } from "../../support/mcp.js";
import { until } from "../../support/session.js";

const free = { firstUse: "allow", approvals: () => false } as const;

type Request = Parameters<typeof inputRequired>[0]["inputRequests"];

/** A tool that asks this once, and tells what it was answered. */
const asking =
  (requests: Request): Fill =>
  (server) => {
    server.registerTool("ask", { inputSchema: z.object({}) }, (_, { mcpReq }: ServerContext) => {
      if (!mcpReq.inputResponses) return inputRequired({ inputRequests: requests, requestState: "kept" } as never);
      return { content: [{ type: "text", text: JSON.stringify([mcpReq.inputResponses, mcpReq.requestState()]) }] };
    });
  };

/** Answers each question with the next of these. */
async function answered(requests: Request, answers: readonly unknown[], options: Partial<McpServerOptions> = {}) {
  const site = mcpSite(asking(requests));
  const { session, server } = mcpScene([call("docs__ask", {}), "Done."], {
    ...free,
    url: site.url,
    fetch: site.fetch,
    ...options,
  });
  const questions: { renderer: string; input: Record<string, unknown> }[] = [];
  const left = [...answers];
  const seen = new Set<string>();
  const ended = session.subscribe(() => {
    for (const { id, renderer, input } of session.getSnapshot().slots) {
      if (seen.has(id)) continue;
      seen.add(id);
      questions.push({ renderer, input } as (typeof questions)[number]);
      const answer = left.shift();
      if (answer === undefined) session.rejectSlot(id, "no");
      else session.resolveSlot(id, answer);
    }
  });
  await session.sendMessage("Ask");
  ended();
  const [result] = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  await server.disconnect();
  const data = result?.result.data;
  const [responses, state] = typeof data === "string" ? JSON.parse(data) : [];
  return { questions, responses: responses as Record<string, ElicitResult>, state, result: result?.result };
}

const form = (properties: object, required: string[] = [], message = "Who?") =>
  inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required } } as ElicitRequestFormParams);

/** What a person fills in. */
const accept = (content: object = {}) => ({ action: "accept", content });

const fields = {
  name: { type: "string", title: "Name", description: "as on the card" },
  seats: { type: "integer", minimum: 1, maximum: 8 },
  inside: { type: "boolean", default: true },
  meal: {
    type: "string",
    oneOf: [
      { const: "v", title: "Vegetables" },
      { const: "f", title: "Fish" },
    ],
  },
  days: { type: "array", items: { type: "string", enum: ["mo", "tu"] }, minItems: 1 },
  mail: { type: "string", format: "email" },
};

test("a form is one question with its fields, and what does not fit is asked for again with what was filled in", async () => {
  const good = { name: "Ann", seats: 3, inside: true, meal: "f", days: ["mo", "tu"], mail: "ann@example.com" };
  const bad = { ...good, seats: 12, meal: "x", days: [], mail: "ann", more: "not asked for" };
  const required = Object.keys(fields);
  const { questions, responses, state } = await answered({ who: form(fields, required) }, [accept(bad), accept(good)]);
  const schema = { type: "object", properties: fields, required };
  expect(questions[0]).toEqual({ renderer: "mcp_form", input: { server: "docs", message: "Who?", schema } });
  const { more: _, ...shown } = bad;
  expect(questions[1]?.input.content).toEqual(shown);
  const issues = questions[1]?.input.issues as { readonly path: readonly string[] }[];
  expect(issues.map(({ path }) => path[0])).toEqual(["seats", "meal", "days", "mail"]);
  expect(responses).toEqual({ who: accept(good) });
  expect(state).toBe("kept");
});

test.each<[string, object, unknown, boolean]>([
  ["an address", { format: "uri" }, "https://example.com/a", true],
  ["half an address", { format: "uri" }, "example.com", false],
  ["a date", { format: "date" }, "2026-11-30", true],
  ["no date", { format: "date" }, "30.11.2026", false],
  ["a day that is none", { format: "date" }, "2026-13-01", false],
  ["a time", { format: "date-time" }, "2026-11-30T10:00:00.000Z", true],
  ["no time", { format: "date-time" }, "tomorrow", false],
  ["a short text", { minLength: 5 }, "abc", false],
  ["a number that is a text", { type: "number" }, "7", false],
  ["nothing", {}, "", false],
])("a field takes what it says: %s", async (_, field, value, fits) => {
  const requests = { q: form({ it: { type: "string", ...field } }, ["it"]) };
  const { questions, responses } = await answered(requests, [accept({ it: value }), { action: "decline" }]);
  expect(questions).toHaveLength(fits ? 1 : 2);
  expect(responses).toEqual({ q: fits ? accept({ it: value }) : { action: "decline" } });
});

test("what is not required may be left out, and several questions are asked in their order", async () => {
  const two = { a: form({ name: { type: "string" } }, [], "First?"), b: form({}, [], "Second?") };
  const { questions, responses } = await answered(two, [accept({ name: "" }), accept()]);
  expect(questions.map(({ renderer, input }) => [renderer, input.message])).toEqual([
    ["mcp_form", "First?"],
    ["mcp_form", "Second?"],
  ]);
  expect(responses).toEqual({ a: accept(), b: accept() });
});

test("the server is told whether a person wanted none of it, or turned the question down, and an answer that is none is a no", async () => {
  const two = { a: form({}, [], "First?"), b: form({}, [], "Second?"), c: form({}, [], "Third?") };
  const { responses } = await answered(two, [{ action: "decline" }, undefined, "yes"]);
  expect(responses).toEqual({ a: { action: "decline" }, b: { action: "cancel" }, c: { action: "decline" } });
});

test("a person who never fits the form is asked five times", async () => {
  const bad = Array.from({ length: 9 }, () => accept({ seats: "many" }));
  const { questions, responses } = await answered({ q: form({ seats: { type: "integer" } }, ["seats"]) }, bad);
  expect([questions.length, responses]).toEqual([5, { q: { action: "cancel" } }]);
});

test("a question that was turned down before a reload is told the server, and its call goes on", async () => {
  const site = mcpSite(asking({ q: form({ name: { type: "string" } }) }));
  const store = new MemoryStore("s1");
  const options = { ...free, url: site.url, fetch: site.fetch, store: mcpStore() };
  const before = mcpScene([call("docs__ask", {})], options, { createStore: () => store });
  void before.session.sendMessage("Ask").catch(() => {});
  const { slots } = await until(before.session, ({ slots }) => slots.length === 1);
  before.session.dispose();
  await before.server.disconnect();
  // Nobody runs the call while it is turned down.
  const between = mcpScene([], { ...options, fetch: () => new Promise(() => {}) }, { createStore: () => store });
  await between.session.start();
  await until(between.session, ({ slots }) => slots.length === 1);
  between.session.rejectSlot(slots[0]?.id ?? "", "not now");
  await until(between.session, ({ slots }) => slots.every(({ status }) => status !== "pending"));
  between.session.dispose();
  void between.server.disconnect();
  const after = mcpScene(["Done."], options, { createStore: () => store });
  await after.session.start();
  await until(after.session, ({ approvals, busy }) => !busy || approvals.length > 0);
  for (const { id } of after.session.getSnapshot().approvals) after.session.approve(id);
  await until(after.session, ({ busy }) => !busy);
  expect(after.shown()[1]).toBe('docs__ask: success [{"q":{"action":"cancel"}},"kept"]');
  await after.server.disconnect();
});

test.each<[string, Request, Partial<McpServerOptions>]>([
  ["a password", { q: form({ password: { type: "string" } }) }, {}],
  ["an access token in another spelling", { q: form({ accessToken: { type: "string" } }) }, {}],
  ["an API key by its title", { q: form({ k: { type: "string", title: "Your API key" } }) }, {}],
  ["an address in the clear", { q: inputRequired.elicitUrl({ url: "http://evil.example", message: "Sign in" }) }, {}],
  [
    "an address with another one's name",
    { q: inputRequired.elicitUrl({ url: "https://bank.example@evil.example/", message: "Pay" }) },
    {},
  ],
  [
    "more than anybody answers",
    { q: form(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, { type: "string" }]))) },
    {},
  ],
  ["an address that is code", { q: inputRequired.elicitUrl({ url: "javascript:alert(1)", message: "Sign in" }) }, {}],
])("a person is never asked for %s", async (_, requests, options) => {
  const { questions, responses } = await answered(requests, [], options);
  expect(questions).toEqual([]);
  expect(responses).toEqual({ q: { action: "decline" } });
});

test("a field that only mentions a secret is asked for", async () => {
  const fields = { secretary: { type: "string", description: "Who? Give no password, PIN or token." } };
  const { responses } = await answered({ q: form(fields, ["secretary"]) }, [accept({ secretary: "Bob" })]);
  expect(responses).toEqual({ q: { action: "accept", content: { secretary: "Bob" } } });
});

test("an address is shown whole, and opened by the person", async () => {
  const url = "https://bank.example/pay?id=1";
  const requests = { q: inputRequired.elicitUrl({ url, message: "Pay there." }) };
  const { questions, responses } = await answered(requests, [accept()]);
  expect(questions).toEqual([{ renderer: "mcp_link", input: { server: "docs", message: "Pay there.", url } }]);
  expect(responses).toEqual({ q: { action: "accept" } });
  expect((await answered(requests, [{ action: "decline" }])).responses).toEqual({ q: { action: "decline" } });
  expect((await answered(requests, [undefined])).responses).toEqual({ q: { action: "cancel" } });
});

test("roots are told where they are given, and what was not allowed ends the call with a sentence", async () => {
  const roots = [{ uri: "file:///work", name: "Work" }];
  const requests = { r: inputRequired.listRoots() };
  const { questions, responses } = await answered(requests, [], { allow: { roots } });
  expect([questions, responses]).toEqual([[], { r: { roots } }]);
  const { result } = await answered(requests, []);
  expect(result).toMatchObject({ status: "error", message: expect.stringMatching(/roots/i) });
});

test("a tool that never stops asking is stopped", async () => {
  let asked = 0;
  const site = mcpSite((server) => {
    server.registerTool("ask", { inputSchema: z.object({}) }, () => {
      asked++;
      return inputRequired({ requestState: `round ${asked}` } as never);
    });
  });
  const options = { ...free, url: site.url, fetch: site.fetch, limits: { rounds: 4 } };
  const { session, server, shown } = mcpScene([call("docs__ask", {}), "Enough."], options);
  expect(await session.sendMessage("Ask")).toMatchObject({ text: "Enough." });
  // What came of the fourth question was given.
  expect(asked).toBe(5);
  expect(shown()[1]).toContain("asked more than 4 times");
  await server.disconnect();
});

test("an older server asks no more often in one call than any other", async () => {
  const answers: ElicitResult[] = [];
  const place = olderServer((server) => {
    server.registerTool("ask", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      const question = { message: "Sure?", requestedSchema: { type: "object" as const, properties: {} } };
      answers.push(...(await Promise.all(Array.from({ length: 100 }, () => mcpReq.elicitInput(question)))));
      return { content: [] };
    });
  });
  const { session, server } = mcpScene([call("docs__ask", {}), "Done."], {
    ...free,
    transport: place.transport,
    limits: { rounds: 4 },
  });
  const seen = new Set<string>();
  session.subscribe(() => {
    for (const { id } of session.getSnapshot().slots) {
      if (seen.has(id)) continue;
      seen.add(id);
      session.resolveSlot(id, accept());
    }
  });
  await session.sendMessage("Ask");
  expect(seen.size).toBe(4);
  expect(answers.filter(({ action }) => action === "decline")).toHaveLength(96);
  await server.disconnect();
});

test("a page that dies while an older server asks leaves a call that is asked about, and sends nothing twice unasked", async () => {
  let calls = 0;
  const place = olderServer((server) => {
    server.registerTool("book", { inputSchema: z.object({}) }, async (_, context) => {
      calls++;
      const { action } = await context.mcpReq.elicitInput({
        message: "Sure?",
        requestedSchema: { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] },
      });
      return { content: [{ type: "text", text: action }] };
    });
  });
  const store = new MemoryStore("s1");
  const options = { ...free, transport: place.transport };
  const before = mcpScene([call("docs__book", {})], options, { createStore: () => store });
  void before.session.sendMessage("Book").catch(() => {});
  await until(before.session, ({ slots }) => slots.length === 1);
  before.session.dispose();
  await before.server.disconnect();
  const after = mcpScene(["Booked."], options, { createStore: () => store });
  await after.session.start();
  const { approvals } = await until(after.session, ({ approvals }) => approvals.length === 1);
  expect(approvals[0]?.kind).toBe("interrupted");
  expect(calls).toBe(1);
  after.session.approve(approvals[0]?.id ?? "");
  const { slots } = await until(after.session, ({ slots }) => slots.some(({ renderer }) => renderer === "mcp_form"));
  after.session.resolveSlot(slots.find(({ renderer }) => renderer === "mcp_form")?.id ?? "", accept({ sure: true }));
  await until(after.session, ({ busy }) => !busy);
  expect(after.shown().slice(1)).toEqual(["docs__book: success accept", "agent: Booked."]);
  expect(calls).toBe(2);
  await after.server.disconnect();
});

test.each([
  ["a form", "mcp_form"],
  ["an address", "mcp_link"],
] as const)("%s that an older server has withdrawn is taken away with a sentence, and its call goes on", async (_, renderer) => {
  const withdraws = new AbortController();
  let over = () => {};
  const place = olderServer((server) => {
    server.registerTool("ask", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      const ended = new Promise<void>((resolve) => {
        over = resolve;
      });
      const message = "Sure?";
      const asked =
        renderer === "mcp_form"
          ? { message, requestedSchema: { type: "object" as const, properties: { sure: { type: "boolean" as const } } } }
          : { mode: "url" as const, message, url: "https://bank.example/pay", elicitationId: "e1" };
      const answer = await mcpReq.elicitInput(asked, { signal: withdraws.signal }).catch(({ message }: Error) => message);
      await ended;
      return { content: [{ type: "text", text: JSON.stringify(answer) }] };
    });
  });
  const store = new MemoryStore("s1");
  const { session, server, shown } = mcpScene(
    [call("docs__ask", {}), "Done."],
    { ...free, transport: place.transport },
    { createStore: () => store },
  );
  const sending = session.sendMessage("Ask");
  const { slots } = await until(session, ({ slots }) => slots.length === 1);
  expect(slots).toMatchObject([{ renderer, status: "pending" }]);
  withdraws.abort(new Error("too late"));
  const pending = ({ status }: { readonly status: string }) => status === "pending";
  const { timeline } = await until(session, ({ slots }) => !slots.some(pending));
  expect(session.resolveSlot(slots[0]?.id ?? "", accept({ sure: true }))).toBe(false);
  expect(timeline.find((entry) => entry.kind === "tool")).toMatchObject({
    progress: { message: 'The server "docs" has withdrawn its question.' },
  });
  over();
  expect(await sending).toMatchObject({ text: "Done." });
  expect(shown()[1]).toContain("too late");
  // A later page has no such question either.
  session.dispose();
  await server.disconnect();
  const later = mcpScene([], { ...free, transport: place.transport }, { createStore: () => store });
  await later.session.start();
  expect(later.session.getSnapshot().slots.filter(pending)).toEqual([]);
  expect(later.session.getSnapshot().approvals).toEqual([]);
});
