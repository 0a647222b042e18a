// A tool of the server in a real browser: approved by a person, drawn while it works, and read on after a reload in its middle.
import { defineTool } from "glove-wasm";
import { createChatHandler } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage } from "../support/pages.js";

const talk = `
  const { serverTools } = await import("/pkg/remote/index.js");
  const createModel = () => createEndpointModel("/api/chat");
  const session = new GloveClient({ createModel, systemPrompt: "", plugins: [serverTools("/api/chat")] }).session("s");
`;

test("a page that is reloaded in the middle of a tool of the server reads on, and the tool runs once", async () => {
  let runs = 0;
  let end = () => {};
  const work = defineTool({
    name: "work",
    description: "Works.",
    inputSchema: z.object({ hours: z.number() }),
    requireApproval: ({ hours }) => hours > 1,
    async do({ hours }, display) {
      runs++;
      await display.pushAndForget({ message: "half of it" }, "info");
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return `worked ${hours}`;
    },
  });
  const script = [{ toolCalls: [{ name: "work", input: { hours: 2 }, id: "c1" }] }, "Done."];
  const model = createScriptedModel(script);
  const handler = createChatHandler({ createModel: () => model, tools: [work] });
  const site = await servePackage({}, { "/api/chat": handler });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    await inPage(
      page,
      `${talk} session.sendMessage("hi").catch(() => {});
       const { approvals } = await until(session, ({ approvals }) => approvals.length > 0);
       session.approve(approvals[0].id);
       await until(session, ({ slots }) => slots.some(({ renderer }) => renderer === "info"));`,
    );
    await page.reload();
    const going = inPage<string[]>(
      page,
      `${talk} await session.start(); return texts(await until(session, ({ busy }) => !busy));`,
    );
    await page.waitForTimeout(1_000);
    end();
    expect(await going).toEqual(["user: hi", "work: success worked 2", "agent_text: Done."]);
    expect(runs).toBe(1);
  } finally {
    await browser.close();
    await site.close();
  }
});
