// Sessions in a real page, as plain modules without a bundler.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.js";
import { root } from "../support/project.js";
import { type Served, serve } from "../support/server.js";

let browser: Browser;
let server: Served;

beforeAll(async () => {
  browser = await openBrowser();
  const event = { type: "done", message: { sender: "agent", text: "From afar" }, tokens_in: 1, tokens_out: 1 };
  const headers = { "content-type": "text/event-stream" };
  const answer = async () => new Response(`data: ${JSON.stringify(event)}\n\n`, { headers });
  server = await serve(`${root}/pkg`, {
    pages: { "/": "<!doctype html><link rel=icon href=data:,>" },
    routes: { "/api/answer": answer },
  });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Runs the body of an async function in the page, with the package's names at hand. */
const inPage = (page: Page, body: string) =>
  page.evaluate(`(async () => {
    const { GloveClient, MemoryStore, createEndpointModel } = await import("/src/index.js");
    const { createScriptedModel } = await import("/testing/index.js");
    ${body}
  })()`);

test("a tool asks, a person answers, and the answer streams", async () => {
  const { page, problems } = await openPage(browser, server.url);
  const result = await inPage(
    page,
    `
    const model = createScriptedModel([{ toolCalls: [{ name: "ask", id: "c1" }] }, { deltas: ["You ", "said ", "yes"], every: 30 }]);
    const ask = { name: "ask", description: "", jsonSchema: { type: "object" }, displayStrategy: "hide-on-complete",
      inputSchema: { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } },
      do: (_, display) => display.pushAndWait({ input: "Sure?" }) };
    const session = new GloveClient({ createModel: () => model, tools: [ask] }).session("s");
    const streamed = [];
    session.subscribe(() => {
      const { slots, streamingText } = session.getSnapshot();
      streamed.push(streamingText);
      if (slots[0]?.status === "pending") session.resolveSlot(slots[0].id, "yes");
    });
    const outcome = await session.sendMessage("Hi");
    return { text: outcome.text, streamed: streamed.includes("You "), kinds: session.getSnapshot().timeline.map((entry) => entry.kind) };
    `,
  );
  expect(result).toEqual({ text: "You said yes", streamed: true, kinds: ["user", "tool", "agent_text"] });
  expect(problems).toEqual([]);
});

test("a stream makes at most one snapshot a frame", async () => {
  const { page, problems } = await openPage(browser, server.url);
  const { frames, snapshots, pieces } = (await inPage(
    page,
    `
    let frames = 0, going = true, snapshots = 0;
    const frame = () => { frames++; if (going) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    const model = createScriptedModel([{ deltas: Array.from({ length: 300 }, (_, at) => "word" + at + " "), every: 1 }]);
    const session = new GloveClient({ createModel: () => model }).session("s");
    session.subscribe(() => { if (session.getSnapshot().streamingText) snapshots++; });
    await session.sendMessage("Hi");
    going = false;
    return { frames, snapshots, pieces: 300 };
    `,
  )) as { frames: number; snapshots: number; pieces: number };
  expect(snapshots).toBeGreaterThan(2);
  expect(snapshots).toBeLessThanOrEqual(frames + 2);
  expect(snapshots).toBeLessThan(pieces);
  expect(problems).toEqual([]);
});

test("an endpoint's answer is read as the page's fetch gives it", async () => {
  const { page, problems } = await openPage(browser, server.url);
  await page.route("**/api/chat", (route) => {
    const done = { type: "done", message: { sender: "agent", text: "From afar" }, tokens_in: 1, tokens_out: 1 };
    const events = [{ type: "text_delta", text: "From afar" }, done];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
    return route.fulfill({ contentType: "text/event-stream; charset=utf-8", body });
  });
  const text = await inPage(
    page,
    `return (await new GloveClient({ endpoint: "/api/chat" }).session("s").sendMessage("Hi")).text;`,
  );
  expect(text).toBe("From afar");
  expect(problems).toEqual([]);
});

test("a request that fails for want of a network goes on by itself when there is one again, and only where that is wanted", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url);
  await inPage(
    page,
    `
    const createModel = () => createEndpointModel("/api/answer", { policy: { maxRetries: 0 } });
    globalThis.auto = new GloveClient({ createModel }).session("auto");
    globalThis.manual = new GloveClient({ createModel, resume: "manual" }).session("manual");
    await Promise.all([auto.start(), manual.start()]);
    `,
  );
  await context.setOffline(true);
  const failed = await inPage(
    page,
    `return Promise.all([auto, manual].map((one) => one.sendMessage("Hi").catch(({ code }) => code)));`,
  );
  expect(failed).toEqual(["MODEL_NETWORK", "MODEL_NETWORK"]);
  await context.setOffline(false);
  const states = await inPage(
    page,
    `
    await new Promise((done) => {
      const look = () => !auto.getSnapshot().busy && auto.getSnapshot().timeline.length === 2 && done();
      auto.subscribe(look);
      look();
    });
    return [auto, manual].map((one) => {
      const { run, error, timeline } = one.getSnapshot();
      return [run.phase, error?.code, timeline.map(({ text }) => text).join(", ")];
    });
    `,
  );
  expect(states).toEqual([
    ["idle", undefined, "Hi, From afar"],
    ["paused", "MODEL_NETWORK", "Hi"],
  ]);
  await context.close();
});

test("a page comes back to its session", async () => {
  const { page, problems } = await openPage(browser, server.url);
  const first = `return new GloveClient({ endpoint: "/x", persistSession: true }).firstSessionId();`;
  const id = await inPage(page, first);
  await page.reload();
  expect(await inPage(page, first)).toBe(id);
  expect(problems).toEqual([]);
});
