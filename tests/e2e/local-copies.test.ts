// Messages that are sent while what uses the session's database has not come: what was shown of them outlives the browser.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowserOnDisk } from "../support/browser.js";
import { inPage, servePackage } from "../support/pages.js";
import type { Served } from "../support/server.js";

let server: Served;
beforeAll(async () => {
  server = await servePackage();
});
afterAll(() => server.close());

const app = `
  const client = new GloveClient({ createModel: () => createScriptedModel(({ messages }) => "you said " + messages.at(-1).text) });
  const session = client.session("s");
  const copies = async () => {
    const database = await new Promise((resolve, reject) => {
      const request = indexedDB.open("glove-sent");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return new Promise((resolve) => {
      const request = database.transaction("messages").objectStore("messages").getAllKeys();
      request.onsuccess = () => resolve(request.result);
    });
  };`;

/** One life of a browser, which ends by a kill. */
async function life<T>(folder: string, work: (page: Page) => Promise<T>): Promise<T> {
  const { browser, kill } = await openBrowserOnDisk(folder);
  try {
    const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
    return await work(page);
  } finally {
    await kill();
  }
}

const nothing = (page: Page) => page.route(/\/session-chunk-/, () => {});
const noNetwork = (page: Page) => page.route(/\/session-chunk-/, (route) => route.abort());

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "glove-copies-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

test.each([
  ["is on its way", nothing],
  ["cannot be loaded", noNetwork],
])("a message that is shown while what uses the database %s is there when the browser was killed", (_, withholds) =>
  inFolder(async (folder) => {
    const shown = await life(folder, async (page) => {
      await withholds(page);
      await page.goto(server.url);
      return inPage<{ error?: string; ms: number }>(
        page,
        `${app}
         const begun = performance.now();
         session.sendMessage("first").catch(() => {});
         session.sendMessage("second").catch(() => {});
         await until(session, ({ queue }) => queue.length === 2);
         return { error: session.getSnapshot().queue.find(({ error }) => error)?.error.code, ms: performance.now() - begun };`,
      );
    });
    // Not because nobody has written it.
    expect(shown).toMatchObject({ error: undefined });
    expect(shown.ms).toBeLessThan(4_500);
    const found = await life(folder, async (page) => {
      await page.goto(server.url);
      return inPage(
        page,
        `${app}
         await session.start();
         await until(session, ({ busy, queue, timeline }) => !busy && queue.length === 0 && timeline.length === 4);
         return { texts: texts(session.getSnapshot()), copies: await copies(), stored: localStorage.length };`,
      );
    });
    expect(found).toMatchObject({
      texts: ["user: first", "agent_text: you said first", "user: second", "agent_text: you said second"],
      copies: [],
    });
  }),
);

test("with a session its copies are deleted", () =>
  inFolder((folder) =>
    life(folder, async (page) => {
      await nothing(page);
      await page.goto(server.url);
      const send = `${app}
        session.sendMessage("first").catch(() => {});
        await until(session, ({ queue }) => queue.length === 1);
        return copies();`;
      expect(await inPage(page, send)).toEqual([expect.stringContaining('["glove","s"]')]);
      await page.unroute(/\/session-chunk-/);
      await page.reload();
      const removed = `${app} await new SessionDatabase().delete("s"); return copies();`;
      expect(await inPage(page, removed)).toEqual([]);
      expect(await inPage(page, `${app} await session.start(); return texts(session.getSnapshot());`)).toEqual([]);
    }),
  ));
