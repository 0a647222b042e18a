// What a long answer costs the page that draws it with the built-in look.
import { expect, test } from "vitest";
import { chat, streamed, withPage } from "../support/look-chat.js";

test("no task of an answer of 100 kB is long, and all of it is drawn", async () => {
  await withPage(async (page) => {
    await chat(page, `[]`, `{ createStore: (id) => new MemoryStore(id), sessionId: "s" }`);
    await expect.poll(() => page.evaluate("client.session('s').getSnapshot().sessionReady"), { timeout: 20_000 }).toBe(true);
    const { longest = 0, early = 0 } = (await page.evaluate(streamed("long(100_000)", 200))) as Record<string, number>;
    console.log(`100 kB: longest task ${longest} ms, ${early} ms in the first tenth`);
    // On a busy machine all tasks take longer, those at the beginning too.
    expect(longest).toBeLessThan(Math.max(250, early * 4));
    await expect.poll(() => page.locator("[data-glove-role=agent] h2").count()).toBeGreaterThan(300);
  });
}, 240_000);
