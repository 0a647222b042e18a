// Signing in to a server of MCP, in a real browser and with a strict authorization server at other origins: in a window, by leaving the page,
// and with a page that is loaded again in between.
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openBrowser, patience } from "../support/browser.js";
import { type OAuthSite, oauthSite } from "../support/oauth.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";

let browser: Browser;
let app: Served;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [`${root}/tests/support/sign-in-page.tsx`],
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    outdir: "/",
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
  });
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [path, text]));
  const html =
    "<!doctype html><title>Chat</title><link rel=icon href=data:,><body><script type=module src=/sign-in-page.js></script>";
  [browser, app] = [await openBrowser(), await serve("", { pages: { "/": html, "/blank": "<!doctype html>", ...files } })];
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

/** The two servers, each at an origin of its own. */
async function places() {
  let site: OAuthSite | undefined;
  const at = (place: () => Served) => async (request: Request) => {
    const cors = {
      "access-control-allow-origin": new URL(app.url).origin,
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "",
      "access-control-expose-headers": "www-authenticate, mcp-session-id",
    };
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    const { pathname } = new URL(request.url);
    const response = (await site?.handle(new Request(place().url + pathname, request))) ?? new Response(null, { status: 404 });
    return new Response(response.body, {
      status: response.status,
      headers: { ...Object.fromEntries(response.headers), ...cors },
    });
  };
  const [atResource, atLogin] = [at(() => resource), at(() => login)];
  const resource: Served = await serve("", {
    routes: { "/mcp": atResource, "/.well-known/oauth-protected-resource/mcp": atResource },
  });
  const login: Served = await serve("", {
    routes: {
      "/.well-known/oauth-authorization-server": atLogin,
      "/register": atLogin,
      "/token": atLogin,
      "/authorize": async ({ url }) => {
        const back = site?.consent(url).href.replaceAll("&", "&amp;");
        return new Response(
          `<!doctype html><h1>Sign in</h1><p id=opener></p><a href="${back}">Allow</a>
          <script>document.querySelector("#opener").textContent = String(globalThis.opener)</script>`,
          { headers: { "content-type": "text/html" } },
        );
      },
    },
  });
  site = oauthSite(
    (server) => {
      server.registerTool("read", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "all" }] }));
    },
    {},
    resource.url,
    login.url,
  );
  const close = async () => {
    await resource.close();
    await login.close();
  };
  return { site, close };
}

async function withChat(
  way: "popup" | "redirect",
  work: (page: Page, site: OAuthSite, context: BrowserContext) => Promise<void>,
) {
  const { site, close } = await places();
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    context.on("page", (other) => other.on("pageerror", ({ message }) => errors.push(message)));
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.goto(`${app.url}/blank`);
    await page.evaluate((given) => localStorage.setItem("server", given), JSON.stringify({ url: site.url, way }));
    await page.goto(app.url);
    await page.getByRole("textbox", { name: "Message" }).fill("Read it");
    await page.keyboard.press("Enter");
    await page.getByText("wants you to sign in").waitFor();
    await work(page, site, context);
    expect(errors).toEqual([]);
    expect([site.refused, site.site.calls().length]).toEqual([[], 1]);
  } finally {
    await context.close();
    await close();
  }
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const read = (page: Page) => page.getByText("That was all of it.").waitFor();

/** All that the conversation and the lists have stored. */
const stored = `(async () => {
  const all = [];
  for (const { name } of await indexedDB.databases()) {
    if (name === "glove-mcp-auth") continue;
    const database = await new Promise((resolve, reject) => {
      const request = indexedDB.open(name);
      request.onsuccess = () => resolve(request.result);
      request.onerror = reject;
    });
    for (const store of database.objectStoreNames) {
      const request = database.transaction(store).objectStore(store).getAll();
      all.push(await new Promise((resolve, reject) => { request.onsuccess = () => resolve(JSON.stringify(request.result)); request.onerror = reject; }));
    }
    database.close();
  }
  return all.join(" ") + JSON.stringify(localStorage) + JSON.stringify(sessionStorage);
})()`;

test("somebody signs in in a window, which has no hold on the page and closes; the call goes on once", () =>
  withChat("popup", async (page, site, context) => {
    const opening = context.waitForEvent("page");
    await button(page, "Sign in").click();
    const popup = await opening;
    await popup.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await popup.locator("#opener").textContent()).toBe("null");
    await page.getByText("Sign in in the window that has opened.").waitFor();
    const gone = popup.waitForEvent("close");
    await popup.getByRole("link", { name: "Allow" }).click();
    await gone;
    await read(page);
    const kept = (await page.evaluate(stored)) as string;
    expect(kept).toContain("Read it");
    for (const { token, refresh } of site.grants) for (const secret of [token, refresh]) expect(kept).not.toContain(secret);
  }));

test("a page that was loaded again while somebody signs in in a window goes on by itself", () =>
  withChat("popup", async (page, _, context) => {
    const opening = context.waitForEvent("page");
    await button(page, "Sign in").click();
    const popup = await opening;
    await popup.getByRole("link", { name: "Allow" }).waitFor();
    await page.reload();
    await page.getByText("wants you to sign in").waitFor();
    const gone = popup.waitForEvent("close");
    await popup.getByRole("link", { name: "Allow" }).click();
    await gone;
    await read(page);
  }));

test("somebody signs in by leaving the page, and the call goes on once when they are back", () =>
  withChat("redirect", async (page, site) => {
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Allow" }).click();
    await read(page);
    expect(page.url()).toBe(`${app.url}/`);
    // A page that is loaded again uses what there is.
    await page.reload();
    await read(page);
    expect(site.grants).toHaveLength(1);
  }));

test("somebody who comes back without having signed in is asked again, and told why", () =>
  withChat("redirect", async (page) => {
    await button(page, "Sign in").click();
    const back = new URL((await page.getByRole("link", { name: "Allow" }).getAttribute("href")) ?? "");
    back.searchParams.delete("code");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "You said no.");
    await page.goto(back.href);
    await page.getByText("The sign-in failed: You said no.").waitFor();
    expect(page.url()).toBe(`${app.url}/`);
    await button(page, "Sign in").click();
    await page.getByRole("link", { name: "Allow" }).click();
    await read(page);
  }));
