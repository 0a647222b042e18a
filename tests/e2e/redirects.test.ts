// A browser hides where a redirect leads that is not followed: the key stays here, and the error says what can be known.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage } from "../support/pages.js";
import { openProvider, type Provider } from "../support/provider.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;
let elsewhere: Provider;
beforeAll(async () => {
  [browser, elsewhere] = await Promise.all([openBrowser(), openProvider()]);
  elsewhere.reply({ body: [], headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" } });
  const moved = async () => new Response(null, { status: 307, headers: { location: elsewhere.url } });
  server = await servePackage({}, { "/moved": moved, "/moved/v1/messages": moved });
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close(), elsewhere.close()]);
});

test("no redirect takes a key along out of a page", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url);
  const errors = await inPage<{ code: string; message: string }[]>(
    page,
    `
    const { createAdapter } = glove;
    const models = [
      createEndpointModel("/moved", { headers: { "x-own": "canary" } }),
      createAdapter({ provider: "anthropic", apiKey: "canary", baseURL: "/moved", dangerouslyAllowBrowser: true }),
    ];
    const errors = [];
    for (const model of models) {
      const session = new GloveClient({ createModel: () => model, systemPrompt: "" }).session("s" + errors.length);
      errors.push(await session.sendMessage("Hi").then(() => ({}), told));
    }
    return [...errors, await models[0].prompt({ messages: [{ sender: "user", text: "Hi" }] }, async () => {}).then(() => ({}), told)];`,
  );
  expect(errors.map(({ code }) => code)).toEqual(["MODEL_CONFIG", "MODEL_CONFIG", "MODEL_CONFIG"]);
  for (const { message } of errors) expect(message).toMatch(/(is a redirect|redirects to)\b.*: use that URL as /);
  expect(elsewhere.asked).toEqual([]);
  await context.close();
});
