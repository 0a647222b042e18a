// An answer under way survives a reload in a real browser: the same answer of the model is read on.
import { createChatHandler, createMemoryBuffer } from "glove-wasm/server";
import { createScriptedModel } from "glove-wasm/testing";
import { expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { inPage, servePackage } from "../support/pages.js";

const words = Array.from({ length: 60 }, (_, at) => `word${at} `);

const talk = `
  const { resumable } = await import("/pkg/remote/index.js");
  const createModel = () => createEndpointModel("/api/chat", { fetch: resumable() });
  const session = new GloveClient({ createModel, systemPrompt: "" }).session("s");
`;

test("a page that is reloaded in the middle of an answer goes on reading it, and the model is asked once", async () => {
  let asked = 0;
  const createModel = () => {
    asked++;
    return createScriptedModel([{ deltas: words, every: 50 }]);
  };
  const handler = createChatHandler({ createModel, resume: createMemoryBuffer() });
  const site = await servePackage({}, { "/api/chat": handler });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    const begun = await inPage<string>(
      page,
      `${talk} session.sendMessage("hi").catch(() => {});
       return (await until(session, ({ streamingText }) => streamingText.includes("word8"))).streamingText;`,
    );
    await page.reload();
    const whole = await inPage<string[]>(
      page,
      `${talk} await session.start(); return texts(await until(session, ({ busy }) => !busy));`,
    );
    expect(whole).toEqual(["user: hi", `agent_text: ${words.join("")}`]);
    expect(words.join("").startsWith(begun)).toBe(true);
    expect(asked).toBe(1);
  } finally {
    await browser.close();
    await site.close();
  }
});
