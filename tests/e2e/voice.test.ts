// A session's runnable under a voice hook: spoken turns, interruptions, and a question that an interruption leaves open.
import { build } from "esbuild";
import { expect, test } from "vitest";
import { openBrowser } from "../support/browser.js";
import { root } from "../support/project.js";
import { serve } from "../support/server.js";

test("a voice hook speaks the answers, is interrupted, and leaves an open question alone", async () => {
  const options = { bundle: true, format: "esm", jsx: "automatic", write: false } as const;
  const define = { "process.env.NODE_ENV": '"production"' };
  const { outputFiles } = await build({ ...options, define, entryPoints: [`${root}/tests/support/voice-page.tsx`] });
  const html = "<!doctype html><link rel=icon href=data:,><body><script type=module src=page.js></script>";
  const server = await serve("", { pages: { "/": html, "/page.js": outputFiles[0]?.text ?? "" } });
  const browser = await openBrowser({ whole: true });
  try {
    const page = await browser.newPage();
    const mode = (wanted: string) => page.waitForFunction(`document.querySelector("#mode")?.textContent === "${wanted}"`);
    const told = () => page.evaluate("log.splice(0)") as Promise<string[]>;
    await page.goto(server.url);
    await page.waitForFunction("globalThis.glove?.runnable && glove.sessionReady");
    await page.evaluate("voice.start()");

    await page.evaluate(`say("hello")`);
    await page.waitForFunction("log.length === 2");
    await mode("listening");
    expect(await told()).toEqual(["said: You said hello.", "said: And I heard it"]);

    await page.evaluate(`say("talk")`);
    await mode("speaking");
    await page.waitForFunction("log.length > 2");
    await page.evaluate(`say("stop that")`);
    await page.waitForFunction(`log.includes("said: And I heard it")`);
    await mode("listening");
    const after = await told();
    expect(after).toContain("stopped");
    const said = after.filter((line) => line !== "stopped");
    expect(said.slice(said.indexOf("said: You said stop that."))).toEqual(["said: You said stop that.", "said: And I heard it"]);

    await page.evaluate(`say("ask me")`);
    await page.waitForFunction("glove.slots.length === 1");
    await page.evaluate(`say("anybody there?")`);
    await page.click("text=Yes");
    await page.waitForFunction("glove.timeline.at(-1).text === 'As you like.'");
    const users = await page.evaluate("glove.timeline.filter(({ kind }) => kind === 'user').map(({ text }) => text)");
    expect(users).toEqual(["hello", "talk", "stop that", "ask me"]);
  } finally {
    await browser.close();
    await server.close();
  }
});
