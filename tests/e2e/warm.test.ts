// What a page does while it is idle: it plays a made-up message, and nobody sees anything of it.
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage, withProfile } from "../support/pages.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;

beforeAll(async () => {
  [browser, server] = [await openBrowser(), await servePackage()];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** So many times it waits for the page to be idle. */
const parts = 6;

/** The page is idle when the test says so: `idle(n)` as often, `rest()` as often as something waits for it, which it counts. */
const byHand = `
  window.waiting = [];
  window.requestIdleCallback = (call) => waiting.push(call);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
  window.idle = async (times) => {
    for (let called = 0; called < times; called++) {
      while (!waiting.length) await pause();
      waiting.shift()();
    }
  };
  window.rest = async () => {
    let called = 0;
    for (let quiet = 0; quiet < 10; quiet++) {
      await pause();
      for (; waiting.length; called++) {
        waiting.shift()();
        quiet = 0;
      }
    }
    return called;
  };
`;

const open = `
  const events = ["text_delta", "done"].map((type) => ({ type, text: "Hello.", message: answer("Hello."), tokens_in: 1, tokens_out: 1 }));
  const response = () => new Response(events.map((event) => "data: " + JSON.stringify(event) + "\\n\\n").join(""));
  window.heard = [];
  window.asked = 0;
  const fetch = async () => (asked++, response());
  const client = new GloveClient({
    createModel: () => createEndpointModel("/chat", { fetch }),
    systemPrompt: "",
    worker: WORKER,
    subscribers: [{ async record(type) { window.heard.push(type); } }],
  });
  window.client = client;
  window.session = client.session("s");
  await session.start();
`;
const start = (page: Page, worker = false) => inPage(page, open.replace("WORKER", `${worker}`));
const send = "const { timeline } = (await session.sendMessage('Hi'), session.getSnapshot()); return texts({ timeline });";
const answered = ["user: Hi", "agent_text: Hello."];

/** How many functions of the wasm file the page compiles meanwhile, because something calls them. */
async function compiledBy(cdp: CDPSession, work: () => Promise<unknown>): Promise<number> {
  let compiled = 0;
  const count = ({ value }: { value: { readonly name?: string }[] }) => {
    compiled += value.filter(({ name }) => name === "wasm.CompileLazy").length;
  };
  cdp.on("Tracing.dataCollected", count as never);
  const over = new Promise<void>((resolve) => cdp.once("Tracing.tracingComplete", () => resolve()));
  const categories = "v8.wasm,disabled-by-default-v8.wasm.detailed";
  await cdp.send("Tracing.start", { transferMode: "ReportEvents", categories });
  await work();
  await cdp.send("Tracing.end");
  await over;
  return compiled;
}

test("the first message compiles next to nothing where the page was idle before", async () => {
  const compiled = async (times: number) =>
    withProfile(browser, server, async ({ context, open }) => {
      const page = await open(byHand);
      await start(page);
      await page.evaluate(`idle(${times})`);
      // What follows the last part is over too.
      if (times) await page.evaluate("rest()");
      return compiledBy(await context.newCDPSession(page), async () => expect(await inPage(page, send)).toEqual(answered));
    });
  const [cold, warm] = [await compiled(0), await compiled(parts)];
  expect(cold).toBeGreaterThan(200);
  expect(warm).toBeLessThan(cold / 5);
});

test.each([false, true])("nobody hears of it, and nothing is stored, with a worker: %s", async (worker) => {
  await withProfile(browser, server, async ({ open }) => {
    const page = await open(byHand);
    await start(page, worker);
    const before = `const held = []; client.onSession(({ session }) => held.push(session.sessionId)); window.before = session.getSnapshot();`;
    await inPage(page, before);
    await page.evaluate(`idle(${parts})`);
    expect(await page.evaluate("rest()")).toBe(0);
    const seen = `
      const held = []; client.onSession(({ session }) => held.push(session.sessionId));
      const same = session.getSnapshot() === before;
      return { same, heard, asked, held, rows: await rows("sessions"), messages: await session.messages() };`;
    expect(await inPage(page, seen)).toEqual({ same: true, heard: [], asked: 0, held: ["s"], rows: [], messages: [] });
    expect(await inPage(page, send)).toEqual(answered);
    // Once in a page.
    await inPage(page, `await client.session("other").start();`);
    expect(await page.evaluate("rest()")).toBe(0);
  });
});

test.each([...Array(parts).keys()])("a message ends it that comes after %i parts of it", async (before) => {
  await withProfile(browser, server, async ({ open }) => {
    const page = await open(byHand);
    await start(page);
    await page.evaluate(`idle(${before})`);
    // While the message is on its way the page is idle again, for as long as there is anything to do.
    const [texts, more] = (await inPage(
      page,
      `const sending = (async () => { ${send} })(); const more = rest(); return Promise.all([sending, more]);`,
    )) as [string[], number];
    expect(texts).toEqual(answered);
    expect(more).toBeGreaterThan(0);
    expect(await page.evaluate("[waiting.length, asked]")).toEqual([0, 1]);
  });
});
