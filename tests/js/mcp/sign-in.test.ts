// Signing in to a server by OAuth, in a page: the question that waits for it, and what becomes of tokens. The authorization server is strict.
import { MemoryStore } from "glove-wasm";
import { createMcpAuth, type McpAuthOptions, type McpServerOptions, mcpServer } from "glove-wasm/mcp";
import type { ScriptedAnswer } from "glove-wasm/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { call, type Fill, mcpScene, mcpStore } from "../../support/mcp.js";
import { type Lies, type OAuthSite, oauthSite } from "../../support/oauth.js";
import { type Scene, until } from "../../support/session.js";

const free = { firstUse: "allow", approvals: () => false } as const;

const reading: Fill = (server) => {
  for (const name of ["read", "write"])
    server.registerTool(name, { description: "Does it.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: `${name} done` }],
    }));
};

/** Where the page was led to. */
let led: string[] = [];

function pageAt(href: string): void {
  const { origin, pathname, search } = new URL(href);
  const lead = (to: URL) => led.push(String(to));
  vi.stubGlobal("location", { href, origin, pathname, search, assign: lead, replace: lead });
  vi.stubGlobal("history", { state: null, replaceState: (_: unknown, __: string, to: URL) => pageAt(String(to)) });
}

const chat = "https://app.example/chat?with=bob";

beforeEach(() => {
  led = [];
  pageAt(chat);
});
afterEach(() => vi.unstubAllGlobals());

type Page = ReturnType<typeof mcpScene>;

interface Given {
  readonly auth?: Partial<McpAuthOptions>;
  readonly options?: Partial<McpServerOptions>;
  readonly userId?: string;
}

/** A browser that keeps what it is given, and opens page after page. */
function browser(site: OAuthSite) {
  const [lists, tokens, record] = [mcpStore(), mcpStore(), new MemoryStore("s1")];
  const open = (script: readonly ScriptedAnswer[], { auth, options, userId }: Given = {}): Page => {
    const own = createMcpAuth({ clientName: "App", way: "redirect", store: tokens, fetch: site.fetch, ...auth });
    return mcpScene(
      script,
      { ...free, url: site.url, fetch: site.fetch, store: lists, auth: own, ...options },
      { createStore: () => record, ...(userId !== undefined && { userId }) },
    );
  };
  return { open, tokens, record };
}

const isAsked = (slot: { readonly renderer: string; readonly status: string }) =>
  slot.renderer === "mcp_sign_in" && slot.status === "pending";

async function asked({ session }: Scene) {
  const { slots } = await until(session, ({ slots }) => slots.some(isAsked));
  return slots.find(isAsked) as { readonly id: string; readonly input: { readonly message: string } };
}

/** The person signs in and comes back: a page at the address where they are led. */
async function signIn(site: OAuthSite, page: Page, user?: string): Promise<void> {
  expect(await page.server.signIn()).toBe("begun");
  pageAt(site.consent(led.at(-1) ?? "", user).href);
}

async function close(page: Page): Promise<void> {
  page.session.dispose();
  await page.server.disconnect();
}

/** Somebody who has signed in, and what their next page does. */
async function signedIn(lies: Lies = {}, given: Given = {}) {
  const site = oauthSite(reading, lies);
  const there = browser(site);
  const before = there.open([], given);
  await signIn(site, before);
  await close(before);
  const page = (script: readonly ScriptedAnswer[], more: Given = {}) => there.open(script, { ...given, ...more });
  return { site, there, page };
}

const done = ({ session }: Scene) => until(session, ({ busy }) => !busy);

test("a server of which nothing is known asks somebody to sign in, over a reload, and its tools are there then", async () => {
  const site = oauthSite(reading);
  const there = browser(site);
  const before = there.open([call("docs__sign_in", {}, "c1")]);
  void before.session.sendMessage("Read it").catch(() => {});
  expect((await asked(before)).input).toEqual({
    server: "docs",
    url: site.url,
    message: 'The server "docs" (docs.example) wants you to sign in.',
  });
  expect(before.server.status()).toMatchObject({ state: "signed-out", error: { code: "MCP_SIGNED_OUT" } });
  await signIn(site, before);
  await close(before);

  const after = there.open([call("docs__read", {}, "c2"), "Read."]);
  await after.session.start();
  after.session.resolveSlot((await asked(after)).id, "signed in");
  await done(after);
  expect(after.shown()).toEqual([
    "user: Read it",
    'docs__sign_in: success The person has signed in to "docs", and its tools are there now.',
    "docs__read: success read done",
    "agent: Read.",
  ]);
  // Without what came with the address; and where the person was is shown again.
  expect([globalThis.location.href, led.at(-1)]).toEqual(["https://app.example/chat", chat]);
  expect([site.refused, site.site.calls().length]).toEqual([[], 1]);
  expect(site.registered).toMatchObject([{ client_name: "App", redirect_uris: ["https://app.example/chat"] }]);
  expect(after.server.status()).toMatchObject({ state: "ready" });
  await close(after);
});

test("a call that the server refuses waits for a sign-in over a reload, and goes on once", async () => {
  const { site, there, page } = await signedIn();
  const before = page([call("docs__read", {}, "c1")]);
  await before.server.listTools();
  site.expire({ refresh: true });
  void before.session.sendMessage("Read it").catch(() => {});
  await asked(before);
  expect(site.site.calls()).toEqual([]);
  await signIn(site, before);
  await close(before);

  const after = page(["Read."]);
  await after.session.start();
  after.session.resolveSlot((await asked(after)).id, "signed in");
  await done(after);
  expect(after.shown().slice(1)).toEqual(["docs__read: success read done", "agent: Read."]);
  expect([site.site.calls().length, site.refused]).toEqual([1, ["no such refresh token"]]);
  const record = (await there.record.readRunText()) + JSON.stringify(await after.session.messages());
  expect(record).toContain("signed in");
  for (const { token, refresh } of site.grants) for (const secret of [token, refresh]) expect(record).not.toContain(secret);
  await close(after);
});

test("a call whose person does not sign in has not run, and says so", async () => {
  const { site, page } = await signedIn();
  const one = page([call("docs__read", {}, "c1"), "Not read."]);
  await one.server.listTools();
  site.expire({ refresh: true });
  const sent = one.session.sendMessage("Read it");
  one.session.rejectSlot((await asked(one)).id);
  await sent;
  expect(one.shown()[1]).toBe('docs__read: error The MCP server "docs" wants you to sign in. The tool did not run.');
  expect(site.site.calls()).toEqual([]);
  await close(one);
});

test("a run that cannot do without a server lets somebody sign in to it first", async () => {
  const site = oauthSite(reading);
  const page = browser(site).open([call("docs__sign_in", {}, "c1"), "Not now."], { options: { required: true } });
  const sent = page.session.sendMessage("Read it");
  page.session.rejectSlot((await asked(page)).id);
  expect(await sent).toMatchObject({ text: "Not now." });
  await close(page);
});

test("a server that takes no token, however new, is not asked about for ever", async () => {
  const { page } = await signedIn({ never: true });
  const one = page([call("docs__sign_in", {}, "c1"), "No."]);
  const sent = one.session.sendMessage("Read it");
  one.session.resolveSlot((await asked(one)).id, "signed in");
  await sent;
  expect(one.shown()[1]).toContain("docs__sign_in: error");
  expect(one.server.status().state).toBe("signed-out");
  await close(one);
});

// ---- what comes back -----------------------------------------------------------------------------------------------

/** What becomes of a person who comes back to this address. */
async function returnsTo(site: OAuthSite, change: (back: URL) => void) {
  const there = browser(site);
  const before = there.open([]);
  expect(await before.server.signIn()).toBe("begun");
  const back = site.consent(led.at(-1) ?? "");
  change(back);
  pageAt(back.href);
  await close(before);
  const after = there.open([]);
  const status = await after.server.connect().catch((error: { readonly code: string }) => error);
  const failed = [...there.tokens.rows].find(([key]) => key.startsWith('["failed"'))?.[1];
  await close(after);
  return {
    status,
    failed: failed === undefined ? undefined : (JSON.parse(failed) as { readonly code: string; readonly message: string }),
    there,
  };
}

test.each<[string, (back: URL) => void]>([
  ["another server's name (mix-up)", (back) => back.searchParams.set("iss", "https://evil.example")],
  ["no name, though its server gives one", (back) => back.searchParams.delete("iss")],
  ["a code that was not given", (back) => back.searchParams.set("code", "guessed")],
  [
    "the word of another server that it failed",
    (back) => {
      back.searchParams.delete("code");
      back.searchParams.set("error", "send_me_money");
      back.searchParams.set("iss", "https://evil.example");
    },
  ],
])("somebody who comes back with %s is not signed in, and is told", async (_, change) => {
  const site = oauthSite(reading);
  const { status, failed } = await returnsTo(site, change);
  expect(status).toMatchObject({ code: "MCP_SIGNED_OUT" });
  expect(failed).toMatchObject({ code: "MCP_AUTH_FAILED", message: expect.stringMatching(/^The sign-in failed: /) });
  expect(failed?.message).not.toContain("send_me_money");
  expect(site.grants).toEqual([]);
});

test("what the authorization server says of a refusal is told", async () => {
  const { failed } = await returnsTo(oauthSite(reading), (back) => {
    back.searchParams.delete("code");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "You may not.");
  });
  expect(failed).toEqual({ code: "MCP_AUTH_FAILED", message: "The sign-in failed: You may not." });
});

test("a state that was not begun here, or was used, signs nobody in, and asks nobody anything", async () => {
  const site = oauthSite(reading);
  const { there } = await returnsTo(site, (back) => back.searchParams.set("state", "glove-mcp.of-somebody-else-and-long-enough"));
  expect(site.asked.filter((one) => one.endsWith("/token"))).toEqual([]);
  expect([...there.tokens.rows.keys()].filter((key) => key.startsWith('["tokens"'))).toEqual([]);
  // A page that is loaded again with what was taken.
  const { site: other, page } = await signedIn();
  const back = globalThis.location.href;
  const first = page([]);
  await first.server.connect();
  pageAt(back);
  const second = page([]);
  await second.server.connect();
  expect([other.refused, other.asked.filter((one) => one.endsWith("/token")).length]).toEqual([[], 1]);
  await close(first);
  await close(second);
});

// ---- servers that lie ----------------------------------------------------------------------------------------------

test.each<[string, Lies, RegExp]>([
  ["is for another resource", { resource: "https://bank.example/mcp" }, /does not match/],
  ["is for a part of the server that it is not", { resource: "https://docs.example/mcp/admin" }, /does not match/],
  ["takes no PKCE", { metadata: { code_challenge_methods_supported: undefined } }, /PKCE/],
  ["takes only a weak PKCE", { metadata: { code_challenge_methods_supported: ["plain"] } }, /code challenge/],
  ["calls itself otherwise", { metadata: { issuer: "https://evil.example" } }, /[Ii]ssuer/],
  ["leads to an address in the clear", { metadata: { authorization_endpoint: "http://login.example/authorize" } }, /encrypted/],
  ["registers in the clear", { metadata: { registration_endpoint: "http://login.example/register" } }, /encrypted/],
  ["leads to code", { metadata: { authorization_endpoint: "javascript:alert(1)" } }, /javascript/],
  [
    "sends whoever registers to another address",
    {
      before: ({ url }) =>
        url.endsWith("/register")
          ? new Response(null, { status: 307, headers: { location: "https://evil.example/" } })
          : undefined,
    },
    /another address/,
  ],
  ["sends without end", { metadata: { padding: "x".repeat(300_000) } }, /more than 256000 bytes/],
])("nobody is led to sign in by a server that %s", async (_, lies, why) => {
  const site = oauthSite(reading, lies);
  const page = browser(site).open([]);
  await page.server.connect().catch(() => {});
  await expect(page.server.signIn()).rejects.toMatchObject({ code: "MCP_AUTH_FAILED", message: expect.stringMatching(why) });
  expect(led).toEqual([]);
  await close(page);
});

test("what a server says of itself is not asked for at another address", async () => {
  const challenge = 'Bearer resource_metadata="https://evil.example/metadata"';
  const site = oauthSite(reading, { challenge });
  const page = browser(site).open([]);
  await page.server.connect().catch(() => {});
  await page.server.signIn();
  expect(site.asked.filter((one) => one.includes("evil"))).toEqual([]);
  expect(new URL(led[0] ?? "").origin).toBe("https://login.example");
  await close(page);
});

test("a token is sent to no address that the server leads to, on the same host either", async () => {
  let leads = false;
  const { site, page } = await signedIn({
    before: ({ url }) =>
      leads && url === "https://docs.example/mcp"
        ? new Response(null, { status: 307, headers: { location: "https://docs.example/other" } })
        : undefined,
  });
  const one = page([]);
  await one.server.connect();
  leads = true;
  await expect(one.server.listTools()).rejects.toMatchObject({ code: "MCP_UNREACHABLE" });
  expect(new Set(site.tokensAt)).toEqual(new Set(["https://docs.example/mcp"]));
  await close(one);
});

test("two servers of one host have tokens of their own, and a server in the clear gets none", async () => {
  const { site, there } = await signedIn();
  const auth = createMcpAuth({ store: there.tokens, fetch: site.fetch });
  const other = mcpServer({ name: "other", url: "https://docs.example/mcp/other", fetch: site.fetch, auth });
  await other.connect().catch(() => {});
  expect(site.tokensAt).toEqual([]);
  expect(() => mcpServer({ name: "clear", url: "http://docs.example/mcp", auth })).toThrow(
    expect.objectContaining({ code: "MCP_CONFIG" }),
  );
  expect(() => mcpServer({ name: "program", transport: () => Promise.reject(), auth })).toThrow(
    expect.objectContaining({ code: "MCP_CONFIG" }),
  );
  await other.disconnect();
});

// ---- tokens --------------------------------------------------------------------------------------------------------

test("tokens are made anew once, whichever pages need them", async () => {
  const { site, page } = await signedIn();
  const pages = [page([]), page([]), page([])];
  for (const one of pages) await one.server.connect();
  site.expire();
  const lists = await Promise.all(pages.map((one) => one.server.listTools()));
  expect(lists.map((list) => list.length)).toEqual([2, 2, 2]);
  // The code, and one refresh token.
  expect([site.asked.filter((one) => one.endsWith("/token")).length, site.refused]).toEqual([2, []]);
  for (const one of pages) await close(one);
});

test("an authorization server that is away signs nobody out", async () => {
  let away = false;
  const { site, page } = await signedIn({
    before: ({ url }) => (away && url.endsWith("/token") ? new Response("down", { status: 503 }) : undefined),
  });
  const one = page([call("docs__read", {}, "c1"), "Later.", call("docs__read", {}, "c2"), "Read."]);
  await one.server.listTools();
  site.expire();
  away = true;
  await one.session.sendMessage("Read it");
  expect(one.shown()[1]).toMatch(/^docs__read: error The sign-in failed: .* The tool did not run\.$/);
  away = false;
  await one.session.sendMessage("Read it again");
  expect(one.shown().slice(4)).toEqual(["docs__read: success read done", "agent: Read."]);
  await close(one);
});

test("a tool that needs more rights has somebody sign in for them and for those that were there", async () => {
  const { site, page } = await signedIn({ scopes: { write: "write" } });
  const before = page([call("docs__write", {}, "c1")]);
  void before.session.sendMessage("Write it").catch(() => {});
  await asked(before);
  await signIn(site, before);
  expect(new URL(led.at(-1) ?? "").searchParams.get("scope")).toBe("read write");
  await close(before);
  const after = page(["Written."]);
  await after.session.start();
  after.session.resolveSlot((await asked(after)).id, "signed in");
  await done(after);
  expect(after.shown().slice(1)).toEqual(["docs__write: success write done", "agent: Written."]);
  expect(site.site.calls().length).toBe(1);
  await close(after);
});

test("each user has tokens of their own", async () => {
  const site = oauthSite(reading);
  const there = browser(site);
  for (const userId of ["ann", "bob"]) {
    pageAt(chat);
    const before = there.open([call("docs__sign_in", {}, `c ${userId}`)], { userId });
    void before.session.sendMessage("Read it").catch(() => {});
    await asked(before);
    await signIn(site, before, userId);
    await close(before);
    const after = there.open(["Signed in."], { userId });
    await after.session.start();
    after.session.resolveSlot((await asked(after)).id, "signed in");
    await done(after);
    await close(after);
  }
  const owners = [...there.tokens.rows.keys()].filter((key) => key.startsWith('["tokens"')).map((key) => JSON.parse(key)[2]);
  expect(owners).toEqual(["ann", "bob"]);
  expect(site.grants.map(({ user }) => user)).toEqual(["ann", "bob"]);
});

test("somebody who signs out has no tokens any more, and their pages use none", async () => {
  const { site, there, page } = await signedIn();
  const one = page([]);
  await one.server.connect();
  await one.server.signOut();
  expect([...there.tokens.rows].filter(([key]) => key.startsWith('["tokens"'))).toEqual([]);
  const sent = site.tokensAt.length;
  await expect(one.server.connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
  expect(site.tokensAt.length).toBe(sent);
  await close(one);
});

test("an application that has a document of itself, or an id, registers nothing", async () => {
  const document = "https://app.example/oauth-client.json";
  const { site, page } = await signedIn(
    { metadata: { client_id_metadata_document_supported: true } },
    { auth: { clientMetadataUrl: document } },
  );
  const one = page([]);
  expect(await one.server.connect()).toMatchObject({ state: "ready" });
  expect([new URL(led[0] ?? "").searchParams.get("client_id"), site.registered]).toEqual([document, []]);
  await close(one);
  pageAt(chat);
  led = [];
  const { site: other, page: next } = await signedIn({}, { auth: { clientId: "by-hand" } });
  const two = next([]);
  expect(await two.server.connect()).toMatchObject({ state: "ready" });
  expect(other.registered).toEqual([]);
  await close(two);
});

test("a program without a page says that nobody can come back to it", async () => {
  const page = browser(oauthSite(reading)).open([]);
  vi.unstubAllGlobals();
  await expect(page.server.signIn()).rejects.toMatchObject({
    code: "MCP_AUTH_FAILED",
    message: expect.stringMatching(/no page/),
  });
  await close(page);
});

test("a window that the browser blocks is told, and leaving the page is left", async () => {
  const site = oauthSite(reading);
  const page = browser(site).open([], { auth: { way: "popup" } });
  vi.stubGlobal("window", { open: () => null });
  expect(await page.server.signIn()).toBe("blocked");
  expect(led).toEqual([]);
  expect(await page.server.signIn("redirect")).toBe("begun");
  expect(led).toHaveLength(1);
  await close(page);
});

test.each<[object, RegExp]>([
  [{ redirectUrl: "https://evil.example/" }, /origin/],
  [{ clientMetadataUrl: "http://app.example/client.json" }, /https/],
  [{ way: "tab" }, /way/],
  [{ tokens: {} }, /tokens/],
])("an option that cannot work is refused at once: %j", (options, why) => {
  expect(() => createMcpAuth(options as McpAuthOptions)).toThrow(
    expect.objectContaining({ code: "MCP_CONFIG", message: expect.stringMatching(why) }),
  );
});
