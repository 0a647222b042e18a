// A long conversation in the built-in look: what of it is drawn, and that nothing is lost by what is not.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { chat, withPage } from "../support/look-chat.js";

const entries = 2_000;

/** What the page of each test can ask. */
const helpers = `Object.assign(globalThis, {
  stored: (count, told = () => undefined) => (id) => {
    const store = new MemoryStore(id);
    const text = (at) => told(at) ?? (at % 2 ? "Answer " : "Question ") + at + ". " + "More words of it. ".repeat((at * 7) % 11);
    store.appendMessages(Array.from({ length: count }, (_, at) => ({ sender: at % 2 ? "agent" : "user", text: text(at), id: "m" + at })));
    return store;
  },
  box: () => document.querySelector("[data-glove-scroller]"),
  toGo: () => box().scrollHeight - box().clientHeight - box().scrollTop,
  drawn: () => document.querySelectorAll("[data-glove-message]").length,
  frames: async (count = 3) => { for (let at = 0; at < count; at++) await new Promise((later) => requestAnimationFrame(later)); },
  at: (number) => [...document.querySelectorAll("[data-glove-message]")].find(({ textContent }) => textContent.startsWith((number % 2 ? "Answer " : "Question ") + number + ".")),
  // As a person goes there: by steps, until it is seen.
  goTo: async (number) => {
    for (let tries = 0; tries < 60 && !at(number); tries++) {
      const seen = [...document.querySelectorAll("[data-glove-message]")].find((one) => one.getBoundingClientRect().bottom > 0);
      const first = Number(/\\d+/.exec(seen.textContent)[0]);
      box().scrollTop += Math.sign(number - first) * Math.max(300, Math.abs(number - first) * 60);
      await frames();
    }
    at(number).scrollIntoView({ block: "center" });
    await frames();
    return at(number) !== undefined;
  },
}), undefined`;

async function long(page: Page, options = "", script = "[]", count = entries): Promise<void> {
  await page.evaluate(helpers);
  await chat(page, script, `{ createStore: stored(${count}), sessionId: "s", ${options} }`);
  await until(page, `document.body.textContent.includes("${count - 1}. ")`);
  await until(page, `toGo() < 2`);
  await page.evaluate("frames()");
}

/** What a test waits for: JavaScript, which the policy of the page lets nobody compile in it. */
const until = (page: Page, what: string) =>
  expect.poll(() => page.evaluate(`!!(${what})`), { message: what, timeout: 30_000 }).toBe(true);

const drawn = (page: Page) => page.evaluate("drawn()") as Promise<number>;

test("of 2,000 entries few are drawn, and an answer that streams below them keeps its end in sight", async () => {
  await withPage(async (page) => {
    await long(page, `view: { scroll: "end" }`, `() => pieces("some words ".repeat(200), 5)`);
    expect(await drawn(page)).toBeLessThan(60);
    await page.evaluate(`{
      globalThis.far = [];
      const watch = () => {
        if (document.querySelector("[data-glove-streaming]")) far.push([toGo(), drawn()]);
        requestAnimationFrame(watch);
      };
      requestAnimationFrame(watch);
      void client.session("s").sendMessage("go");
    }`);
    await until(page, `far.length > 20 && !document.querySelector("[data-glove-streaming]")`);
    const [away, most] = (await page.evaluate(
      "[Math.max(...far.map(([togo]) => togo)), Math.max(...far.map(([, drawn]) => drawn))]",
    )) as number[];
    // What came since the last frame is followed before the next one is painted.
    expect(away).toBeLessThan(120);
    expect(most).toBeLessThan(80);
    await until(page, "toGo() < 2");
  });
});

test("scrolling up through 2,000 entries moves nothing that is seen, leaves no hole, and passes every entry", async () => {
  await withPage(async (page) => {
    await long(page);
    const told = (await page.evaluate(`(async () => {
      const seen = new Set();
      const jumps = [];
      const holes = [];
      let most = 0;
      const top = box().getBoundingClientRect().top;
      const look = () => {
        for (const one of document.querySelectorAll("[data-glove-message]")) {
          const { bottom } = one.getBoundingClientRect();
          if (bottom > top && bottom < top + box().clientHeight + 400) seen.add(Number(/\\d+/.exec(one.textContent)[0]));
        }
      };
      for (let step = 0; step < 3_000 && box().scrollTop > 0; step++) {
        look();
        const first = [...document.querySelectorAll("[data-glove-message]")].find((one) => one.getBoundingClientRect().top >= top);
        const before = first.getBoundingClientRect().top;
        const wanted = Math.min(350, box().scrollTop);
        box().scrollTop -= wanted;
        await frames(2);
        const moved = first.isConnected ? first.getBoundingClientRect().top - before : undefined;
        if (moved === undefined || Math.abs(moved - wanted) > 2) jumps.push([step, moved, wanted]);
        if (!document.elementFromPoint(400, top + 150)?.closest("[data-glove-rows], [data-glove-column]") || document.elementFromPoint(400, top + 150)?.closest("[data-glove-away]")) holes.push(step);
        most = Math.max(most, drawn());
      }
      look();
      return { jumps, holes, seen: seen.size, most, top: box().scrollTop };
    })()`)) as { jumps: unknown[]; holes: unknown[]; seen: number; most: number; top: number };
    expect(told).toMatchObject({ holes: [], seen: entries, top: 0 });
    // Where the top is reached there is nothing to move.
    expect(told.jumps.slice(0, -1)).toEqual([]);
    expect(told.most).toBeLessThan(100);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await until(page, `toGo() < 2 && document.body.textContent.includes("${entries - 1}. ")`);
  });
}, 240_000);

test("a reader who has scrolled up stays there while an answer streams", async () => {
  await withPage(async (page) => {
    await long(page, "", `() => pieces("some words ".repeat(200), 5)`);
    await page.evaluate("goTo(1_500)");
    const top = "at(1_500).getBoundingClientRect().top";
    const before = (await page.evaluate(top)) as number;
    await page.evaluate(`client.session("s").sendMessage("go")`);
    expect(Math.abs(((await page.evaluate(top)) as number) - before)).toBeLessThan(2);
  });
});

test("a conversation opens at its end again after a reload", async () => {
  await withPage(async (page) => {
    const open = () => chat(page, `() => "word ".repeat(60) + "end"`, `{ sessionId: "s", persistSession: true }`);
    await open();
    await page.evaluate(
      `(async () => { for (let at = 0; at < 45; at++) await client.session("s").sendMessage("Question " + at); })()`,
    );
    await until(page, `document.body.textContent.includes("Question 44")`);
    await page.evaluate(helpers);
    await page.evaluate("box().scrollTop -= 2_000, frames()");
    await page.reload();
    await until(page, "!!globalThis.show");
    await page.evaluate(helpers);
    await open();
    await until(page, `document.body.textContent.includes("Question 44") && toGo() < 2`);
    await page.evaluate("frames()");
    expect(await drawn(page)).toBeLessThan(70);
  });
});

test("what is edited, copied, selected, open or answered in the middle stays while the reader is elsewhere", async () => {
  await withPage(
    async (page) => {
      await long(page, "", `["Well."]`);
      await page.evaluate("goTo(1_000)");
      const message = page.locator("[data-glove-message]", { hasText: "Question 1000." });
      await message.hover();
      await message.getByRole("button", { name: "Copy" }).click();
      expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^Question 1000\./);
      await message.hover();
      await message.getByRole("button", { name: "Edit" }).click();
      const editor = page.getByRole("textbox", { name: "Edit message" });
      await editor.fill("Said otherwise");
      await page.evaluate("document.querySelector('[data-glove-editor]').mark = 1, box().scrollTop = 0, frames()");
      await until(page, "at(0)");
      await page.evaluate("box().scrollTop = box().scrollHeight, frames()");
      expect(await page.evaluate("[document.querySelector('[data-glove-editor]').mark, document.activeElement.value]")).toEqual([
        1,
        "Said otherwise",
      ]);
      await editor.press("Enter");
      await page.getByText("Well.").waitFor();
      expect(await page.locator("[data-glove-message]").last().innerText()).toContain("Well.");
      await until(page, "toGo() < 2");
      expect(await page.evaluate("client.session('s').getSnapshot().timeline.length")).toBe(1_002);

      // What was sent last stands at the upper edge, and has no number.
      await page.evaluate("box().scrollTop -= 500, frames()");
      await page.evaluate("goTo(500)");
      await page.evaluate(`getSelection().selectAllChildren(at(500).querySelector("article"))`);
      await page.evaluate("box().scrollTop = box().scrollHeight, frames()");
      await until(page, "!at(480)");
      expect(await page.evaluate("String(getSelection())")).toMatch(/^Question 500\./);
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  );
});

test("a form in the middle keeps what is typed, and open details stay open, as the same elements", async () => {
  await withPage(async (page) => {
    await page.evaluate(helpers);
    await page.evaluate(`{
      const entry = (at) => at === 200 ? { kind: "tool", id: "c", name: "ask", input: {}, status: "pending" }
        : at % 2 ? { kind: "agent_text", id: "e" + at, text: "Answer " + at + ". " + "words ".repeat(40), reasoning: at === 201 ? "Thought of it." : undefined } : { kind: "user", id: "e" + at, text: "Question " + at + "." };
      states.asked = {
        timeline: Array.from({ length: 400 }, (_, at) => entry(at)),
        slots: [{ ...states.forms.slots[0], toolCallId: "c", toolName: "ask" }],
        busy: true,
      };
      show("asked");
    }`);
    await until(page, "at(399) && toGo() < 2");
    await page.evaluate("goTo(201)");
    const field = page.locator("[data-glove-question] input");
    await field.fill("checkout-2");
    await page.locator("details", { hasText: "Thought" }).locator("summary").first().click();
    await page.getByText("Thought of it.").waitFor();
    await page.evaluate(
      "for (const one of document.querySelectorAll('[data-glove-question], details[open]')) one.mark = 1; document.activeElement.blur()",
    );
    await page.evaluate("box().scrollTop = 0, frames()");
    await until(page, "at(0) && !at(150)");
    await page.evaluate("goTo(201)");
    expect(
      await page.evaluate(
        "[document.querySelector('[data-glove-question]').mark, document.querySelector('[data-glove-question] input').value, document.querySelector('details[open]').mark]",
      ),
    ).toEqual([1, "checkout-2", 1]);
  });
});

test("all is drawn for a printer and for who selects everything, and without boxes", async () => {
  await withPage(async (page) => {
    await page.evaluate(
      "addEventListener('afterprint', () => { globalThis.printed = [drawn(), at(31).textContent.length]; }, { capture: true })",
    );
    // One long answer is away, and one that is seen has markdown, too.
    const told = `(at) => at === 31 ? "Answer 31. " + "**Words** of it.\\n\\n".repeat(2_000) : at === 299 ? "Answer **299**. Well." : undefined`;
    await long(page, `createStore: stored(300, ${told})`, "[]", 300);
    expect(await drawn(page)).toBeLessThan(60);
    await page.locator("strong").last().waitFor();
    const pdf = await page.pdf();
    const [printed, length] = (await page.evaluate("globalThis.printed")) as number[];
    expect(printed).toBe(300);
    expect(length).toBeGreaterThan(20_000);
    // Pages of all of it, and not of one window.
    expect((pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length).toBeGreaterThan(10);
    await until(page, "drawn() < 60");
    // The reader is where they were.
    await until(page, "toGo() < 2");
    await page.locator("[data-glove-scroller]").focus();
    await page.keyboard.press("Control+a");
    expect(await page.evaluate("String(getSelection()).match(/(Question|Answer) \\d+\\./g).length")).toBe(300);
    await page.evaluate("getSelection().removeAllRanges()");
    await until(page, "drawn() < 60");
    await page.evaluate(`{
      const seen = new MutationObserver(() => { if (at(31)) globalThis.returned ??= at(31).textContent.length; });
      seen.observe(document.body, { childList: true, subtree: true });
    }`);
    await page.evaluate("box().scrollTop = 0, frames()");
    await page.evaluate("goTo(31)");
    // It stands whole when it comes back: what grows would move what is read below it.
    expect(await page.evaluate("globalThis.returned")).toBeGreaterThan(20_000);
    await page.getByRole("textbox", { name: "Message" }).fill("mine");
    await page.keyboard.press("Control+a");
    await page.evaluate("frames()");
    expect(await drawn(page)).toBeLessThan(60);
  });
  await withPage(async (page) => {
    await page.evaluate(helpers);
    await chat(page, "[]", `{ createStore: stored(300), sessionId: "s", view: { unstyled: true } }`);
    await until(page, "drawn() === 300 && !document.querySelector('[data-glove-rows]')");
  });
});

test("where the document scrolls, what is near its window is drawn", async () => {
  await withPage(async (page) => {
    await page.evaluate(`{
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("[data-glove-look].own { height: auto; max-height: none } .own [data-glove-scroller] { overflow: visible }");
      document.adoptedStyleSheets.push(sheet);
    }`);
    await page.evaluate(helpers);
    await chat(page, "[]", `{ createStore: stored(1_000), sessionId: "s", view: { className: "own" } }`);
    await page.evaluate(`document.querySelector("main").removeAttribute("data-glove-page")`);
    await until(page, "document.documentElement.scrollHeight > 20_000 && drawn() < 80");
    for (const part of [0, 0.5, 0.9]) {
      await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${part}), frames(4)`);
      expect(
        await page.evaluate(
          "[!!document.elementFromPoint(400, 250).closest('[data-glove-rows], [data-glove-column]'), !document.elementFromPoint(400, 250).closest('[data-glove-away]'), drawn() < 80]",
        ),
      ).toEqual([true, true, true]);
    }
  });
});

test("who reads with a screen reader hears no old message when it is drawn, and finds the way to what is not", async () => {
  await withPage(async (page) => {
    await long(page);
    expect(await barriers(page, "main", ["region"])).toEqual([]);
    const before = page.getByRole("button", { name: "Earlier messages" });
    expect(await before.count()).toBe(1);
    const lives = () =>
      page.evaluate(`[...document.querySelectorAll("[data-glove-rows]")].map((rows) => rows.getAttribute("aria-live"))`);
    await page.evaluate("goTo(1_000)");
    const quiet = (await lives()) as (string | null)[];
    expect(quiet.slice(0, -1).every((live) => live === "off")).toBe(true);
    expect(quiet.at(-1)).toBe(null);
    expect(await barriers(page, "main", ["region"])).toEqual([]);
    const first = () => page.evaluate(`Number(/\\d+/.exec(document.querySelector("[data-glove-message]").textContent)[0])`);
    const from = (await first()) as number;
    const rooms = "[...document.querySelectorAll('[data-glove-away]')]";
    expect(await page.evaluate(`${rooms}.map((room) => room.getAttribute("aria-live"))`)).toEqual(["off", "off"]);
    await before.evaluate((button) => (button as unknown as { click(): void }).click());
    await page.evaluate("frames()");
    expect(await first()).toBeLessThan(from);
    // Who stands on a button still stands there when other messages are drawn.
    for (const at of [0, 1]) {
      await page.evaluate("goTo(1_000)");
      await page.evaluate(`${rooms}[${at}].querySelector("button").focus({ preventScroll: true })`);
      for (const to of [700, 1_300]) {
        await page.evaluate(`goTo(${to})`);
        expect(await page.evaluate(`${rooms}.findIndex((room) => room.contains(document.activeElement))`)).toBe(at);
      }
    }
  });
});

test("in a chat that is drawn at half its size, what is seen is drawn", async () => {
  await withPage(async (page) => {
    await long(page);
    await page.evaluate(
      "Object.assign(document.querySelector('main').style, { transform: 'scale(0.5)', transformOrigin: '0 0' })",
    );
    for (const part of [0.2, 0.5, 0.8]) {
      await page.evaluate(`box().scrollTop = box().scrollHeight * ${part}, frames(6)`);
      const { top, height } = (await page.evaluate("box().getBoundingClientRect().toJSON()")) as { top: number; height: number };
      for (const of of [0.1, 0.5, 0.9]) {
        const seen = `document.elementFromPoint(200, ${top + height * of})`;
        expect(await page.evaluate(`[!!${seen}.closest("[role=log]"), !!${seen}.closest("[data-glove-away]")]`)).toEqual([
          true,
          false,
        ]);
      }
      expect(await drawn(page)).toBeLessThan(80);
    }
  });
});

test("calls of which an application draws nothing leave no hole and no gap, however many they are", async () => {
  await withPage(async (page) => {
    await page.evaluate(helpers);
    await page.evaluate(`{
      const entry = (at) => at % 200 >= 60 && at % 200 < 160 ? { kind: "tool", id: "c" + at, name: "look", input: {}, status: "success" }
        : { kind: at % 2 ? "agent_text" : "user", id: "e" + at, text: (at % 2 ? "Answer " : "Question ") + at + ". " + "words ".repeat(40) };
      states.quiet = { timeline: Array.from({ length: 800 }, (_, at) => entry(at)), view: { renderToolStatus: () => null } };
      show("quiet");
    }`);
    await until(page, "at(799) && toGo() < 2");
    const told = await page.evaluate(`(async () => {
      const holes = [];
      const gaps = [];
      const { top } = box().getBoundingClientRect();
      for (let step = 0; step < 400 && box().scrollTop > 0; step++) {
        box().scrollTop -= 300;
        await frames(2);
        if (document.elementFromPoint(400, top + 250)?.closest("[data-glove-away]")) holes.push(step);
        for (const before of [59, 259, 459, 659]) {
          const between = (one, other) => at(other).getBoundingClientRect().top - at(one).getBoundingClientRect().bottom;
          // As between two blocks that stand beside each other.
          if (at(before - 10) && at(before + 101)) gaps.push(between(before, before + 101) - between(before - 10, before - 9));
        }
      }
      return { holes, isPassed: gaps.length > 3, gaps: gaps.filter((gap) => Math.abs(gap) > 1), top: box().scrollTop };
    })()`);
    expect(told).toEqual({ holes: [], isPassed: true, gaps: [], top: 0 });
  });
});
