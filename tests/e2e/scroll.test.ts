// Where the reader of a conversation is kept while it grows, and how they come elsewhere.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, withPage } from "../support/look-chat.js";

/** What the page of each test can ask. */
const helpers = `Object.assign(globalThis, {
  stored: (count) => (id) => {
    const store = new MemoryStore(id);
    const text = (at) => (at % 2 ? "Answer " : "Question ") + at + ". " + "More words of it. ".repeat((at * 7) % 11);
    store.appendMessages(Array.from({ length: count }, (_, at) => ({ sender: at % 2 ? "agent" : "user", text: text(at), id: "m" + at })));
    return store;
  },
  box: () => document.querySelector("[data-glove-scroller]"),
  toGo: () => box().scrollHeight - box().clientHeight - box().scrollTop,
  frames: async (count = 3) => { for (let at = 0; at < count; at++) await new Promise((later) => requestAnimationFrame(later)); },
  said: (start) => [...document.querySelectorAll("[data-glove-entry]")].findLast(({ textContent }) => textContent.startsWith(start)),
  topOf: (start) => said(start).getBoundingClientRect().top - box().getBoundingClientRect().top,
  send: (text) => void client.session("s").sendMessage(text),
}), undefined`;

async function open(page: Page, count: number, script: string, view = "{}"): Promise<void> {
  await page.evaluate(helpers);
  await chat(page, script, `{ createStore: stored(${count}), sessionId: "s", view: ${view} }`);
  if (count > 0) await until(page, `said("Answer ${count - 1}.") && toGo() < 2`);
  await page.evaluate("frames()");
}

/** What a test waits for: JavaScript, which the policy of the page lets nobody compile in it. */
const until = (page: Page, what: string) =>
  expect.poll(() => page.evaluate(`!!(${what})`), { message: what, timeout: 30_000 }).toBe(true);

const send = async (page: Page, text: string) => {
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill(text);
  await field.press("Enter");
};

/** Notes with each frame where a message stands, for as long as an answer is written. */
const watch = (start: string) => `{
  globalThis.tops = [];
  const look = () => {
    if (said(${JSON.stringify(start)}) && document.querySelector("[data-glove-streaming]")) tops.push(topOf(${JSON.stringify(start)}));
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;
const idle = `!client.session("s").getSnapshot().busy`;

test.each([20, 2_000])(
  "after %i entries, what is sent rises to the upper edge and stays there while its answer grows below it",
  async (count) => {
    await withPage(async (page) => {
      await open(page, count, `[() => pieces("some words ".repeat(400), 5), "Short."]`);
      await page.evaluate(watch("Now this"));
      await send(page, "Now this");
      await until(page, `tops.length > 10 && ${idle}`);
      const tops = (await page.evaluate("tops")) as number[];
      // From its first frame to its last.
      expect(Math.min(...tops)).toBeGreaterThan(16);
      expect(Math.max(...tops)).toBeLessThan(32);
      // Its answer goes on beyond the window; the button leads there.
      expect(await page.evaluate("toGo()")).toBeGreaterThan(100);
      await page.getByRole("button", { name: "Jump to latest" }).click();
      await until(page, "toGo() < 2");
      // A short answer has room below it.
      await send(page, "And this");
      await until(page, `said("Short.") && ${idle}`);
      await page.evaluate("frames()");
      expect(await page.evaluate(`Math.round(topOf("And this"))`)).toBe(24);
      const jump = page.getByRole("button", { name: "Jump to latest" });
      expect(await jump.count()).toBe(0);
      // Nor does it lead to that room.
      await page.mouse.move(400, 200);
      await page.mouse.wheel(0, -200);
      await until(page, `topOf("And this") > 150`);
      await page.evaluate("frames()");
      expect(await jump.count()).toBe(0);
      await page.mouse.wheel(0, -600);
      await jump.waitFor();
    });
  },
);

test("the first message of a conversation stands where it was written, and nothing can be scrolled", async () => {
  await withPage(async (page) => {
    await open(page, 0, `["Well."]`);
    await send(page, "First");
    await until(page, `said("Well.") && ${idle}`);
    await page.evaluate("frames()");
    expect(await page.evaluate("[box().scrollTop, toGo()]")).toEqual([0, 0]);
  });
});

test("of a message that is longer than the window, its end is seen with its answer", async () => {
  await withPage(async (page) => {
    await open(page, 6, `["Well."]`);
    await send(page, `Long. ${"A line of it.\n".repeat(60)}`);
    await until(page, `said("Well.") && ${idle}`);
    await page.evaluate("frames()");
    const bottom = (await page.evaluate(`said("Long.").getBoundingClientRect().bottom`)) as number;
    const middle = (await page.evaluate("box().clientHeight / 2")) as number;
    expect(bottom).toBeGreaterThan(100);
    expect(bottom).toBeLessThan(middle);
  });
});

test("with `end` the end is kept in sight until the reader scrolls up, selects or opens something, and again by the button", async () => {
  await withPage(async (page) => {
    await open(page, 20, `() => pieces("some words ".repeat(1_500), 5)`, `{ scroll: "end" }`);
    await page.evaluate(`send("go")`);
    await until(page, `document.querySelector("[data-glove-streaming]")?.textContent.length > 2_000`);
    expect(await page.evaluate("frames().then(toGo)")).toBeLessThan(120);
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector("[data-glove-streaming]"))`);
    await until(page, "toGo() > 300");
    const jump = page.getByRole("button", { name: "Jump to latest" });
    await page.evaluate("getSelection().removeAllRanges()");
    await jump.click();
    await until(page, "toGo() < 120");
    // Still followed, after more has come.
    await page.evaluate("frames(20)");
    expect(await page.evaluate("toGo()")).toBeLessThan(120);
    await page.mouse.move(400, 200);
    await page.mouse.wheel(0, -400);
    await until(page, "toGo() > 600");
    await page.evaluate("client.session('s').abort()");
  });
});

test("with `turn` the list stays where the reader has scrolled, and follows again what is sent next", async () => {
  await withPage(async (page) => {
    await open(page, 40, `[() => pieces("some words ".repeat(400), 5), "Short."]`);
    await page.evaluate(`send("go")`);
    await until(page, `document.querySelector("[data-glove-streaming]")?.textContent.length > 500`);
    await page.mouse.move(400, 200);
    await page.mouse.wheel(0, -300);
    await until(page, `topOf("go") > 200`);
    const before = (await page.evaluate(`frames().then(() => topOf("go"))`)) as number;
    await until(page, idle);
    expect(Math.abs(((await page.evaluate(`topOf("go")`)) as number) - before)).toBeLessThan(2);
    await send(page, "Then this");
    await until(page, `said("Short.") && ${idle}`);
    expect(await page.evaluate(`frames().then(() => Math.round(topOf("Then this")))`)).toBe(24);
  });
});

test("with `none` nothing moves when a message is sent and answered", async () => {
  await withPage(async (page) => {
    await open(page, 40, `["word ".repeat(900)]`, `{ scroll: "none" }`);
    await page.evaluate("box().scrollTop -= 400");
    await page.evaluate("frames()");
    const before = (await page.evaluate("box().scrollTop")) as number;
    await send(page, "go");
    await until(page, `said("word") && ${idle}`);
    await page.evaluate("frames()");
    expect(await page.evaluate("box().scrollTop")).toBe(before);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await until(page, "toGo() < 2");
  });
});

test("a conversation opens at its last message where the answer is longer than the window", async () => {
  await withPage(async (page) => {
    await page.evaluate(helpers);
    await page.evaluate(`globalThis.long = (id) => {
      const store = stored(20)(id);
      store.appendMessages([{ sender: "user", text: "The last one", id: "u" }, { sender: "agent", text: "Answer 21. " + "Long words. ".repeat(1_000), id: "a" }]);
      return store;
    }, undefined`);
    await chat(page, "[]", `{ createStore: long, sessionId: "s" }`);
    await until(page, `said("Answer 21.")`);
    await page.evaluate("frames(10)");
    expect(await page.evaluate(`Math.round(topOf("The last one"))`)).toBe(24);
  });
});

test("a question that comes below a long answer is brought into sight", async () => {
  await withPage(async (page) => {
    await page.evaluate(helpers);
    await page.evaluate(`{
      const timeline = [{ kind: "user", id: "u", text: "go" }, { kind: "agent_text", id: "a", text: "Long words. ".repeat(1_000) }, { kind: "tool", id: "c", name: "ask", input: {}, status: "pending" }];
      states.before = { timeline: timeline.slice(0, 2), busy: true };
      states.asks = { timeline, slots: [{ ...states.forms.slots[0], toolCallId: "c", toolName: "ask" }], busy: true };
      show("before");
    }`);
    await until(page, `said("go")`);
    // What is typed keeps the focus where it is.
    await page.getByRole("textbox", { name: "Message" }).fill("mine");
    await page.evaluate(`frames().then(() => show("asks"))`);
    await until(page, `document.querySelector("[data-glove-question]")?.getBoundingClientRect().bottom < innerHeight`);
  });
});

test("`scrollToMessage` goes to a message of 2,000 that is not drawn, gives it the focus, and stays", async () => {
  await withPage(async (page) => {
    await open(page, 2_000, `["Well."]`, "{ viewRef: (ref) => { globalThis.ref = ref; } }");
    expect(await page.evaluate(`!!said("Answer 701.")`)).toBe(false);
    const id = await page.evaluate(`client.session("s").getSnapshot().timeline[701].id`);
    expect(await page.evaluate(`ref.scrollToMessage(${JSON.stringify(id)})`)).toBe(true);
    expect(Math.abs((await page.evaluate(`topOf("Answer 701.")`)) as number)).toBeLessThan(2);
    expect(await page.evaluate(`document.activeElement === said("Answer 701.")`)).toBe(true);
    await page.evaluate("frames(10)");
    expect(Math.abs((await page.evaluate(`topOf("Answer 701.")`)) as number)).toBeLessThan(2);
    expect(await page.evaluate(`ref.scrollToMessage("nobody")`)).toBe(false);
    // By the id of one of `messages`, which is not that of an entry.
    const answer = await page.evaluate(`client.session("s").getSnapshot().timeline[100].id + ":answer"`);
    expect(await page.evaluate(`ref.scrollToMessage(${JSON.stringify(answer)})`)).toBe(true);
    expect(await page.evaluate(`document.activeElement === said("Answer 101.")`)).toBe(true);
    await page.evaluate("ref.scrollToEnd()");
    await until(page, `said("Answer 1999.") && toGo() < 2`);
  });
});

test("a chat that is as high as what is in it gets no room, and stays as high", async () => {
  await withPage(async (page) => {
    await open(page, 6, `["Well."]`, `{ style: { height: "auto", maxHeight: "none" } }`);
    await send(page, "go");
    await until(page, `said("Well.") && ${idle}`);
    await page.evaluate("frames(10)");
    expect(await page.evaluate(`[toGo(), document.querySelector("[data-glove-column]").style.minHeight]`)).toEqual([0, ""]);
  });
});

test("a question below what is read takes the reader nowhere, and the button says that it waits and leads to it", async () => {
  await withPage(async (page) => {
    await page.evaluate(helpers);
    const tool = `{ name: "ask", description: "", jsonSchema: { type: "object" }, do: (_, display) => display.pushAndWait({ renderer: "input", input: { message: "Which one?" } }) }`;
    const script = `[{ toolCalls: [{ name: "ask", id: "c1", input: {} }], until: new Promise((open) => { globalThis.asks = open; }) }]`;
    await chat(page, script, `{ createStore: stored(40), sessionId: "s", tools: [${tool}] }`);
    await until(page, `said("Answer 39.") && toGo() < 2`);
    await send(page, "go");
    await until(page, `said("go")`);
    await page.mouse.move(400, 200);
    await page.mouse.wheel(0, -1_500);
    await until(page, "toGo() > 1_000");
    const before = await page.evaluate("frames().then(() => box().scrollTop)");
    await page.evaluate("asks()");
    const question = page.getByRole("textbox", { name: "Which one?" });
    await question.waitFor();
    await page.evaluate("frames(5)");
    expect(await page.evaluate("box().scrollTop")).toBe(before);
    const button = page.getByRole("button", { name: "Waiting for you" });
    expect(await button.innerText()).toBe("Waiting for you");
    await button.click();
    await until(page, `document.querySelector("[data-glove-question]").getBoundingClientRect().bottom < innerHeight`);
    expect(await page.evaluate(`document.querySelector("[data-glove-question]").contains(document.activeElement)`)).toBe(true);
    expect(await button.count()).toBe(0);
  });
});

test("a field that looks for messages keeps the focus when one is found", async () => {
  await withPage(async (page) => {
    await open(page, 200, `["Well."]`, "{ viewRef: (ref) => { globalThis.ref = ref; } }");
    await page.evaluate(`{
      const find = document.body.appendChild(document.createElement("input"));
      find.type = "search";
      find.focus();
    }`);
    const id = await page.evaluate(`client.session("s").getSnapshot().timeline[51].id`);
    expect(await page.evaluate(`ref.scrollToMessage(${JSON.stringify(id)})`)).toBe(true);
    expect(Math.abs((await page.evaluate(`topOf("Answer 51.")`)) as number)).toBeLessThan(2);
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
  });
});
