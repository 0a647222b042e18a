// A browser that finds its database damaged opens an empty one in its place. That a session was stored there is told, and nothing of
// it is sent or run until a person starts it anew.
import { mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowserOnDisk } from "../support/browser.js";
import { inEachCore } from "../support/core-place.js";
import { inPage, servePackage } from "../support/pages.js";
import { profiles } from "../support/profiles.js";
import type { Served } from "../support/server.js";

const { profile } = profiles();
let server: Served;
beforeAll(async () => {
  server = await servePackage();
});
afterAll(() => server.close());

/** A client with a tool that counts what it does in `ran`. */
const client = `
  let ran = 0;
  const tool = { name: "pay", description: "", jsonSchema: { type: "object" }, do: () => { ran++; return "paid"; } };
  const createModel = () => createScriptedModel(({ messages }) =>
    messages.at(-1).tool_results ? "Done." : { toolCalls: [{ name: "pay" }] });
  const client = new GloveClient({ worker: globalThis.inWorker, createModel, tools: [tool] });
  const codeOf = (promise) => promise.then(({ type }) => type, ({ code }) => code);
  const session = client.session("s");`;

const opened = `${client}
  const sent = await codeOf(session.sendMessage("Pay once more"));
  const { error, queue, timeline } = session.getSnapshot();
  const before = { sent, code: error?.code, queue: queue.map(({ text }) => text), shown: timeline.length, ran };`;

const told = { sent: "STORE_LOST", code: "STORE_LOST", queue: ["Pay once more"], shown: 0, ran: 0 };

const damages: [what: string, damage: (database: string) => Promise<unknown>, core?: string][] = [
  ["whose manifest is cut off", async (folder) => truncate(join(folder, await named(folder, /^MANIFEST/)), 5)],
  ["whose log is rubbish", async (folder) => writeFile(join(folder, await named(folder, /\.log$/)), "rubbish".repeat(9_000))],
  ["that is not there any more", (folder) => rm(folder, { recursive: true })],
  ["of a worker that is not there any more", (folder) => rm(folder, { recursive: true }), "globalThis.inWorker = true;"],
];

async function named(folder: string, name: RegExp): Promise<string> {
  const file = (await readdir(folder)).find((file) => name.test(file));
  if (!file) throw new Error(`no ${name} in ${folder}`);
  return file;
}

test.each(damages)("after a kill and a database %s the person is told, and no tool runs", async (_, damage, core = "") => {
  const folder = await mkdtemp(join(tmpdir(), "glove-lost-"));
  const inBrowser = async <T>(work: (page: Page) => Promise<T>) => {
    const { browser, kill } = await openBrowserOnDisk(folder);
    try {
      const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
      await page.goto(server.url);
      return await work(page);
    } finally {
      await kill();
    }
  };
  try {
    // At once: what Chromium keeps from the disk for some seconds is lost with it.
    const ran = await inBrowser((page) => inPage(page, `${core} ${client} await session.sendMessage("Pay"); return ran;`));
    expect(ran).toBe(1);
    const databases = join(folder, "Default", "IndexedDB");
    await damage(join(databases, await named(databases, /leveldb$/)));
    const found = await inBrowser((page) =>
      inPage(
        page,
        `${core} ${opened}
         session.clearError();
         const after = [await codeOf(session.sendMessage("Hello")), ran, texts(session.getSnapshot())];
         return { before, after };`,
      ),
    );
    expect(found).toMatchObject({
      before: told,
      after: ["completed", expect.any(Number), expect.arrayContaining(["user: Hello"])],
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});

test("a session that is in memory only does not look like the one that is stored", () =>
  profile(async ({ open }) => {
    await inPage(await open(), `${client} await session.sendMessage("Pay");`);
    const none = `Object.defineProperty(self, "indexedDB", { value: undefined, configurable: true });`;
    const page = await open(`${none} ${inEachCore(none)}`);
    expect(await inPage(page, `${opened} return before;`)).toEqual(told);
    // It is where it was.
    expect(await inPage(await open(), `${client} await session.start(); return session.getSnapshot().timeline.length;`)).toBe(3);
  }));

test("a session that was deleted, or that another page has not stored yet, is a new one", () =>
  profile(async ({ open }) => {
    const page = await open();
    await inPage(page, `${client} await session.sendMessage("Pay"); await client.deleteSession("s");`);
    expect(await inPage(page, `${client} return [await codeOf(session.sendMessage("Pay")), ran];`)).toEqual(["completed", 1]);
    const remembered = `const folder = await navigator.storage.getDirectory(); return Array.fromAsync(folder.keys());`;
    expect(await inPage(page, remembered)).toEqual([encodeURIComponent(`glove:stored:["glove","s"]`)]);
  }));

test("nothing is refused where nothing can be remembered", () =>
  profile(async ({ open }) => {
    const none = `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "SecurityError"); } });`;
    const page = await open(none);
    expect(await inPage(page, `${client} return codeOf(session.sendMessage("Pay"));`)).toBe("completed");
  }));
