// What long answers, many calls and large arguments cost the page that draws them with the built-in look.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, streamed, withPage } from "../support/look-chat.js";
import { longestTask, slowness } from "../support/thread-time.js";

test("no task of an answer of 100 kB is long, and all of it is drawn", async () => {
  await withPage(async (page) => {
    await chat(page, `[]`, `{ createStore: (id) => new MemoryStore(id), sessionId: "s" }`);
    await expect.poll(() => page.evaluate("client.session('s').getSnapshot().sessionReady"), { timeout: 20_000 }).toBe(true);
    let longest = Number.POSITIVE_INFINITY;
    // What else the machine does may have cost a try its caches: 120 to 145 ms were measured, and 186 to 314 before the style of what is new only.
    for (let left = 3; left > 0 && longest >= 200; left--) {
      const task = await longestTask(page, () => page.evaluate(streamed("long(100_000)", 200)));
      const slower = await slowness(page);
      console.log(`100 kB: longest task ${task.toFixed()} ms, ${slower.toFixed(1)} times slower`);
      longest = task / slower;
    }
    expect(longest).toBeLessThan(200);
    await expect.poll(() => page.locator("[data-glove-role=agent] h2").count()).toBeGreaterThan(300);
  });
}, 240_000);

// One rule with `:has()` at the root, and each piece of an answer has the style of 1,500 elements worked out again.
test.each([800, 360])(
  "a piece of a long answer costs the style of what is new only, %i pixels wide",
  async (width) => {
    await withPage(
      async (page) => {
        await chat(page, `[]`, `{ createStore: (id) => new MemoryStore(id), sessionId: "s" }`);
        await expect.poll(() => page.evaluate("client.session('s').getSnapshot().sessionReady"), { timeout: 20_000 }).toBe(true);
        const styled = await styledElements(page, () => page.evaluate(streamed("long(50_000)", 200)));
        console.log(`${width} pixels: ${styled.length} times style, for ${median(styled)} elements in the middle`);
        expect(styled.length).toBeGreaterThan(50);
        expect(median(styled)).toBeLessThan(200);
      },
      { viewport: { width, height: 700 } },
    );
  },
  240_000,
);

const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** For how many elements each frame works out the style. */
async function styledElements(page: Page, work: () => Promise<unknown>): Promise<number[]> {
  const devtools = await page.context().newCDPSession(page);
  const counts: number[] = [];
  devtools.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, args } of value as unknown as { name: string; args?: { elementCount?: number } }[]) {
      if (name === "UpdateLayoutTree" && args?.elementCount) counts.push(args.elementCount);
    }
  });
  const includedCategories = ["disabled-by-default-devtools.timeline", "devtools.timeline"];
  await devtools.send("Tracing.start", {
    traceConfig: { includedCategories, excludedCategories: ["*"] },
    transferMode: "ReportEvents",
  });
  await work();
  const told = new Promise<void>((resolve) => devtools.once("Tracing.tracingComplete", () => resolve()));
  await devtools.send("Tracing.end");
  await told;
  return counts;
}

test("arguments of 1 MB are shown, opened and scrolled to their end in tasks of less than 50 ms", async () => {
  await withPage(async (page) => {
    // Drawn, and nothing is left to do at once.
    const drawn = `new Promise((later) => requestAnimationFrame(() => requestIdleCallback(later, { timeout: 5_000 })))`;
    await page.evaluate(`show("approval"), ${drawn}`);
    for (const [name, input] of Object.entries({
      lines: "{ code: 'await check(service);\\n'.repeat(50_000) + 'deleteEverything()' }",
      "one line": "{ code: 'x '.repeat(500_000) + 'deleteEverything()' }",
      values:
        "{ ...Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => ['key ' + at, at])), end: 'deleteEverything()' }",
      "edit of some lines":
        "((lines) => ({ old: lines.join(''), new: lines.map((line, at) => (at > 20_000 && at < 20_990 && at % 3 === 0 ? 'changed();\\n' : line)).join('') + 'deleteEverything()' }))(Array.from({ length: 50_000 }, (_, at) => 'const a = ' + at + ';\\n'))",
      edit: "{ old: 'const a = 1;\\n'.repeat(40_000), new: 'const a = 2;\\n'.repeat(40_000) + 'deleteEverything()' }",
    })) {
      const all = `[...document.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith("Show all"))`;
      const box = `document.querySelector("[data-glove-question] [data-glove-values]")`;
      await page.evaluate(`globalThis.input = ${input}, ${drawn}`);
      // The text of 60,000 values is made by one call of the browser's own.
      const limit = name === "values" ? 100 : 50;
      let longest = Number.POSITIVE_INFINITY;
      // What else the machine does may have cost a try its caches.
      for (let left = 3; left > 0 && longest >= limit; left--) {
        const times: number[] = [];
        for (const [step, isDone] of [
          [
            `states.large = { ...states.approval, slots: [{ ...states.approval.slots[0], id: "large", input: { toolName: "run", toolInput: input } }] }; show("large")`,
            all,
          ],
          [`${all}.click()`, box],
          [`${box}.scrollTop = 1e9`, `${box}.textContent.includes("deleteEverything()")`],
        ]) {
          const task = await longestTask(page, async () => {
            await page.evaluate(`(() => { ${step}; return ${drawn}; })()`);
            await expect.poll(() => page.evaluate(`!!(${isDone})`), { interval: 100, timeout: 20_000 }).toBe(true);
            await page.evaluate(drawn);
          });
          times.push(task);
        }
        const slower = await slowness(page);
        const shown = times.map((time) => time.toFixed()).join(", ");
        console.log(
          `${name}: longest tasks ${shown} ms of work when shown, opened, scrolled to its end; ${slower.toFixed(1)} times slower`,
        );
        longest = Math.max(...times) / slower;
        await page.evaluate(`show("approval"), ${drawn}`);
      }
      expect(longest).toBeLessThan(limit);
    }
  });
}, 240_000);

/** The longest task of a run in which nothing waits: the model, the tools and the store answer at once. */
async function runAtOnce(page: Page, model: string, entries: number): Promise<number> {
  const run = `(async () => {
    const createStore = (id) => new MemoryStore(id);
    const double = { name: "double", description: "", jsonSchema: { type: "object" }, do: ({ n }) => n * 2 };
    globalThis.client = chat([], { createModel: () => (${model}), createStore, sessionId: "s", limits: { turns: 1_000 }, tools: [double] });
    const session = client.session("s");
    await session.start();
    await session.sendMessage("go");
    return session.getSnapshot().timeline.length;
  })()`;
  const longest = await longestTask(page, async () => {
    expect(await page.evaluate(run)).toBe(entries);
    await page.waitForTimeout(500);
  });
  const slower = await slowness(page);
  console.log(`longest task ${longest.toFixed()} ms on a machine ${slower.toFixed(1)} times slower`);
  return longest / slower;
}

/** Calls this in each of so many rounds, and then answers. */
const rounds = (count: number, calls: string) => `{
  name: "own",
  setSystemPrompt() {},
  round: 0,
  async prompt() {
    const at = this.round++;
    const message = at < ${count} ? { text: "", tool_calls: ${calls} } : { text: "Well." };
    return { messages: [{ sender: "agent", ...message }], tokens_in: 1, tokens_out: 1 };
  },
}`;

test(
  "999 calls of tools that there are not, in three rounds, are no long task",
  () =>
    withPage(async (page) => {
      const calls = `Array.from({ length: 333 }, (_, n) => ({ tool_name: "nothing_" + at + "_" + n, input_args: { n } }))`;
      expect(await runAtOnce(page, rounds(3, calls), 1_001)).toBeLessThan(200);
    }),
  60_000,
);

test(
  "300 rounds in which nothing waits are no long task",
  () =>
    withPage(async (page) => {
      expect(await runAtOnce(page, rounds(300, `[{ tool_name: "double", input_args: { n: at } }]`), 302)).toBeLessThan(200);
    }),
  60_000,
);
