// A core that stops in a real page: the page lives on, and what is in its database too.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inWorker, openedCore } from "../support/core-place.js";
import { inPage, servePackage, withProfile } from "../support/pages.js";
import type { Served } from "../support/server.js";

let browser: Browser;
let server: Served;
beforeAll(async () => {
  browser = await openBrowser();
  server = await servePackage();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** The core of the worker stops at the next text that it is given. */
const breakThere = `
  ${openedCore}
  const breakCore = () => {
    void inCore("breaks = true");
    other.prompts().catch(() => {});
  };`;

test("a trap tells what waits, and the sessions go on from the database in a new core", () =>
  withProfile(browser, server, async ({ open }) => {
    const page = await open();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    const result = await inPage(
      page,
      `
      ${inWorker ? breakThere : `const { breakCore } = await import("/pkg/testing/index.js");`}
      const ask = { name: "ask", description: "", jsonSchema: { type: "object" }, idempotent: true,
        inputSchema: { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } },
        do: async (_, display) => {
          const answer = await display.pushAndWait({ input: "Sure?" });
          if (answer === "break" && !broken) { broken = true; breakCore(); }
          return answer;
        } };
      let broken = false;
      const model = createScriptedModel([{ toolCalls: [{ name: "ask", id: "c1" }] }, "You said break.", "Other."]);
      const client = new GloveClient({ createModel: () => model, systemPrompt: "", tools: [ask] });
      const session = client.session("one"), other = client.session("two");
      await other.start();
      const waits = ({ slots }) => slots[0]?.status === "pending";
      const errors = [];
      const going = session.sendMessage("Hi").catch((error) => errors.push(error.code));
      await until(session, waits);
      const before = JSON.stringify(await rows("records").catch(() => []));
      breakCore();
      await going;
      const kept = before === JSON.stringify(await rows("records").catch(() => []));
      const phase = session.getSnapshot().run.phase;
      // Once more, from inside of a tool that the core runs.
      const again = session.resume().catch((error) => errors.push(error.code));
      session.resolveSlot((await until(session, waits)).slots[0].id, "break");
      await again;
      // The answer was written before the tool heard it, so it is not asked for again.
      await session.resume();
      await other.sendMessage("Hello");
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { errors, kept, phase, one: texts(session.getSnapshot()), two: texts(other.getSnapshot()) };
      `,
    );
    expect(result).toEqual({
      errors: ["CORE_PANIC", "CORE_PANIC"],
      kept: true,
      phase: "interrupted",
      one: ["user: Hi", "ask: success break", "agent_text: You said break."],
      two: ["user: Hello", "agent_text: Other."],
    });
    expect(problems).toEqual([]);
  }));
