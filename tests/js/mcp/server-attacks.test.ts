// What clients of our tools may not do, what they are not told, and what becomes of a call whose server, client or tool ends in the middle of it.
import { execFileSync } from "node:child_process";
import type { CallToolResult, InputRequiredResult, Progress } from "@modelcontextprotocol/client";
import { GloveClient, MemoryStore, type ToolConfig } from "glove-wasm";
import { createMcpHandler, type McpHandlerOptions } from "glove-wasm/mcp/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { address, mcpApp, round, textOf } from "../../support/mcp-handler.js";
import { root } from "../../support/project.js";

const tool = (name: string, work: ToolConfig["do"], more: Partial<ToolConfig> = {}): ToolConfig => ({
  name,
  description: "Works.",
  jsonSchema: { type: "object", properties: { n: { type: "integer" } } },
  do: work,
  ...more,
});

/** What somebody waits for, and what ends the waiting. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const post = (body: unknown, headers: Record<string, string> = {}) =>
  new Request(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

test("who is not let in learns nothing, and nothing of theirs is read", async () => {
  const app = mcpApp([tool("work", () => "done")], {
    authorize: (request) => request.headers.get("authorization") === "Bearer ann",
  });
  const refused = await app.handler(post(list));
  expect(refused.status).toBe(401);
  expect(await refused.text()).not.toContain("work");
  expect((await app.handler(post(list, { authorization: "Bearer ann" }))).status).toBe(200);
  const challenge = new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
  const own = await mcpApp([], { authorize: () => challenge }).handler(post(list));
  expect(own.headers.get("www-authenticate")).toBe("Bearer");
  const broken = mcpApp([tool("work", () => "done")], {
    owner: () => {
      throw new Error("the key is 123");
    },
  });
  const failed = await broken.handler(post(list));
  expect(failed.status).toBe(500);
  expect(await failed.text()).not.toContain("123");
  expect(broken.errors.join()).toContain("the key is 123");
});

test("where nobody signs in, a page whose host was made to lead to this machine is refused", async () => {
  const tools = [tool("work", () => "done")];
  const from = (origin: string) => {
    const { host } = new URL(origin);
    const request = post(list, { origin, "sec-fetch-site": "same-origin" });
    return new Request(`http://${host}/mcp`, request);
  };
  const status = async (origin: string, options: Partial<McpHandlerOptions> = {}) =>
    (await mcpApp(tools, options).handler(from(origin))).status;
  expect(await status("http://evil.example:3000")).toBe(403);
  expect(await status("http://localhost.evil.example")).toBe(403);
  expect(await status("http://127.0.0.1.evil.example")).toBe(403);
  for (const near of ["http://localhost:3000", "http://shop.localhost", "http://127.0.0.1:3000", "http://[::1]:3000"])
    expect(await status(near)).toBe(200);
  expect(await status("https://shop.example")).toBe(200);
  // The application says that it knows it.
  expect(await status("http://shop.test", { cors: "http://shop.test" })).toBe(200);
  expect(await status("http://shop.test", { authorize: () => true })).toBe(200);
});

test("pages of other origins are refused, unless they are allowed", async () => {
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await mcpApp([]).handler(post(list, headers))).status).toBe(403);
  const allowed = await mcpApp([], { cors: "https://evil.example" }).handler(post(list, headers));
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://evil.example");
  const preflight = new Request(address, { method: "OPTIONS", headers: { origin: "https://evil.example" } });
  expect((await mcpApp([], { cors: "*" }).handler(preflight)).status).toBe(204);
});

test.each<[string, () => Request, number]>([
  ["a body that is too large", () => post({ ...list, params: { _meta: { x: "y".repeat(2_000) } } }), 413],
  ["no JSON", () => post("{"), 400],
  ["another type", () => post(list, { "content-type": "text/plain" }), 415],
  ["a GET", () => new Request(address, { headers: { accept: "text/event-stream" } }), 405],
])("%s is refused", async (_, request, status) => {
  const app = mcpApp([tool("work", () => "done")], { limits: { bodyBytes: 1_000 } });
  expect((await app.handler(request())).status).toBe(status);
});

test("a long list has pages, and a cursor of nobody's is refused", async () => {
  const tools = Array.from({ length: 7 }, (_, at) => tool(`t${at}`, () => at));
  const client = await mcpApp(tools, { limits: { pageTools: 3 } }).connect();
  const first = await client.listTools({ cursor: "from-3" });
  expect(first.tools.map(({ name }) => name)).toEqual(["t3", "t4", "t5"]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  for (const cursor of ["from-7", "from--1", "x", "from-1e1", "from-99999999999999999999"])
    await expect(client.listTools({ cursor })).rejects.toThrow(/cursor/);
});

test("arguments that do not fit and tools that cannot be described do not run", async () => {
  const ran: unknown[] = [];
  const work = tool("work", (input) => void ran.push(input));
  const odd = tool("odd", (input) => void ran.push(input), { jsonSchema: { anyOf: [{ type: "object" }] } });
  const app = mcpApp([work, odd]);
  const client = await app.connect();
  const result = await client.callTool({ name: "work", arguments: { n: "one" } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("n");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["work"]);
  await expect(client.callTool({ name: "odd" })).rejects.toThrow(/no tool/);
  expect(app.errors).toEqual([expect.stringMatching(/^MCP_TOOL_REFUSED: The tool "odd"/)]);
  expect(ran).toEqual([]);
});

test("what a tool throws stays on the server, and what it returns as an error is told", async () => {
  const app = mcpApp(
    [
      tool("throws", () => {
        throw new Error("password 123");
      }),
      tool("fails", () => ({ status: "error", data: { left: 0 }, message: "Sold out." })),
      tool("lies", () => ({ n: "one", secret: "of the shop" })),
      tool("writes", () => "x".repeat(2_000)),
    ],
    {
      tools: ["throws", "fails", { name: "lies", outputSchema: z.object({ n: z.number() }) }, "writes"],
      limits: { resultLetters: 1_000 },
    },
  );
  const client = await app.connect();
  const results = await Promise.all(["throws", "fails", "lies", "writes"].map((name) => client.callTool({ name })));
  expect(results.map(({ isError }) => isError)).toEqual([true, true, true, true]);
  expect(results.map(textOf)).toEqual([
    'The tool "throws" failed on the server.',
    'Sold out.\n{"left":0}',
    'The tool "lies" has run, but its result is not what the server says that it would be.',
    'The tool "writes" has run, but its result has 2000 letters, and 1000 are the most.',
  ]);
  expect(app.errors.map((line) => line.split(":")[0]).sort()).toEqual([
    "MCP_OUTPUT_INVALID",
    "MCP_RESULT_TOO_LARGE",
    "TOOL_FAILED",
  ]);
  expect(app.errors.join()).toContain("password 123");
});

test("older clients get results and errors too", async () => {
  const app = mcpApp([tool("work", ({ n }) => ({ twice: 2 * n })), tool("list", () => [1, 2])], {
    tools: [{ name: "work", outputSchema: z.object({ twice: z.number() }) }, "list"],
  });
  const client = await app.connect({}, {}, "legacy");
  expect((await client.listTools()).tools).toHaveLength(2);
  expect(await client.callTool({ name: "work", arguments: { n: 2 } })).toMatchObject({ structuredContent: { twice: 4 } });
  expect(textOf(await client.callTool({ name: "list" }))).toBe("[1,2]");
});

test("a client that leaves stops its call, and a call has its time", async () => {
  const stopped: string[] = [];
  const begun = gate();
  const wait = (name: string) =>
    tool(name, (_, __, ___, signal) => {
      begun.open();
      return new Promise((resolve) => {
        signal?.addEventListener("abort", () => {
          stopped.push(name);
          resolve("late");
        });
      });
    });
  const app = mcpApp([wait("left"), wait("late")], { timeoutMs: 1_000 });
  const client = await app.connect();
  const leaving = new AbortController();
  const call = client.callTool({ name: "left" }, { signal: leaving.signal });
  call.catch(() => {});
  await begun.opened;
  leaving.abort();
  await expect(call).rejects.toThrow();
  await expect.poll(() => stopped).toEqual(["left"]);
  const late = await client.callTool({ name: "late" });
  expect(late.isError).toBe(true);
  expect(textOf(late)).toMatch(/did not end in time/);
  expect(stopped).toEqual(["left", "late"]);
});

test("an owner has so many calls at once, and another owner has their own", async () => {
  const both = gate();
  const running: string[] = [];
  const work = tool("work", async (_, { userId }) => {
    running.push(String(userId));
    await both.opened;
    return "done";
  });
  const app = mcpApp([work], { owner: (request) => request.headers.get("x-user") ?? "", limits: { calls: 1 } });
  const [ann, bob] = await Promise.all(["ann", "bob"].map((user) => app.connect({}, { "x-user": user })));
  const first = ann?.callTool({ name: "work" });
  await expect.poll(() => running).toEqual(["ann"]);
  const second = await ann?.callTool({ name: "work" });
  expect(second && textOf(second)).toMatch(/Too many calls/);
  const other = bob?.callTool({ name: "work" });
  await expect.poll(() => running).toEqual(["ann", "bob"]);
  both.open();
  expect((await Promise.all([first, other])).map((result) => result && textOf(result))).toEqual(["done", "done"]);
  expect(await ann?.callTool({ name: "work" })).not.toMatchObject({ isError: true });
});

test("progress is told where a client wants it", async () => {
  const work = tool("work", async (_, display) => {
    for (const done of [1, 2, 2, 1, 3]) {
      display.progress(`part ${done}`, done, 3);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return "done";
  });
  const told: Progress[] = [];
  const client = await mcpApp([work]).connect();
  await client.callTool({ name: "work" }, { onprogress: (progress) => void told.push(progress) });
  expect(told.length).toBeGreaterThan(0);
  expect(told.map(({ progress }) => progress)).toEqual([...new Set(told.map(({ progress }) => progress))].sort());
  expect(told.every(({ total }) => total === 3)).toBe(true);
});

const yes = { answer: { action: "accept", content: { approved: true } } };

/** A call whose server ends while the tool runs, after it was allowed. */
async function killed(more: Partial<ToolConfig> = {}) {
  const ran: number[] = [];
  const first = gate();
  const work = tool(
    "work",
    async () => {
      ran.push(1);
      first.open();
      return ran.length === 1 ? new Promise(() => {}) : "done";
    },
    { requireApproval: true, ...more },
  );
  const app = mcpApp([work], {}, { fresh: true });
  const client = await app.connect({ inputRequired: { autoFulfill: false } });
  const send = (params: object = {}) => round(client, { name: "work", ...params });
  const asked = (await send()) as InputRequiredResult;
  // Nobody hears of this one any more: its server is gone.
  void send({ requestState: asked.requestState, inputResponses: yes }).catch(() => {});
  await first.opened;
  return { app, ran, asked, send };
}

test("a call that its server died in is asked about, and an old yes does not run it again", async () => {
  const { ran, asked, send } = await killed();
  const again = (await send({ requestState: asked.requestState, inputResponses: yes })) as InputRequiredResult;
  expect(again).toMatchObject({ resultType: "input_required" });
  expect(JSON.stringify(again.inputRequests)).toContain("may have done its work");
  expect(ran).toHaveLength(1);
  const done = await send({ requestState: again.requestState, inputResponses: yes });
  expect(textOf(done as CallToolResult)).toBe("done");
  expect(ran).toHaveLength(2);
});

test("one that may run again does so by itself", async () => {
  const { ran, asked, send } = await killed({ idempotent: true });
  const done = await send({ requestState: asked.requestState, inputResponses: yes });
  expect(textOf(done as CallToolResult)).toBe("done");
  expect(ran).toHaveLength(2);
});

test("a call whose store has forgotten it does not run", async () => {
  const ran: unknown[] = [];
  const app = mcpApp([tool("work", (input) => void ran.push(input), { requireApproval: true })], {}, { fresh: true });
  const client = await app.connect({ inputRequired: { autoFulfill: false } });
  const asked = (await round(client, { name: "work" })) as InputRequiredResult;
  app.stores.clear();
  const again = { name: "work", requestState: asked.requestState, inputResponses: yes };
  const result = (await round(client, again)) as CallToolResult;
  expect(result).toMatchObject({ isError: true });
  expect(textOf(result)).toMatch(/Nothing is known/);
  expect(ran).toEqual([]);
});

test("what a person could not read before they allow it does not run", async () => {
  const ran: unknown[] = [];
  const work = tool("work", (input) => void ran.push(input), {
    requireApproval: true,
    jsonSchema: { type: "object", properties: { text: { type: "string" } } },
  });
  const client = await mcpApp([work]).connect();
  const result = await client.callTool({ name: "work", arguments: { text: "x".repeat(20_000) } });
  expect(textOf(result)).toMatch(/too long.*did not run/);
  expect(ran).toEqual([]);
});

test("a store that fails is told to the server alone", async () => {
  const app = mcpApp(
    [tool("work", () => "done")],
    {},
    {
      config: {
        createStore: () => {
          throw new Error("postgres://admin:123@db");
        },
      },
    },
  );
  const client = await app.connect();
  const result = await client.callTool({ name: "work" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).not.toContain("123");
  expect(app.errors.join()).toContain("postgres://admin:123@db");
});

test("a store that never answers holds nobody up", async () => {
  const silent = (id: string) => Object.assign(new MemoryStore(id), { readRun: () => new Promise<never>(() => {}) });
  const app = mcpApp([tool("work", () => "done")], { timeoutMs: 1_000 }, { config: { createStore: silent } });
  const result = await (await app.connect()).callTool({ name: "work" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/before it began/);
});

test("where the official server is not installed, the error names it", () => {
  // A program of its own, in which the package cannot be found.
  const loader = `export async function resolve(name, context, next) {
    if (name.startsWith("@modelcontextprotocol/")) throw Object.assign(new Error("not found: " + name), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`;
  const program = `
    import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(${JSON.stringify(loader)}));
    const { GloveClient } = await import("glove-wasm");
    const { createMcpHandler } = await import("glove-wasm/mcp/server");
    const client = new GloveClient({ endpoint: "/api/chat", tools: [] });
    const onError = ({ code, message }) => console.log(code + " " + message);
    const { status } = await createMcpHandler({ client, name: "shop", tools: [], onError })(new Request("${address}", { method: "POST" }));
    console.log(status);
  `;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: root, encoding: "utf8" });
  expect(said).toMatch(/^MCP_SERVER_MISSING Install "@modelcontextprotocol\/server".*\n500\n$/);
});

test.each<[string, object, RegExp]>([
  ["no name", { name: undefined }, /`name`/],
  ["no tools", { tools: undefined }, /`tools`/],
  ["a tool that the client has not", { tools: ["other"] }, /no tool "other"/],
  ["a tool twice", { tools: ["work", { name: "work" }] }, /twice/],
  ["a tool without a description", { tools: ["mute"] }, /no `description`/],
  ["an option of a tool that there is none of", { tools: [{ name: "work", readonly: true }] }, /Did you mean `readOnly`/],
  ["a short secret", { secret: "short" }, /32/],
  ["no time", { timeoutMs: 0 }, /1 or more/],
  ["another client", { client: {} }, /GloveClient/],
  ["an option that there is none of", { authorise: () => true }, /Did you mean `authorize`/],
])("a handler with %s is refused", (_, options, message) => {
  const client = new GloveClient({
    createModel: () => createScriptedModel([]),
    tools: [tool("work", () => 1), tool("mute", () => 1, { description: " " })],
  });
  const given = { client, name: "shop", tools: ["work"], ...options } as unknown as McpHandlerOptions;
  expect(() => createMcpHandler(given)).toThrow(message);
});
