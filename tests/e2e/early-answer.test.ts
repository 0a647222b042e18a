// The first answer of a new session, asked for by the page: what becomes of it when the page is loaded anew or killed, in other tabs and in a worker.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openBrowser, openBrowserOnDisk } from "../support/browser.js";
import { inPage, servePackage, withProfile } from "../support/pages.js";
import { root } from "../support/project.js";
import type { Served } from "../support/server.js";

interface Asked {
  readonly body: string;
  readonly answer: string | null;
  say(text: string): void;
  end(): void;
}

let server: Served;
let browser: Browser;
/** What the endpoint was asked. */
let asked: Asked[] = [];
/** It says this at once, and ends with it unless it is told to end later. */
let first: { text: string; ends: boolean };

async function chat(request: Request): Promise<Response> {
  const encoder = new TextEncoder();
  let all = "";
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const tell = (event: object) => stream?.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  const one: Asked = {
    body: await request.text(),
    answer: request.headers.get("x-glove-answer"),
    say(text) {
      all += text;
      tell({ type: "text_delta", text });
    },
    end() {
      tell({ type: "done", message: { sender: "agent", text: all }, tokens_in: 1, tokens_out: 1 });
      stream?.close();
    },
  };
  // That an answer is over is no question.
  if (!one.body) return new Response(null, { status: 204 });
  const { text, ends } = first;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream = controller;
      one.say(text);
      if (ends) one.end();
    },
  });
  asked.push(one);
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
}

/** A page in React, with what it loads later in files of their own. */
async function page(): Promise<Record<string, string>> {
  const { outputFiles } = await build({
    entryPoints: { page: join(root, "tests/support/early-page.tsx") },
    outdir: "/react",
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
  });
  const html = "<!doctype html><link rel=icon href=data:,><body><script type=module src=/react/page.js></script>";
  return { "/react/": html, ...Object.fromEntries(outputFiles.map(({ path, text }) => [path, text])) };
}

beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), page().then((pages) => servePackage(pages, { "/chat": chat }))]);
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(() => {
  asked = [];
  first = { text: "Hello", ends: false };
});
afterEach(() => server.cut());

const app = (config = "") => `
  const client = new GloveClient({ endpoint: "/chat", persistSession: true, systemPrompt: "You help.", ${config} });
  const session = client.session(client.firstSessionId());
  const seen = [];
  session.subscribe(() => seen.push(screen()));
  const screen = () => {
    const { timeline, streamingText, queue } = session.getSnapshot();
    return [...timeline.map(({ text }) => text), ...(streamingText ? [streamingText] : []), ...queue.map(({ text }) => "(" + text + ")")].join(" | ");
  };
  Object.assign(globalThis, { session, screen, seen });
  void session.start().catch(() => {});`;
const send = (config?: string) => `${app(config)} session.sendMessage("Hi").catch(() => {});`;
const texts = (page: Page) => page.evaluate("session.messages().then((all) => all.map(({ text }) => text))");

/** The core of this page does not come before it is let. */
async function without(page: Page): Promise<() => Promise<void>> {
  let come = () => {};
  const held = new Promise<void>((resolve) => {
    come = resolve;
  });
  await page.route(/\/(session-chunk|inline-file)-/, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  return async () => come();
}

const shows = (page: Page, text: string) => expect.poll(() => page.evaluate("screen()"), { message: `shows ${text}` }).toBe(text);
const isReady = (page: Page) =>
  expect.poll(() => page.evaluate("session.getSnapshot().busy"), { message: "the session is idle" }).toBe(false);
const inProfile = <T>(work: (open: () => Promise<Page>) => Promise<T>) => withProfile(browser, server, ({ open }) => work(open));
/** Where messages stand that are in no record. */
const left = `
  const copies = await new Promise((resolve, reject) => {
    const opening = indexedDB.open("glove-sent");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const request = opening.result.transaction("messages").objectStore("messages").getAllKeys();
      request.onsuccess = () => resolve(request.result);
    };
  });
  return [...copies, ...Object.keys(localStorage).filter((key) => key.startsWith("glove:sent"))];`;

test("it streams before the core is there and goes on in it, and nothing of it is left where messages wait", () =>
  inProfile(async (open) => {
    const page = await open();
    const come = await without(page);
    await inPage(page, send());
    await shows(page, "Hi | Hello");
    asked[0]?.say(", you");
    await shows(page, "Hi | Hello, you");
    await come();
    await expect.poll(() => page.evaluate("session.getSnapshot().sessionReady"), { message: "the core is there" }).toBe(true);
    asked[0]?.say(" there.");
    asked[0]?.end();
    await isReady(page);
    await shows(page, "Hi | Hello, you there.");
    const seen = (await page.evaluate("seen")) as string[];
    for (const [at, text] of seen.entries()) expect(text.startsWith(seen[at - 1] ?? "")).toBe(true);
    expect(await texts(page)).toEqual(["Hi", "Hello, you there."]);
    expect(asked).toHaveLength(1);
    expect(await inPage(page, left)).toEqual([]);
  }));

test.each([
  ["`ahead: false`", "ahead: false"],
  ["a worker", "worker: true"],
  ["a store of the application", "createStore: (id) => new IndexedDBStore(id)"],
])("nothing leaves before the core with %s", (_, config) =>
  inProfile(async (open) => {
    first.ends = true;
    const page = await open();
    const come = await without(page);
    await inPage(page, send(config));
    await page.waitForTimeout(500);
    expect(asked).toHaveLength(0);
    await come();
    await shows(page, "Hi | Hello");
    expect(asked).toHaveLength(1);
  }),
);

test("a page that is loaded anew in mid-answer shows the message once, and asks again under the same name of an answer", () =>
  inProfile(async (open) => {
    const page = await open();
    await without(page);
    const resumed = `
      const { resumable } = await import(new URL("/pkg/remote/index.js", document.baseURI));
      const createModel = () => createEndpointModel("/chat", { fetch: resumable() });`;
    await inPage(page, resumed + send("createModel"));
    await shows(page, "Hi | Hello");
    await page.unroute(/\/(session-chunk|inline-file)-/);
    first = { text: "Hello again.", ends: true };
    await page.reload();
    await inPage(page, resumed + app("createModel"));
    await shows(page, "Hi | Hello again.");
    await isReady(page);
    expect(await texts(page)).toEqual(["Hi", "Hello again."]);
    expect(asked.map(({ body }) => body)).toEqual([asked[0]?.body, asked[0]?.body]);
    expect(asked[0]?.answer).toBeTruthy();
    expect(asked[1]?.answer).toBe(asked[0]?.answer);
    expect(await inPage(page, left)).toEqual([]);
  }));

test("a browser that is killed in mid-answer shows the message again, once, and asks for its answer", async () => {
  const folder = await mkdtemp(join(tmpdir(), "glove-early-"));
  const life = async (work: (page: Page) => Promise<void>) => {
    const { browser, kill } = await openBrowserOnDisk(folder);
    try {
      const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
      await page.goto(server.url);
      await work(page);
    } finally {
      await kill();
    }
  };
  try {
    let id: unknown;
    await life(async (page) => {
      await without(page);
      await inPage(page, send());
      await shows(page, "Hi | Hello");
      id = await page.evaluate("session.sessionId");
    });
    first = { text: "Hello again.", ends: true };
    await life(async (page) => {
      // What stood in `localStorage` may be gone with the browser.
      await inPage(page, `localStorage.setItem("glove:session", ${JSON.stringify(id)}); ${app()}`);
      await shows(page, "Hi | Hello again.");
      await isReady(page);
      expect(await texts(page)).toEqual(["Hi", "Hello again."]);
      expect(await inPage(page, left)).toEqual([]);
    });
    expect(asked).toHaveLength(2);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});

test("a second tab that has its core sooner answers the message, and both show it once", () =>
  inProfile(async (open) => {
    const page = await open();
    const come = await without(page);
    await inPage(page, send());
    await shows(page, "Hi | Hello");
    first = { text: "Hello from the other.", ends: true };
    const other = await open();
    await inPage(other, app());
    await shows(other, "Hi | Hello from the other.");
    await come();
    await expect.poll(() => page.evaluate("session.getSnapshot().tab"), { message: "it follows" }).toBe("follower");
    await shows(page, "Hi | Hello from the other.");
    await isReady(page);
    expect(await texts(other)).toEqual(["Hi", "Hello from the other."]);
    expect(asked).toHaveLength(2);
    expect(await inPage(other, left)).toEqual([]);
  }));

test("Stop in mid-answer keeps what was seen, in the record too", () =>
  inProfile(async (open) => {
    const page = await open();
    const come = await without(page);
    await inPage(page, send());
    await shows(page, "Hi | Hello");
    await page.evaluate("session.abort()");
    await isReady(page);
    await come();
    await expect.poll(() => page.evaluate("session.getSnapshot().timeline.length"), { message: "it is recorded" }).toBe(2);
    expect(await texts(page)).toEqual(["Hi", "Hello"]);
    expect(await page.evaluate("session.getSnapshot().timeline[1]")).toMatchObject({ partial: true, stopped: true });
    expect(asked).toHaveLength(1);
  }));

test("an answer that was stopped is asked by no tab and is in the record, also where another one runs the session by then", () =>
  inProfile(async (open) => {
    const page = await open();
    const come = await without(page);
    await inPage(page, send());
    await shows(page, "Hi | Hello");
    await page.evaluate("session.abort()");
    const other = await open();
    await inPage(other, app());
    await shows(other, "Hi | Hello");
    await come();
    await expect.poll(() => page.evaluate("session.getSnapshot().tab"), { message: "it follows" }).toBe("follower");
    await isReady(page);
    await page.waitForTimeout(500);
    await shows(page, "Hi | Hello");
    // Nothing is shown twice or taken away; the message may come with the first piece of its answer.
    const frames = (await page.evaluate("seen.filter((text, at) => text !== seen[at - 1])")) as string[];
    expect([
      ["", "Hi", "Hi | Hello"],
      ["", "Hi | Hello"],
    ]).toContainEqual(frames);
    expect([asked.length, await texts(other)]).toEqual([1, ["Hi", "Hello"]]);
    expect(await other.evaluate("session.getSnapshot().timeline[1]")).toMatchObject({ partial: true, stopped: true });
    expect(await inPage(other, left)).toEqual([]);
  }));

test("Stop in a page whose core has not come ends the answer that another tab asks for", () =>
  inProfile(async (open) => {
    const page = await open();
    const come = await without(page);
    await inPage(page, send());
    await shows(page, "Hi | Hello");
    first = { text: "Hello from the other.", ends: false };
    const other = await open();
    await inPage(other, app());
    await shows(other, "Hi | Hello from the other.");
    await page.evaluate("session.abort()");
    await come();
    await isReady(page);
    await isReady(other);
    await shows(page, "Hi | Hello from the other.");
    expect([asked.length, await texts(other)]).toEqual([2, ["Hi", "Hello from the other."]]);
    expect(await inPage(other, left)).toEqual([]);
  }));

test("a browser that is killed after Stop shows what was seen again, and asks nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "glove-early-"));
  const life = async (work: (page: Page) => Promise<void>) => {
    const { browser, kill } = await openBrowserOnDisk(folder);
    try {
      const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
      await page.goto(server.url);
      await work(page);
    } finally {
      await kill();
    }
  };
  try {
    let id: unknown;
    await life(async (page) => {
      await without(page);
      await inPage(page, send());
      await shows(page, "Hi | Hello");
      await page.evaluate("session.abort()");
      await page.waitForTimeout(300);
      id = await page.evaluate("session.sessionId");
    });
    await life(async (page) => {
      await inPage(page, `localStorage.setItem("glove:session", ${JSON.stringify(id)}); ${app()}`);
      await shows(page, "Hi | Hello");
      await isReady(page);
      expect(await texts(page)).toEqual(["Hi", "Hello"]);
    });
    expect(asked).toHaveLength(1);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});

test("in React, in StrictMode, each frame shows as much as the one before, until the answer is whole", () =>
  inProfile(async (open) => {
    const page = await open();
    const come = await without(page);
    await page.goto(`${server.url}/react/`);
    const now = (text: string) => expect.poll(() => page.evaluate("now()"), { message: `draws ${text}` }).toContain(text);
    await now("Hello");
    expect(await page.evaluate("now()")).toMatch(/Hi.* \| .*Hello/);
    asked[0]?.say(", you");
    await now("Hello, you");
    await come();
    await page.waitForTimeout(1_000);
    asked[0]?.say(" there.");
    asked[0]?.end();
    await now("Hello, you there.");
    await page.waitForTimeout(300);
    const frames = (await page.evaluate("frames")) as string[];
    const said = frames.map((text) => /Hello[\w, ]*\.?/.exec(text)?.[0] ?? "");
    for (const [at, text] of said.entries()) expect([text, text.startsWith(said[at - 1] ?? "")]).toEqual([text, true]);
    const users = frames.map((text) => text.split("Hi").length - 1);
    for (const [at, count] of users.entries()) expect(count).toBe(count === 0 && (users[at - 1] ?? 0) === 0 ? 0 : 1);
    expect(asked).toHaveLength(1);
  }));

test("a page that waits for its conversation by Suspense sends when that is open, and asks once", () =>
  inProfile(async (open) => {
    first.ends = true;
    const page = await open();
    await page.goto(`${server.url}/react/#suspense`);
    await expect.poll(() => page.evaluate("now()"), { message: "draws the answer" }).toMatch(/Hi.* \| .*Hello/);
    expect(asked).toHaveLength(1);
  }));
