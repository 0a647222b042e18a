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

test("arguments of 1 MB are shown and opened without a long task, and the page stays quick", async () => {
  await withPage(async (page) => {
    for (const [name, input] of Object.entries({
      lines: "{ code: 'await check(service);\\n'.repeat(50_000) + 'deleteEverything()' }",
      "one line": "{ code: 'x '.repeat(500_000) + 'deleteEverything()' }",
      values:
        "{ ...Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => ['key ' + at, at])), end: 'deleteEverything()' }",
      edit: "{ old: 'const a = 1;\\n'.repeat(40_000), new: 'const a = 2;\\n'.repeat(40_000) + 'deleteEverything()' }",
    })) {
      const longest = (await page.evaluate(`(async () => {
        let longest = 0;
        const seen = new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); });
        show("approval");
        await new Promise((later) => setTimeout(later, 500));
        seen.observe({ type: "longtask" });
        states.large = { ...states.approval, slots: [{ ...states.approval.slots[0], id: "large", input: { toolName: "run", toolInput: ${input} } }] };
        const times = [];
        const after = async () => { await new Promise((later) => setTimeout(later, 600)); times.push(Math.round(longest)); longest = 0; };
        show("large");
        await after();
        [...document.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith("Show all")).click();
        await after();
        const box = document.querySelector("[data-glove-question] [data-glove-values]");
        box.scrollTop = 1e9;
        await after();
        return { times, whole: box.textContent.includes("deleteEverything()") };
      })()`)) as { times: number[]; whole: boolean };
      console.log(`${name}: longest task ${longest.times.join(", ")} ms when shown, opened, scrolled to its end`);
      expect(longest.whole).toBe(true);
      expect(Math.max(...longest.times)).toBeLessThan(500);
    }
  });
}, 240_000);
