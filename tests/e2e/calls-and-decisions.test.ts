// How calls and decisions look and are pressed, in Chromium: the thread that calls hang on, tickets, fingers, and motion.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriers } from "../support/axe.js";
import { showState } from "../support/look.js";
import { chat, withPage } from "../support/look-chat.js";

const rows = (page: Page) =>
  page.locator("[data-glove-role=tool]").evaluateAll((all) =>
    all.map((row) => {
      const dot = row.querySelector("[data-glove-state-icon]") as Element;
      const [box, at] = [row.getBoundingClientRect(), dot.getBoundingClientRect()];
      const line = (part: string) => (getComputedStyle(row, part).content === "none" ? 0 : 1);
      return { top: box.top, bottom: box.bottom, x: at.left + at.width / 2, lines: [line("::before"), line("::after")] };
    }),
  );

test("calls that follow each other hang on one thread from the first dot to the last, also the one that is being written", async () => {
  await withPage(async (page) => {
    await showState(page, "cards");
    await page.evaluate(
      `states.open = { ...states.cards, timeline: states.cards.timeline.slice(0, -1) }, show("open"), undefined`,
    );
    await page.getByText("Preparing").waitFor();
    const all = await rows(page);
    expect(all.length).toBe(7);
    expect(new Set(all.map(({ x }) => Math.round(x))).size).toBe(1);
    for (const [at, row] of all.entries()) if (at > 0) expect(Math.abs(row.top - (all[at - 1]?.bottom ?? 0))).toBeLessThan(1);
    expect(all.map(({ lines }) => lines)).toEqual([[0, 1], ...Array(5).fill([1, 1]), [1, 0]]);
    // Words part them.
    await showState(page, "cards");
    const parted = await rows(page);
    expect(parted.slice(-2).map(({ lines }) => lines)).toEqual([
      [1, 0],
      [0, 0],
    ]);
  });
});

test("no word moves for the caret, nor when it goes", async () => {
  await withPage(
    async (page) => {
      const text = "It slowed down because the deploy turned the cache off, and every request then read the price list anew.";
      const box = () => page.locator("[data-glove-role=agent]").evaluate((one) => one.getBoundingClientRect().height);
      for (let end = 30; end < text.length; end += 3) {
        await page.evaluate(
          `states.grow = { busy: true, streamingText: ${JSON.stringify(text.slice(0, end))} }, show("grow"), undefined`,
        );
        await page.locator("[data-glove-streaming]").waitFor();
        const streaming = await box();
        await page.evaluate(
          `states.grow = { timeline: [{ kind: "agent_text", id: "a", text: ${JSON.stringify(text.slice(0, end))} }] }, show("grow"), undefined`,
        );
        await page.locator("[data-glove-role=agent]:not([data-glove-streaming])").waitFor();
        expect([end, await box()]).toEqual([end, streaming]);
      }
    },
    { viewport: { width: 360, height: 640 } },
  );
});

test("calls are taken back with the keyboard: what came later is told before, and nothing happens at the first press", async () => {
  await withPage(async (page) => {
    await chat(
      page,
      `[{ toolCalls: ["lamp", "chair", "desk"].map((item) => ({ name: "add", input: { item } })) }, "All is in your cart."]`,
      `{ tools: [{
        name: "add",
        description: "",
        inputSchema: z.object({ item: z.string() }),
        title: ({ item }) => "Add the " + item,
        do: ({ item }) => (globalThis.cart ??= []).push(item),
        undo: ({ item }) => {
          if (item === "lamp" && !globalThis.mended) throw new Error("It is packed.");
          globalThis.cart = cart.filter((one) => one !== item);
        },
      }] }`,
    );
    const focused = () => page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.innerText");
    await page.getByRole("textbox", { name: "Message", exact: true }).fill("Fill my cart");
    await page.keyboard.press("Enter");
    await page.getByText("All is in your cart.").waitFor();
    const first = page.getByRole("button", { name: "Undo this and 2 later actions: Add the lamp" });
    await first.waitFor();
    expect(await barriers(page, "main", ["region"])).toEqual([]);
    // What is not in sight until it is pointed at comes with the focus.
    const opacity = () => first.evaluate((one) => getComputedStyle(one).opacity);
    await page.mouse.move(0, 0);
    expect(await opacity()).toBe("0");
    await page.locator("summary", { hasText: "Add the lamp" }).focus();
    await page.keyboard.press("Tab");
    expect([await focused(), await opacity()]).toEqual(["Undo this and 2 later actions: Add the lamp", "1"]);
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "These are undone, the last one first:" }).waitFor();
    expect(await page.evaluate("cart")).toEqual(["lamp", "chair", "desk"]);
    expect(await barriers(page, "main", ["region"])).toEqual([]);
    await page.keyboard.press("Escape");
    expect([await focused(), await page.getByRole("group", { name: /undone/ }).count()]).toEqual([
      "Undo this and 2 later actions: Add the lamp",
      0,
    ]);
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Undo this and 2 later actions");
    await page.keyboard.press("Enter");
    await page.locator("p", { hasText: "Add the lamp could not be undone: It is packed." }).waitFor();
    expect(await page.evaluate("cart")).toEqual(["lamp"]);
    expect(await barriers(page, "main", ["region"])).toEqual([]);
    expect(await focused()).toBe("Undo: Add the lamp");
    await page.evaluate("globalThis.mended = true");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByText("Undone", { exact: true }).count()).toBe(3);
    expect(await page.evaluate("cart")).toEqual([]);
    await expect.poll(focused).toContain("Add the lamp");
  });
});

test.each([360, 1000])(
  "a long result is read at the side or as a sheet, and closed with the keyboard, at %i pixels",
  async (width) => {
    await withPage(
      async (page) => {
        await showState(page, "large");
        await page.locator("summary", { hasText: "List the services" }).press("Enter");
        const open = page.getByRole("button", { name: "Show large: List the services" });
        await open.focus();
        await page.keyboard.press("Enter");
        const panel = page.getByRole("dialog", { name: "List the services" });
        await panel.waitFor();
        expect(await barriers(page, "main", ["region"])).toEqual([]);
        const box = await panel.boundingBox();
        // All of the width of a phone, and beside the conversation where there is room.
        expect([box?.width, (box?.height ?? 0) > 500]).toEqual([width === 360 ? 360 : 500, true]);
        expect(await panel.locator("pre").evaluate((one) => one.scrollHeight === one.clientHeight)).toBe(true);
        await page.keyboard.press("Shift+Tab");
        expect(await page.evaluate("document.activeElement.title")).toBe("Copy");
        await page.keyboard.press("Escape");
        await panel.waitFor({ state: "detached" });
        expect(await open.evaluate((one) => one === document.activeElement)).toBe(true);
      },
      { viewport: { width, height: 640 } },
    );
  },
);

test("Enter answers no decision that has just come, and a dangerous one is allowed by a red button", async () => {
  await withPage(async (page) => {
    await chat(
      page,
      `[{ toolCalls: [{ name: "wipe", id: "c1", input: { disk: "sda" } }] }, "Well."]`,
      `{ tools: [{ name: "wipe", description: "Wipes a disk.", confirm: ({ disk }) => "Wipe all of " + disk + "?", danger: true,
          inputSchema: z.object({ disk: z.string() }), requireApproval: true, do: () => { globalThis.wiped = true; } }] }`,
    );
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("go");
    await field.press("Enter");
    const ticket = page.getByRole("form", { name: "Wipe all of sda?" });
    await ticket.waitFor();
    await expect.poll(() => ticket.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    const reason = ticket.getByRole("textbox", { name: "Reason, if you deny" });
    expect(await reason.count()).toBe(0);
    // By the keyboard: the field comes, and has the focus.
    await ticket.getByRole("button", { name: "Say why not" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Not that one");
    expect(await reason.inputValue()).toBe("Not that one");
    await reason.press("Enter");
    expect(await ticket.locator("dd").allInnerTexts()).toEqual(["sda"]);
    const red = await page.evaluate(`getComputedStyle(document.querySelector("[data-glove-weight=danger]")).backgroundColor`);
    expect(red).toBe("rgb(179, 38, 30)");
    expect(await page.evaluate("globalThis.wiped")).toBeUndefined();
    await ticket.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Declined").waitFor();
    await page.getByText("Well.").waitFor();
    expect(await page.locator("[data-glove-details]").textContent()).toContain("Not that one");
    expect(await page.evaluate("globalThis.wiped")).toBeUndefined();
  });
});

test("a finger finds everything that can be pressed: 44 pixels high", async () => {
  await withPage(
    async (page) => {
      const small: string[] = [];
      for (const name of [
        "empty",
        "messages",
        "cards",
        "permission",
        "approval",
        "forms",
        "plain",
        "queue",
        "error",
        "branches",
      ]) {
        await showState(page, name);
        await page.waitForFunction("matchMedia('(pointer: coarse)').matches");
        const found = (await page.evaluate(`[...document.querySelectorAll("main :is(button, summary, select, textarea, input)")]
          .filter((one) => one.checkVisibility() && !one.matches("[type=radio], [type=checkbox], [type=range], .own, [tabindex='-1']"))
          .map((one) => [one.title || one.name || one.textContent || one.localName, Math.round(one.getBoundingClientRect().height)])
          .filter(([, height]) => height < 44)`)) as [string, number][];
        for (const [what, height] of found) small.push(`${name}: ${what} ${height}`);
      }
      expect(small).toEqual([]);
    },
    { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true },
  );
});

test("the composer shows by its edge and a shadow that it has the focus", async () => {
  await withPage(async (page) => {
    await showState(page, "empty");
    const looks = () =>
      page.locator("form[data-glove-role=input]").evaluate((form) => {
        const { boxShadow, borderColor } = getComputedStyle(form);
        return [boxShadow, borderColor];
      });
    const [shadow, edge] = await looks();
    await page.getByRole("textbox", { name: "Message" }).focus();
    await expect.poll(async () => (await looks())[0]).not.toBe(shadow);
    expect((await looks())[1]).not.toBe(edge);
  });
});

test("nothing moves where people ask for that", async () => {
  await withPage(
    async (page) => {
      for (const name of ["working", "streaming", "cards", "tasks"]) {
        await showState(page, name);
        const moving = `document.getAnimations().map((one) => one.animationName ?? one.transitionProperty).filter((one) => one !== "glove-wait")`;
        expect([name, await page.evaluate(moving)]).toEqual([name, []]);
      }
    },
    { reducedMotion: "reduce" },
  );
  await withPage(async (page) => {
    await showState(page, "cards");
    const moving = (await page.evaluate("document.getAnimations().map((one) => one.animationName)")) as string[];
    expect(moving).toContain("glove-ring");
  });
});
