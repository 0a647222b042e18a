// Servers that refuse, lie about sizes, forget their sessions, or go away in the middle of a call.
import { execFileSync } from "node:child_process";
import { defineTool, GloveError } from "glove-wasm";
import { type McpServerOptions, mcpServer } from "glove-wasm/mcp";
import { expect, test } from "vitest";
import { z } from "zod";
import { boundedFetch } from "../../../js/mcp/connection/bounded-fetch.js";
import { issuesBy } from "../../../js/mcp/tools/server-schema.js";
import { call, type Fill, mcpScene, mcpSite, olderServer } from "../../support/mcp.js";
import { root } from "../../support/project.js";

const free = { firstUse: "allow", approvals: () => false } as const;

const one: Fill = (server) => {
  server.registerTool("do", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "did it" }] }));
};

/** What a call gives where its request is answered so. */
async function answeredWith(response: () => Promise<Response>, options: Partial<McpServerOptions> = {}) {
  const site = mcpSite(one);
  site.between = ({ method }, send) => (method === "tools/call" ? response() : send());
  const { session, server } = mcpScene([call("docs__do", {}), "Ok."], { ...free, url: site.url, fetch: site.fetch, ...options });
  await session.sendMessage("Do it");
  const [result] = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  await server.disconnect();
  return { result: result?.result, calls: site.calls().length };
}

const refused = (code: number, message: string, body = "{}") =>
  Promise.resolve(new Response(body, { status: code, statusText: message, headers: { "content-type": "application/json" } }));

test.each<[string, () => Promise<Response>, string, boolean]>([
  ["nobody is signed in", () => refused(401, "Unauthorized"), "wants to know who asks", false],
  ["it is forbidden", () => refused(403, "Forbidden"), "does not allow this", false],
  ["the address is wrong", () => refused(404, "Not Found"), "answered with the status 404", false],
  ["the server fails", () => refused(502, "Bad Gateway"), "answered with the status 502", true],
  ["the connection breaks", () => Promise.reject(new TypeError("fetch failed")), "cannot be reached", true],
])("where %s, the model reads whether the call may have run", async (_, response, sentence, perhaps) => {
  const { result, calls } = await answeredWith(response);
  expect(result).toMatchObject({ status: "error", message: expect.stringContaining(sentence) });
  expect(result?.message).toContain(perhaps ? "it may have run" : "The tool did not run");
  expect(result?.outcome).toBe(perhaps ? "interrupted" : undefined);
  expect(calls).toBe(1);
});

/** The same words and statuses as those of a call that was never begun. */
test.each<[string, (id: unknown) => Response]>([
  [
    "says that it is not connected",
    (id) => jsonAnswer({ jsonrpc: "2.0", id, error: { code: -32603, message: "Not connected" } }),
  ],
  ["answers with the status 400", () => jsonAnswer({ error: "no such column" }, 400)],
  ["answers with the status 429", () => jsonAnswer({}, 429)],
])("a server that has run the tool and then %s is not asked again", async (_, answer) => {
  const site = mcpSite(one);
  let id: unknown;
  const fetching: typeof fetch = (url, init) => {
    id = JSON.parse(String(init?.body ?? "{}")).id;
    return site.fetch(url, init);
  };
  site.between = async ({ method }, send) => {
    if (method !== "tools/call") return withSession(await send());
    await (await send()).text();
    return answer(id);
  };
  const { session, server, shown } = mcpScene([call("docs__do", {}), "Ok."], { ...free, url: site.url, fetch: fetching });
  await session.sendMessage("Do it");
  expect(site.calls()).toHaveLength(1);
  expect(shown()[1]).toContain("docs__do: error");
  expect(shown()[1]).not.toContain("did not run");
  await server.disconnect();
});

const jsonAnswer = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

function withSession({ body, status, headers }: Response): Response {
  const told = new Headers(headers);
  told.set("mcp-session-id", "s-1");
  return new Response(body, { status, headers: told });
}

test("the headers of the application go to its server alone, wherever that sends its client", async () => {
  const sent: [string, string | null][] = [];
  const server = mcpServer({
    name: "docs",
    url: "https://docs.example/mcp",
    headers: { "x-key": "k" },
    auth: {
      redirectUrl: "https://app.example/",
      clientMetadata: { redirect_uris: ["https://app.example/"] },
      clientInformation: () => undefined,
      tokens: () => undefined,
      saveTokens: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => "",
      redirectToAuthorization: () => {},
    },
    fetch: async (url, init) => {
      sent.push([String(url), new Headers(init?.headers).get("x-key")]);
      const challenge = `Bearer resource_metadata="https://evil.example/meta"`;
      return new Response("", {
        status: String(url) === "https://docs.example/mcp" ? 401 : 404,
        headers: { "www-authenticate": challenge },
      });
    },
  });
  await expect(server.connect()).rejects.toThrow();
  expect(sent.some(([url]) => url.startsWith("https://evil.example/"))).toBe(true);
  for (const [url, key] of sent) expect(key, url).toBe(url === "https://docs.example/mcp" ? "k" : null);
});

test("the words behind a status that is an error end, and the status is told", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1_000;
      controller.enqueue(new Uint8Array(1_000));
    },
  });
  const fetching = boundedFetch({
    server: "docs",
    url: new URL("https://docs.example/mcp"),
    headers: () => ({}),
    maxBytes: 8_000_000,
    tooLarge: () => {},
    send: async () => new Response(body, { status: 500 }),
  });
  const response = await fetching("https://docs.example/mcp", {});
  expect([response.status, (await response.text()).length]).toEqual([500, 64_000]);
  expect(sent).toBeLessThan(100_000);
});

test("a schema and a value that a server has made for each other do not stop the page", async () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  );
  const schemas = [
    { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
    { type: "object", $ref: "#/$defs/d0", $defs: { ...doubled, d30: { type: "object" } } },
  ];
  const texts = { a: `${"a".repeat(40)}!` };
  const many = { a: Array.from({ length: 99_000 }, () => 0) };
  const list = (items: unknown) => ({ type: "object", properties: { a: { type: "array", items } } });
  const cases: [Record<string, unknown>, object][] = [
    ...schemas.map((schema): [Record<string, unknown>, object] => [schema, texts]),
    [{ properties: { a: { format: "url" } } }, { a: `http://${"a".repeat(40)}` }],
    [list({ enum: ["x".repeat(60_000)] }), many],
    [list({ enum: Array.from({ length: 10_000 }, (_, at) => `x${at}`) }), many],
    [list(false), many],
  ];
  for (const [schema, value] of cases) {
    const began = performance.now();
    try {
      issuesBy(schema, value);
    } catch (error) {
      expect(error).toMatchObject({ code: "SCHEMA_INVALID" });
    }
    expect(performance.now() - began).toBeLessThan(5_000);
  }
  expect(issuesBy({ type: "object", properties: { a: { type: "number" } }, required: ["a"] }, { a: "1" })).toHaveLength(1);
  // What cannot be told in time is not refused.
  const open = {
    patternProperties: { "^a": { type: "string" } },
    additionalProperties: false,
    not: { properties: { a: { pattern: "x" } } },
  };
  expect(issuesBy(open, { abc: "1" })).toEqual([]);
});

test("a connection that was never made says so in Node, and the call did not run", async () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const { result } = await answeredWith(() => Promise.reject(new TypeError("fetch failed", { cause })));
  expect(result?.message).toContain("The tool did not run");
});

test("what a server says when it refuses a call is what came of it", async () => {
  const error = { jsonrpc: "2.0", id: 0, error: { code: -32602, message: "no such table" } };
  const site = mcpSite(one);
  site.between = async (asked, send) => {
    const response = await send();
    if (asked.method !== "tools/call") return response;
    await response.text();
    const id = lastId;
    return new Response(JSON.stringify({ ...error, id }), { headers: { "content-type": "application/json" } });
  };
  let lastId: unknown;
  const fetching: typeof fetch = (url, init) => {
    lastId = JSON.parse(String(init?.body ?? "{}")).id;
    return site.fetch(url, init);
  };
  const { session, server, shown } = mcpScene([call("docs__do", {}), "Ok."], { ...free, url: site.url, fetch: fetching });
  await session.sendMessage("Do it");
  expect(shown()[1]).toContain("no such table");
  expect(shown()[1]).not.toContain("may have run");
  await server.disconnect();
});

test("a result that is too large is told as one that has run, whatever it comes as", async () => {
  const large: Fill = (server) => {
    server.registerTool("do", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "x".repeat(300_000) }] }));
  };
  const limits = { resultBytes: 100_000, listLetters: 100_000 };
  const site = mcpSite(large);
  const places = [{ url: site.url, fetch: site.fetch }, { transport: olderServer(large).transport }];
  for (const place of places) {
    const { session, server } = mcpScene([call("docs__do", {}), "Ok."], { ...free, ...place, limits });
    expect(await session.sendMessage("Do it")).toMatchObject({ text: "Ok." });
    const [result] = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
    expect(result?.result).toMatchObject({ status: "error", message: expect.stringContaining("`limits.resultBytes`") });
    expect(result?.result.outcome).toBeUndefined();
    expect(result?.result.message).not.toContain("did not run");
    await server.disconnect();
  }
});

test("an answer of 100 MB is broken off where it is too large, and a stream of small events never is", async () => {
  let sent = 0;
  const flood = (type: string, piece: string) =>
    boundedFetch({
      server: "docs",
      url: new URL("https://docs.example/mcp"),
      headers: () => ({ "x-key": "k" }),
      maxBytes: 10_000,
      tooLarge: (_, error) => told.push(error.code),
      send: async (_, init) => {
        keys.push(new Headers(init?.headers).get("x-key"));
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (sent >= 100_000_000) return controller.close();
            sent += piece.length;
            controller.enqueue(new TextEncoder().encode(piece));
          },
        });
        return new Response(body, { headers: { "content-type": type } });
      },
    })("https://docs.example/mcp", { method: "POST", body: "{}" });
  const told: string[] = [];
  const keys: unknown[] = [];
  await expect((await flood("application/json", "x".repeat(1_000))).text()).rejects.toMatchObject({
    code: "MCP_RESULT_TOO_LARGE",
  });
  expect([told, keys]).toEqual([["MCP_RESULT_TOO_LARGE"], ["k"]]);
  expect(sent).toBeLessThan(100_000);
  sent = 99_000_000;
  const events = await flood("text/event-stream", `data: ${"x".repeat(5_000)}\r\n\r\n`);
  expect((await events.text()).length).toBeGreaterThan(1_000_000);
  expect(told).toHaveLength(1);
});

test("a connection that the server ends is made again with the next call", async () => {
  const place = olderServer(one);
  const pause = defineTool({
    name: "pause",
    description: "",
    inputSchema: z.object({}),
    async do() {
      await place.servers.at(-1)?.close();
      return "closed";
    },
  });
  const script = [call("docs__do", {}, "a"), call("pause", {}, "b"), call("docs__do", {}, "c"), "Ok."];
  const { session, server, shown } = mcpScene(script, { ...free, transport: place.transport }, { tools: [pause] });
  const states: string[] = [];
  server.subscribe(({ state }) => states.push(state));
  await session.sendMessage("Do it");
  expect(shown().slice(1, 4)).toEqual(["docs__do: success did it", "pause: success closed", "docs__do: success did it"]);
  expect(states).toEqual(["connecting", "ready", "idle", "connecting", "ready"]);
  await server.disconnect();
  expect(server.status()).toEqual({ state: "idle" });
});

test("where the official client is not installed, the error names it", () => {
  // A program of its own, in which the package cannot be found.
  const loader = `export async function resolve(name, context, next) {
    if (name.startsWith("@modelcontextprotocol/")) throw Object.assign(new Error("not found: " + name), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`;
  const program = `
    import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(${JSON.stringify(loader)}));
    const { mcpServer } = await import("glove-wasm/mcp");
    const server = mcpServer({ name: "docs", url: "https://docs.example/mcp" });
    const { code, message } = await server.connect().catch((error) => error);
    console.log(code + " " + message);
  `;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: root, encoding: "utf8" });
  expect(said).toMatch(/^MCP_CLIENT_MISSING Install "@modelcontextprotocol\/client"/);
});

test("a way that does not open is told, and another try begins anew", async () => {
  let opened = 0;
  const server = mcpServer({
    name: "docs",
    transport: () => {
      opened++;
      throw new GloveError("MINE", "My own.");
    },
  });
  await expect(server.connect()).rejects.toMatchObject({ code: "MINE" });
  await expect(server.listTools()).rejects.toMatchObject({ code: "MINE" });
  expect(opened).toBe(2);
  expect(server.status()).toMatchObject({ state: "failed", error: { code: "MINE" } });
});
