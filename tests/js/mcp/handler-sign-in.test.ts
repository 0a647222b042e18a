// People who sign in to an MCP server through a chat handler: whose tokens are used, and what reaches neither page nor record.
import { MemoryStore } from "glove-wasm";
import { createMcpAuth } from "glove-wasm/mcp";
import { type ChatHandlerConfig, createChatHandler, type McpUpstreamAuth } from "glove-wasm/server";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { call, type Fill, mcpScene, mcpStore } from "../../support/mcp.js";
import { type Lies, type OAuthSite, oauthSite } from "../../support/oauth.js";
import { type Scene, until } from "../../support/session.js";

const client = () => import("@modelcontextprotocol/client");

const free = { firstUse: "allow", approvals: () => false } as const;

const reading: Fill = (server) => {
  for (const name of ["read", "write"])
    server.registerTool(name, { description: "Does it.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: `${name} done` }],
    }));
};

const chat = "https://app.example/chat?with=bob";
const endpoint = "https://app.example/api/chat";

/** Where the page was led to. */
let led: string[] = [];

beforeEach(() => {
  led = [];
  const lead = (to: URL) => led.push(String(to));
  const { origin, pathname, search } = new URL(chat);
  vi.stubGlobal("location", { href: chat, origin, pathname, search, assign: lead, replace: lead });
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  vi.unstubAllGlobals();
});

interface Given {
  readonly lies?: Lies;
  readonly auth?: Partial<McpUpstreamAuth>;
  readonly config?: Partial<ChatHandlerConfig>;
}

/** An application: its handler, and pages of its people. */
function application({ lies = {}, auth = {}, config = {} }: Given = {}) {
  const site = oauthSite(reading, lies);
  vi.stubGlobal("fetch", site.fetch);
  const tokens = mcpStore();
  /** Whatever a page was told, in words. */
  const told: string[] = [];
  const make = () =>
    createChatHandler({
      createModel: () => createScriptedModel([]),
      owner: (request) => request.headers.get("x-user") ?? "",
      toolSecret: "a secret",
      onError: () => {},
      mcp: { docs: { url: site.url, auth: { client, redirectUrl: endpoint, clientName: "App", store: tokens, ...auth } } },
      ...config,
    });
  const handler = make();
  const stores = new Map<string, MemoryStore>();
  const page = (script: readonly ScriptedAnswer[], user = "ann", by = handler) => {
    const store = stores.get(user) ?? new MemoryStore(`s ${user}`);
    stores.set(user, store);
    const opened = mcpScene(
      script,
      {
        ...free,
        via: endpoint,
        auth: createMcpAuth({ way: "redirect", store: mcpStore() }),
        headers: { "x-user": user },
        store: mcpStore(),
        fetch: async (url, init) => {
          const response = await by(new Request(url as string, init));
          told.push(JSON.stringify([...response.headers]));
          // A stream has no end.
          const kept = response.clone();
          void kept.text().then((text) => told.push(text));
          return response;
        },
      },
      { createStore: () => store, userId: user },
    );
    closing.push(() => close(opened));
    return opened;
  };
  /** The browser of the person follows where it is sent. */
  const back = (address: URL | string, user = "ann") =>
    handler(new Request(address, { headers: { "x-user": user, accept: "text/html" } }));
  return { site, tokens, told, make, handler, page, back, stores };
}

type Page = ReturnType<typeof mcpScene>;

async function close(page: Page): Promise<void> {
  page.session.dispose();
  await page.server.disconnect();
}

/** Somebody has signed in, and their page is closed. */
async function signIn({ site, page, back }: ReturnType<typeof application>, user = "ann"): Promise<Response> {
  const before = page([], user);
  expect(await before.server.signIn()).toBe("begun");
  const response = await back(site.consent(led.at(-1) ?? "", user), user);
  await close(before);
  return response;
}

const isAsked = (slot: { readonly renderer: string; readonly status: string }) =>
  slot.renderer === "mcp_sign_in" && slot.status === "pending";

async function asked({ session }: Scene) {
  const { slots } = await until(session, ({ slots }) => slots.some(isAsked));
  return slots.find(isAsked) as { readonly id: string; readonly input: object };
}

/** All that holds tokens of the server. */
const hasTokens = ({ grants }: OAuthSite, text: string) =>
  grants.some(({ token, refresh }) => text.includes(token) || text.includes(refresh));

test("a call waits until its person has signed in through the handler, over a reload, and goes on once", async () => {
  const app = application();
  const { site, page, back, told, stores, tokens } = app;
  const before = page([call("docs__sign_in", {}, "c1")]);
  void before.session.sendMessage("Read it").catch(() => {});
  expect((await asked(before)).input).toMatchObject({ server: "docs", url: endpoint, user: "ann" });
  expect(before.server.status()).toMatchObject({ state: "signed-out", error: { code: "MCP_SIGNED_OUT" } });
  expect(await before.server.signIn()).toBe("begun");
  const address = new URL(led.at(-1) ?? "");
  expect([address.origin, address.searchParams.get("redirect_uri")]).toEqual([site.issuer, endpoint]);
  await close(before);

  const response = await back(site.consent(address));
  expect([response.status, response.headers.get("location")]).toEqual([303, chat]);

  const after = page([call("docs__read", {}, "c2"), "Read."]);
  await after.session.start();
  after.session.resolveSlot((await asked(after)).id, "signed in");
  await until(after.session, ({ busy }) => !busy);
  expect(after.shown()).toEqual([
    "user: Read it",
    'docs__sign_in: success The person has signed in to "docs", and its tools are there now.',
    "docs__read: success read done",
    "agent: Read.",
  ]);
  expect([site.refused, site.site.calls().length, site.registered.length]).toEqual([[], 1, 1]);
  // A token goes to its server, and to who made it.
  expect(new Set(site.tokensAt)).toEqual(new Set([site.url]));
  const record = JSON.stringify(await stores.get("ann")?.getMessages());
  expect(hasTokens(site, [...told, record].join(" "))).toBe(false);
  expect(hasTokens(site, [...tokens.rows.values()].join(" "))).toBe(true);
  // Nothing that made them is left beside them.
  expect([...tokens.rows.keys()].filter((key) => key.startsWith('["flow"'))).toEqual([]);
});

test("each owner has tokens of their own, and nobody brings another one back", async () => {
  const app = application();
  const { site, page, back, handler } = app;
  await signIn(app);
  const bob = page([], "bob");
  await expect(bob.server.connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
  // Bob has Ann follow the address of his own sign-in, or gets hold of where she comes back.
  expect(await bob.server.signIn()).toBe("begun");
  const returned = site.consent(led.at(-1) ?? "", "ann");
  expect((await back(returned, "ann")).status).toBe(403);
  expect(site.grants.map(({ user }) => user)).toEqual(["ann"]);
  expect((await back(returned, "bob")).status).toBe(303);
  expect(await bob.server.connect()).toMatchObject({ state: "ready" });
  expect(site.grants.map(({ user }) => user)).toEqual(["ann", "ann"]);
  // Who is nobody has no token of anybody, and begins nothing.
  const nobody = page([], "");
  await expect(nobody.server.connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
  await expect(nobody.server.signIn()).rejects.toMatchObject({ status: 401 });
  const asks = (user: string) =>
    handler(
      new Request(endpoint, {
        method: "POST",
        headers: { "x-user": user, "x-glove-mcp": "docs", "x-glove-mcp-auth": "state", "content-type": "application/json" },
        body: "{}",
      }),
    );
  expect((await asks("")).status).toBe(401);
  expect(await (await asks("carl")).json()).toEqual({ state: "signed-out" });
});

test("what came back twice, too late, or from nowhere makes no token", async () => {
  const app = application();
  const { site, page, back } = app;
  const ann = page([]);
  await ann.server.signIn();
  const first = site.consent(led.at(-1) ?? "");
  // Who begins anew means the new one.
  await ann.server.signIn();
  expect((await back(first)).status).toBe(400);
  const second = site.consent(led.at(-1) ?? "");
  expect((await back(second)).status).toBe(303);
  expect((await back(second)).status).toBe(400);
  expect((await back(`${endpoint}?code=1&state=glove-mcp.unknown`)).status).toBe(400);
  expect(site.grants).toHaveLength(1);
  await ann.server.signIn();
  const late = site.consent(led.at(-1) ?? "");
  vi.useFakeTimers({ now: Date.now() + 3_700_000, toFake: ["Date"] });
  expect((await back(late)).status).toBe(400);
  vi.useRealTimers();
  expect(site.grants).toHaveLength(1);
});

test("a refresh is made once for many calls, also by several processes, and its person notices nothing", async () => {
  const app = application();
  const { site, page, make } = app;
  await signIn(app);
  site.expire();
  const pages = [page([call("docs__read", {}), "Read."]), page([], "ann", make())];
  const [one, other] = pages as [Page, Page];
  const [outcome, tools] = await Promise.all([one.session.sendMessage("Read it"), other.server.listTools()]);
  expect([outcome, tools.length]).toMatchObject([{ text: "Read." }, 2]);
  expect([site.grants.length, site.refused]).toEqual([2, []]);
  expect(one.shown()[1]).toBe("docs__read: success read done");
});

test("what another process has refreshed meanwhile is used, and not thrown away", async () => {
  let store = mcpStore();
  const rows = store.rows;
  // Another process has read the same tokens, and is faster.
  let faster: (() => Promise<unknown>) | undefined;
  store = {
    ...store,
    rows,
    get: async (key) => {
      const value = rows.get(key);
      if (key.startsWith('["tokens"') && faster) {
        const first = faster;
        faster = undefined;
        await first();
      }
      return value;
    },
  };
  const app = application({ auth: { store } });
  await signIn(app);
  app.site.expire();
  // The lock is of one process; here the other one writes between the read of the tokens and their use.
  const kept = [...rows].find(([key]) => key.startsWith('["tokens"')) as [string, string];
  const ann = app.page([]);
  const used = JSON.parse(kept[1]) as { tokens: { refresh_token: string; access_token: string }; client: { client_id: string } };
  const renew = async () => {
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: used.tokens.refresh_token,
      client_id: used.client.client_id,
      resource: app.site.url,
    });
    const response = await app.site.fetch(`${app.site.issuer}/token`, { method: "POST", body });
    rows.set(kept[0], JSON.stringify({ ...used, tokens: { ...used.tokens, ...(await response.json()) } }));
    // This server is no strict one: it knows a spent one no more.
    app.site.grants.splice(0, 1);
  };
  let reads = 0;
  faster = async () => {
    // The first read is that of the request, the second that of the refresh.
    if (++reads === 1) faster = renew;
  };
  expect(await ann.server.connect()).toMatchObject({ state: "ready" });
  expect(app.site.refused.length).toBeGreaterThan(0);
});

test("tokens that nobody takes any more, and rights that are missing, ask the person again", async () => {
  const app = application({ lies: { scopes: { write: "write" } } });
  const { site, page, back } = app;
  await signIn(app);
  const ann = page([call("docs__write", {}), "Written."]);
  const sending = ann.session.sendMessage("Write it");
  const { id } = await asked(ann);
  expect(await ann.server.signIn()).toBe("begun");
  expect(new URL(led.at(-1) ?? "").searchParams.get("scope")?.split(" ").sort()).toEqual(["read", "write"]);
  await back(site.consent(led.at(-1) ?? ""));
  ann.session.resolveSlot(id, "signed in");
  expect(await sending).toMatchObject({ text: "Written." });
  expect([ann.shown()[1], site.site.calls().length]).toEqual(["docs__write: success write done", 1]);
  await close(ann);
  site.expire({ refresh: true });
  await expect(page([]).server.connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
});

test("who signs out has no tokens any more", async () => {
  const app = application();
  await signIn(app);
  const ann = app.page([]);
  expect(await ann.server.connect()).toMatchObject({ state: "ready" });
  await ann.server.signOut();
  expect(hasTokens(app.site, [...app.tokens.rows.values()].join(" "))).toBe(false);
  await expect(ann.server.listTools()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
});

test("a window that comes back closes itself, and says nothing that a server has said", async () => {
  const { site, handler, back } = application({ lies: { returns: (to) => to.searchParams.set("iss", "https://evil.example") } });
  const begin = async (user: string, from: string) => {
    const response = await handler(
      new Request(endpoint, {
        method: "POST",
        headers: { "x-user": user, "x-glove-mcp": "docs", "x-glove-mcp-auth": "begin", "content-type": "application/json" },
        body: JSON.stringify({ from, way: "popup" }),
      }),
    );
    return ((await response.json()) as { address: string }).address;
  };
  const response = await back(site.consent(await begin("ann", chat)));
  const html = await response.text();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(html).toContain("The sign-in failed");
  expect(html).not.toContain("evil.example");
  expect(site.grants).toEqual([]);
});

test("a person is sent back to pages that may call, and to no others", async () => {
  const app = application({ config: { cors: "https://shop.example" } });
  for (const [from, location] of [
    [chat, chat],
    ["https://shop.example/cart", "https://shop.example/cart"],
    ["https://evil.example/", null],
    ["javascript:alert(1)", null],
    ["//evil.example", null],
  ] as const) {
    const response = await app.handler(
      new Request(endpoint, {
        method: "POST",
        headers: { "x-user": "ann", "x-glove-mcp": "docs", "x-glove-mcp-auth": "begin", "content-type": "application/json" },
        body: JSON.stringify({ from, way: "redirect" }),
      }),
    );
    const { address } = (await response.json()) as { address: string };
    expect((await app.back(app.site.consent(address))).headers.get("location")).toBe(location);
  }
});

test.each([
  ["this machine", "http://127.0.0.1:9"],
  ["its network", "https://10.0.0.7"],
  ["a cloud's own data", "https://169.254.169.254"],
  ["a local name", "https://vault.internal"],
])("a server that names an authorization server on %s has the handler ask nothing there", async (_, issuer) => {
  const app = application({ lies: { protectedMetadata: { authorization_servers: [issuer] } } });
  const ann = app.page([]);
  await expect(ann.server.signIn()).rejects.toMatchObject({ code: "MCP_AUTH_FAILED" });
  expect(app.site.asked.filter((line) => line.includes(issuer))).toEqual([]);
  expect(led).toEqual([]);
});

test("a wrong `auth` of a handler is refused when the handler is made", () => {
  const wrong = (auth: object, config: Partial<ChatHandlerConfig> = {}) => application({ auth, config });
  expect(() => wrong({}, { owner: undefined })).toThrow("needs the handler's `owner`");
  expect(() => wrong({ redirectUrl: "http://app.example/api" })).toThrow("must be the address of this handler");
  expect(() => wrong({ redirectUrl: undefined })).toThrow("must be the address of this handler");
  expect(() => wrong({ clientMetadataUrl: "http://a.b/c" })).toThrow("with `https:` and a path");
  expect(() => wrong({ token: "x" })).toThrow("There is no option `auth.token`");
  expect(() => wrong({ hosts: "evil.example" })).toThrow("hosts");
  const url = "http://docs.example/mcp";
  expect(() => wrong({}, { mcp: { docs: { url, auth: { client, redirectUrl: endpoint } } } })).toThrow(
    "must begin with `https:`",
  );
});
