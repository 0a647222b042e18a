// Sandboxed code in Chromium: nothing of the page is reached, what never ends is ended, and the page stays alive.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage, withProfile } from "../support/pages.js";
import { escapes, harmless } from "../support/sandbox.js";
import type { Served } from "../support/server.js";
import { codeOf, grantsOf, serveWeb } from "../support/web-asks.js";

let browser: Browser;
let server: Served;
const strict = { "content-security-policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'" };
beforeAll(async () => {
  [browser, server] = [await openBrowser(), await servePackage()];
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const tools = `const { sandboxExec } = await import(new URL("/pkg/tools/index.js", document.baseURI));
  const run = async (code, options, input) => { const { data, message } = await sandboxExec(options).do({ code, input }, {}); return { data, message }; };`;

test("the engine comes with the first call, and nothing gets out of it", async () => {
  await withProfile(browser, server, async ({ open }) => {
    const page = await open();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await inPage(page, `${tools} sandboxExec(); return 1`);
    expect(asked.filter((url) => url.includes("engine"))).toEqual([]);
    const found = await inPage<{ data: unknown; message?: string }[]>(
      page,
      `${tools} const all = []; for (const code of ${JSON.stringify(escapes)}) all.push(await run(code, {}, {})); return all`,
    );
    expect(asked.filter((url) => url.includes("/engine-"))).toHaveLength(1);
    for (const [at, { data, message }] of found.entries()) {
      if (message)
        expect([escapes[at], message]).toEqual([escapes[at], expect.stringMatching(/is not defined|there is no module/)]);
      else expect([escapes[at], String(data)]).toEqual([escapes[at], expect.stringMatching(harmless)]);
    }
  });
});

test("loops and allocations for ever are ended while the page goes on, and leave nothing behind", async () => {
  await withProfile(browser, server, async ({ open }) => {
    const page = await open();
    const { frames, ends, after } = await inPage<{
      frames: number;
      ends: { data: { code: string } }[];
      after: { data: unknown };
    }>(
      page,
      `${tools} let frames = 0; const count = setInterval(() => frames++, 10);
       const limits = { timeMs: 5000, memory: 16 << 20 };
       const ends = await Promise.all(["for (;;);", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", "const a = []; for (;;) a.push({ a })"].map((code) => run(code, { limits })));
       clearInterval(count);
       // The browser may still be ending those: starting beside them does not count.
       return { frames, ends, after: await run("return 'alive'", { limits: { timeMs: 1000 } }) }`,
    );
    expect(ends.map(({ data }) => data.code)).toEqual(["SANDBOX_TIMEOUT", "SANDBOX_MEMORY", "SANDBOX_MEMORY"]);
    expect(frames).toBeGreaterThan(10);
    expect(after.data).toBe("alive");
    // One that is busy is given two seconds by the browser.
    await expect.poll(() => page.workers().length, { timeout: 20_000 }).toBe(0);
  });
});

test("a policy that forbids such workers is named", async () => {
  await withProfile(browser, server, async ({ context }) => {
    const page = await context.newPage();
    await page.route(`${server.url}/`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), ...strict } });
    });
    await page.goto(server.url);
    const { data, message } = await inPage<{ data: unknown; message: string }>(page, `${tools} return run("return 1")`);
    expect(data).toEqual({ code: "SANDBOX_UNAVAILABLE" });
    expect(message).toContain("worker-src blob:");
  });
});

test("sandboxed code asks the web as in Node, but for redirects, of which pages are not told where they lead", async () => {
  const servers = await serveWeb();
  try {
    await withProfile(browser, server, async ({ open }) => {
      const page = await open();
      for (const row of servers.cases) {
        const { gives, fails } = { ...(row.page ?? row) };
        const call = JSON.stringify([grantsOf(row, servers), codeOf(row, servers), row.given ?? {}]);
        const found = await inPage<{ data: unknown; message?: string }>(
          page,
          `${tools} const [grants, code, credentials] = ${call};
           const { status, ...found } = await sandboxExec(grants).do({ code }, { credentials });
           return found;`,
        );
        if (fails === undefined) expect([row.code, found]).toEqual([row.code, { data: gives }]);
        else expect([row.code, found.message]).toEqual([row.code, expect.stringContaining(fails)]);
        expect(JSON.stringify(found)).not.toContain("planted");
        const read = servers.authorizations();
        if (row.sent) expect(read).toEqual([row.sent]);
      }
    });
  } finally {
    servers.close();
  }
});
