// The example of an OAuth server in the older official package, over loopback: somebody signs in to it as in a page.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { createMcpAuth, mcpServer } from "glove-wasm/mcp";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { afterEach, expect, test, vi } from "vitest";
import { mcpStore } from "../support/mcp.js";
import { root } from "../support/project.js";

const sdk = join(root, "tests", "real", "mcp", "node_modules", "@modelcontextprotocol", "sdk");
const program = join(sdk, "dist", "esm", "examples", "server", "simpleStreamableHttp.js");

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const close of closing.splice(0).reverse()) await close();
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Where a page is, and where it was led to. */
let led: string[] = [];

function pageAt(href: string): void {
  const { origin, pathname, search } = new URL(href);
  const lead = (to: URL) => led.push(String(to));
  vi.stubGlobal("location", { href, origin, pathname, search, assign: lead, replace: lead });
  vi.stubGlobal("history", { state: null, replaceState: (_: unknown, __: string, to: URL) => pageAt(String(to)) });
}

/** The example, with its authorization server at an address of its own. */
async function example(): Promise<{ readonly port: number; readonly authPort: number }> {
  led = [];
  const [port, authPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [program, "--oauth", "--oauth-strict"], {
    env: { ...process.env, MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  closing.push(() => child.kill());
  await new Promise<void>((resolve) => {
    let told = "";
    child.stdout.on("data", (text) => {
      told += text;
      if (told.includes("MCP Streamable HTTP Server listening") && told.includes("Authorization Server listening")) resolve();
    });
  });
  return { port, authPort };
}

test("the example server of the official package signs somebody in, for its resource alone, and lists its tools then", async () => {
  const { port, authPort } = await example();
  pageAt("http://localhost:9/chat");
  const store = mcpStore();
  const page = () => {
    const auth = createMcpAuth({ clientName: "App", way: "redirect", store });
    const server = mcpServer({ name: "example", url: `http://localhost:${port}/mcp`, auth, store: mcpStore() });
    closing.push(() => server.disconnect());
    return server;
  };
  const before = page();
  await expect(before.connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
  expect(await before.signIn()).toBe("begun");
  const asked = new URL(led[0] ?? "");
  expect([asked.port, asked.searchParams.get("resource")]).toEqual([String(authPort), `http://localhost:${port}/mcp`]);
  const back = await fetch(asked, { redirect: "manual" });
  pageAt(back.headers.get("location") ?? "");
  const after = page();
  expect(await after.connect()).toMatchObject({ state: "ready" });
  expect((await after.listTools()).map(({ tool }) => tool)).toContain("greet");
  await after.signOut();
  await expect(after.listTools()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
});

test("the example server of the official package signs somebody in through a chat handler, which keeps the tokens", async () => {
  const { port, authPort } = await example();
  pageAt("http://localhost:9/chat");
  const tokens = mcpStore();
  const url = `http://localhost:${port}/mcp`;
  const handler = createChatHandler({
    createModel: () => createScriptedModel([]),
    owner: (request) => request.headers.get("x-user") ?? "",
    toolSecret: "a secret",
    mcp: {
      example: {
        url,
        auth: {
          client: () => import("@modelcontextprotocol/client"),
          redirectUrl: "http://localhost:9/api/chat",
          store: tokens,
          hosts: [`http://localhost:${authPort}`],
        },
      },
    },
  });
  const page = (user: string) => {
    const server = mcpServer({
      name: "example",
      via: "http://localhost:9/api/chat",
      auth: createMcpAuth({ way: "redirect", store: mcpStore() }),
      headers: { "x-user": user },
      store: mcpStore(),
      fetch: (to, init) => handler(new Request(to as string, init)),
    });
    closing.push(() => server.disconnect());
    return server;
  };
  const before = page("ann");
  await expect(before.connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
  expect(await before.signIn()).toBe("begun");
  const asked = new URL(led[0] ?? "");
  expect([asked.port, asked.searchParams.get("resource")]).toEqual([String(authPort), url]);
  const consented = await fetch(asked, { redirect: "manual" });
  const back = await handler(new Request(consented.headers.get("location") ?? "", { headers: { "x-user": "ann" } }));
  expect([back.status, back.headers.get("location")]).toEqual([303, "http://localhost:9/chat"]);
  const after = page("ann");
  expect(await after.connect()).toMatchObject({ state: "ready" });
  expect((await after.listTools()).map(({ tool }) => tool)).toContain("greet");
  await expect(page("bob").connect()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
  expect([...tokens.rows.keys()].filter((key) => key.startsWith('["tokens"'))).toHaveLength(1);
  await after.signOut();
  await expect(after.listTools()).rejects.toMatchObject({ code: "MCP_SIGNED_OUT" });
});
