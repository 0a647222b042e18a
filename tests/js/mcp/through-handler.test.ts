// MCP servers that a page reaches through its chat handler: which ones, with what, and for whom.
import { GloveClient } from "glove-wasm";
import { type McpServerOptions, mcpServer } from "glove-wasm/mcp";
import { type ChatHandlerConfig, createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { call, mcpSite } from "../../support/mcp.js";
import { texts } from "../../support/session.js";

const free = { firstUse: "allow", approvals: () => false } as const;

/** What a handler sent to the server. */
interface Sent {
  readonly url: string;
  readonly headers: Headers;
}

type Upstream = (url: string, init: RequestInit) => Promise<Response>;

afterEach(() => void vi.unstubAllGlobals());

/** `upstream`: what answers the handler. The `fetch` of a handler of the tests knows providers of models alone. */
function made(config: Partial<ChatHandlerConfig> = {}, upstream?: Upstream) {
  const site = mcpSite((server) => {
    server.registerTool("do", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "did it" }] }));
  });
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    sent.push({ url, headers: new Headers(init.headers) });
    return (upstream ?? site.fetch)(url, init);
  });
  const handler = createChatHandler({
    createModel: () => createScriptedModel([]),
    owner: (request) => request.headers.get("x-user") ?? "",
    toolSecret: "a secret",
    onError: () => {},
    mcp: {
      docs: {
        url: "http://10.0.0.7/mcp",
        headers: ({ owner }) => ({ authorization: `Bearer of ${owner}` }),
      },
    },
    ...config,
  });
  const page = (options: Partial<McpServerOptions> = {}) =>
    mcpServer({
      name: "docs",
      ...free,
      via: "https://app.example/api/chat",
      headers: { "x-user": "ann", cookie: "of the page" },
      fetch: (url, init) => handler(new Request(url as string, init)),
      ...options,
    });
  return { site, sent, handler, page };
}

test("a call goes through the handler, which adds the owner's token and passes on nothing else of the page", async () => {
  const { sent, page } = made();
  const server = page();
  const model = createScriptedModel([call("docs__do", {}), "Ok."]);
  const session = new GloveClient({ createModel: () => model, plugins: [server] }).session("s");
  expect(await session.sendMessage("Do it")).toMatchObject({ text: "Ok." });
  expect(texts(session.getSnapshot())[1]).toBe("docs__do: success did it");
  expect(new Set(sent.map(({ url }) => url))).toEqual(new Set(["http://10.0.0.7/mcp"]));
  for (const { headers } of sent) {
    expect(headers.get("authorization")).toBe("Bearer of ann");
    for (const name of ["x-user", "x-glove-mcp", "cookie"]) expect(headers.has(name)).toBe(false);
  }
  await server.disconnect();
});

test("no server but those of the handler is reached, and none by who may not call", async () => {
  const { sent, page } = made();
  await expect(page({ name: "other" }).connect()).rejects.toMatchObject({ code: "MCP_UNREACHABLE", status: 404 });
  await expect(page({ name: "constructor" }).connect()).rejects.toMatchObject({ code: "MCP_UNREACHABLE" });
  const closed = made({ authorize: () => false });
  await expect(closed.page().connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
  expect([sent, closed.sent]).toEqual([[], []]);
});

test("a session with a server is of who began it", async () => {
  const seen: (string | null)[] = [];
  const answered = { jsonrpc: "2.0", id: 1, result: {} };
  const upstream: Upstream = async (_, init) => {
    seen.push(new Headers(init.headers).get("mcp-session-id"));
    return new Response(JSON.stringify(answered), { headers: { "content-type": "application/json", "mcp-session-id": "s-1" } });
  };
  const { handler } = made({}, upstream);
  // Where a handler has no secret of the application's, its own is none that anybody knows.
  const { handler: unsigned } = made({ toolSecret: undefined }, upstream);
  const post = (user: string, session?: string) =>
    handler(
      new Request("https://app.example/api/chat", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-glove-mcp": "docs",
          "x-user": user,
          ...(session !== undefined && { "mcp-session-id": session }),
        },
        body: "{}",
      }),
    );
  const session = (await post("ann")).headers.get("mcp-session-id") ?? "";
  expect(session).toMatch(/^s-1\.[0-9a-f]{64}$/);
  expect((await post("ann", session)).status).toBe(200);
  expect(seen).toEqual([null, "s-1"]);
  for (const [user, other] of [
    ["bob", session],
    ["ann", "s-1"],
    ["ann", `s-2${session.slice(3)}`],
    ["ann", ""],
  ] as const)
    expect((await post(user, other)).status, `${user} ${other}`).toBe(404);
  expect(seen).toHaveLength(2);
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("mcp "), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const seal = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(JSON.stringify(["s-1", "docs", "bob"])));
  const forged = `s-1.${Buffer.from(seal).toString("hex")}`;
  const headers = { "content-type": "application/json", "x-glove-mcp": "docs", "x-user": "bob", "mcp-session-id": forged };
  const request = new Request("https://app.example/api/chat", { method: "POST", headers, body: "{}" });
  expect((await unsigned(request)).status).toBe(404);
});

test.each<[string, () => Promise<Response>, number]>([
  ["leads elsewhere", async () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }), 502],
  ["wants another token", async () => new Response("{}", { status: 401, headers: { "www-authenticate": "Bearer" } }), 403],
  ["cannot be reached", () => Promise.reject(new TypeError("fetch failed")), 502],
])("a server that %s is told as such, without its headers", async (_, answer, status) => {
  const { handler } = made({}, answer);
  const headers = { "content-type": "application/json", "x-glove-mcp": "docs" };
  const response = await handler(new Request("https://app.example/api/chat", { method: "POST", headers, body: "{}" }));
  expect(response.status).toBe(status);
  expect([...response.headers.keys()]).not.toContain("www-authenticate");
  expect([...response.headers.keys()]).not.toContain("location");
});

test("a wrong server of a handler is refused when the handler is made", () => {
  expect(() => made({ mcp: { docs: { url: "file:///etc" } } })).toThrow('`url` of the MCP server "docs" must be an address.');
  expect(() => made({ mcp: { docs: { url: "https://a.b", token: "x" } as never } })).toThrow("There is no option `token`");
});

test("pages of other origins that may call may say what the transport says", async () => {
  const { handler } = made({ cors: "https://shop.example" });
  const asked = "content-type, x-glove-mcp, mcp-protocol-version, mcp-param-region, x-evil";
  const headers = {
    origin: "https://shop.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": asked,
  };
  const response = await handler(new Request("https://app.example/api/chat", { method: "OPTIONS", headers }));
  const allowed = response.headers.get("access-control-allow-headers") ?? "";
  for (const name of ["x-glove-mcp", "mcp-protocol-version", "mcp-param-region"]) expect(allowed).toContain(name);
  expect(allowed).not.toContain("x-evil");
});
