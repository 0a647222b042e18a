// The built-in look in Chromium, under a strict policy: what people do in it, and what assistive technology finds.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { openLook, serveLook, showState } from "../support/look.js";
import { root } from "../support/project.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  [browser, server] = [await openBrowser(), await serveLook()];
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function withPage<T>(work: (page: Page) => Promise<T>, options = {}): Promise<T> {
  const page = await openLook(browser, server, { viewport: { width: 800, height: 600 }, ...options });
  try {
    return await work(page);
  } finally {
    await page.context().close();
  }
}

/** Begins a chat whose model answers from this script; a text that is JavaScript. */
const chat = async (page: Page, script: string, options = "{}") => {
  await page.evaluate(`globalThis.client = chat(${script}, ${options}), undefined`);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
};

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

const axe = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, "utf8");

test.each(["light", "dark"] as const)("axe finds nothing in any state, %s", async (colorScheme) => {
  await withPage(
    async (page) => {
      const names = (await page.evaluate("Object.keys(states)")) as string[];
      expect(names.length).toBeGreaterThan(10);
      await page.evaluate(axe);
      for (const name of names) {
        await showState(page, name);
        for (const part of await page.locator("[data-glove-look] details").all())
          await part.evaluate((part) => part.setAttribute("open", ""));
        const found = await page.evaluate(
          `axe.run("main", { rules: { region: { enabled: false } } }).then(({ violations }) =>
            violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`,
        );
        expect([name, found]).toEqual([name, []]);
      }
    },
    { colorScheme },
  );
});

test("Enter sends and Shift+Enter begins a line, the field grows, and Stop ends an answer", async () => {
  await withPage(async (page) => {
    await chat(page, `() => pieces("word ".repeat(500), 20)`);
    const before = (await field(page).boundingBox())?.height ?? 0;
    await field(page).pressSequentially("one");
    await field(page).press("Shift+Enter");
    await field(page).pressSequentially("two");
    await expect.poll(async () => ((await field(page).boundingBox())?.height ?? 0) > before + 10).toBe(true);
    await field(page).press("Enter");
    await page.locator("[data-glove-role=user]", { hasText: "one" }).waitFor();
    expect(await page.locator("[data-glove-role=user]").innerText()).toBe("one\ntwo");
    expect(await field(page).inputValue()).toBe("");
    await page.locator("[data-glove-streaming]").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("This answer was cut off.").waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
  });
});

test("the draft of a message comes back after a reload, and is gone when it was sent", async () => {
  await withPage(async (page) => {
    const begin = () => chat(page, `["Fine."]`, `{ persistSession: true }`);
    await begin();
    await page.waitForFunction("document.querySelector('textarea') && sessionStorage !== null && localStorage.length > 0");
    await field(page).fill("half a thou");
    await page.reload();
    await page.waitForFunction("globalThis.show");
    await begin();
    await expect.poll(() => field(page).inputValue()).toBe("half a thou");
    await field(page).press("Enter");
    await page.getByText("Fine.").waitFor();
    await page.reload();
    await page.waitForFunction("globalThis.show");
    await begin();
    await page.getByText("Fine.").waitFor();
    expect(await field(page).inputValue()).toBe("");
  });
});

test("the list keeps to its end while an answer grows, stays where a reader scrolled to, and a button leads back", async () => {
  await withPage(async (page) => {
    await chat(page, `() => pieces("A line of the answer.\\n\\n".repeat(400), 4)`);
    await say(page, "go");
    const box = page.locator("[data-glove-scroller]");
    const place = () =>
      box.evaluate((box: Element) => [box.scrollTop, box.scrollHeight - box.clientHeight - box.scrollTop] as const);
    await expect.poll(async () => (await place())[0]).toBeGreaterThan(300);
    // Looked at in each frame for a while: the end never leaves.
    const worst = await page.evaluate(`new Promise((resolve) => {
      const box = document.querySelector("[data-glove-scroller]");
      let worst = 0, frames = 0;
      const look = () => {
        worst = Math.max(worst, box.scrollHeight - box.clientHeight - box.scrollTop);
        if (frames++ < 30) requestAnimationFrame(() => setTimeout(look)); else resolve(worst);
      };
      look();
    })`);
    expect(worst).toBeLessThan(2);
    await page.mouse.move(400, 200);
    await page.mouse.wheel(0, -200);
    const back = page.getByRole("button", { name: "Jump to latest" });
    await back.waitFor();
    const [top, below] = await place();
    await expect.poll(async () => (await place())[1]).toBeGreaterThan(below + 50);
    expect((await place())[0]).toBe(top);
    await back.click();
    await expect.poll(async () => (await place())[1]).toBeLessThan(2);
    expect(await back.count()).toBe(0);
  });
});

test("a message that waits can be taken back into the composer, or away", async () => {
  await withPage(async (page) => {
    await chat(page, `() => pieces("word ".repeat(2000), 20)`);
    await say(page, "first");
    await page.locator("[data-glove-streaming]").waitFor();
    await say(page, "second");
    await say(page, "third");
    await expect.poll(() => page.locator("[data-glove-queued]").allInnerTexts()).toEqual(["second", "third"]);
    const waiting = (text: string) => page.locator("[data-glove-waits]", { hasText: text });
    await waiting("third").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => page.locator("[data-glove-queued]").allInnerTexts()).toEqual(["second"]);
    await waiting("second").getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => page.locator("[data-glove-queued]").count()).toBe(0);
    expect(await field(page).inputValue()).toBe("second");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
  });
});

test("a settled block of a streaming answer is neither drawn again nor replaced, also when the answer is whole", async () => {
  await withPage(async (page) => {
    await chat(page, `() => pieces(sample + "\\n\\n" + sample, 3)`);
    await say(page, "go");
    const first = page.locator("[data-glove-block]").nth(2);
    await expect.poll(() => page.locator("[data-glove-block]").count()).toBeGreaterThan(4);
    await first.evaluate((block) => {
      const counted = globalThis as { changes?: number };
      counted.changes = 0;
      block.setAttribute("data-kept", "");
      new MutationObserver((all) => {
        counted.changes = (counted.changes ?? 0) + all.length;
      }).observe(block, { childList: true, characterData: true, subtree: true });
    });
    await page.locator("[data-glove-streaming]").waitFor({ state: "detached" });
    expect(await page.locator("[data-kept]").count()).toBe(1);
    expect(await page.evaluate("changes")).toBe(0);
  });
});

test("tags, scripts and other schemes of an answer are text, and do nothing", async () => {
  await withPage(async (page) => {
    const answer = [
      "<img src=x onerror='globalThis.broken = 1'> <script>globalThis.broken = 1</script>",
      "[a](javascript:globalThis.broken=1) [b](JaVaScRiPt:globalThis.broken=1) [c](data:text/html,hi) [d](vbscript:x)",
      "[e](javascript&#58;globalThis.broken=1) [f](java\\tscript:globalThis.broken=1) <javascript:globalThis.broken=1>",
      "![g](javascript:globalThis.broken=1) ![h](https://elsewhere.invalid/p.png?secret=1) [i][ref]",
      "[ref]: javascript:globalThis.broken=1",
      "```js\\n</code></pre><script>globalThis.broken = 1</script>\\n```",
      "**bold** and [fine](https://example.com/)",
    ].join("\\n\\n");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await chat(page, `["${answer}"]`);
    await say(page, "go");
    const said = page.locator("[data-glove-role=agent]");
    await said.locator("strong").waitFor();
    expect(await said.innerText()).toContain("<img src=x onerror='globalThis.broken = 1'>");
    const links = await said.locator("a").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    expect(links).toEqual(["https://elsewhere.invalid/p.png?secret=1", "https://example.com/"]);
    expect(await said.locator("img, script, iframe, object").count()).toBe(0);
    expect(await page.evaluate("globalThis.broken")).toBeUndefined();
    expect(requests.filter((url) => url.includes("elsewhere"))).toEqual([]);
  });
});
