// What a person reads on a phone when the assistant fails, in each way that providers fail: all of it is in the window and can be pressed.
import { createChatHandler } from "glove-wasm/server";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { demo, press, shows } from "./kit.js";

const { open } = demo();

const refusal =
  (status: number, message: string, code: string, headers = {}) =>
  () =>
    new Response(JSON.stringify({ error: { message, type: code, code } }), {
      status,
      headers: { "content-type": "application/json", ...headers },
    });
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const stream = (...parts: string[]) => new Response(parts.join(""), { headers: { "content-type": "text/event-stream" } });
const long = "https://provider.test/docs/guides/error-codes/api-errors#req_0123456789abcdef0123456789abcdef0123456789abcdef";
const broken = refusal(500, `The server had an error while processing your request: ${long}`, "server_error");

/** How the provider answers, and what is read of it; after the last another try has to wait. */
const failures: readonly [answers: readonly (() => Response)[], words: string][] = [
  [
    [refusal(401, `Incorrect API key provided: ${"*".repeat(90)}. See ${long}`, "invalid_api_key")],
    "did not accept this sign-in",
  ],
  [[refusal(404, `The model \`m-${"preview-".repeat(12)}\` does not exist`, "model_not_found")], "not set up correctly"],
  [[refusal(429, `You exceeded your current quota: ${long}`, "insufficient_quota")], "has used up"],
  [[broken, broken, broken], "has a problem right now"],
  [[() => stream(chunk({ role: "assistant", content: "Here are three desks" }))], "broke in the middle"],
  [[refusal(429, "Rate limit reached", "rate_limit_exceeded", { "retry-after": "30" })], "too many requests"],
];

/** What does not fit into the window, is covered, or is too small for a finger. Runs in the page. */
function misfits(): string[] {
  const { clientWidth, clientHeight, scrollWidth } = document.documentElement;
  const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth} wide`] : [];
  for (const notice of document.querySelectorAll("main [data-glove-role=error], main [data-glove-role=working]")) {
    for (const part of [notice, ...notice.querySelectorAll("*")]) {
      const { left, right } = part.getBoundingClientRect();
      if (left < 0 || right > clientWidth || (part.matches("p") && part.scrollWidth > part.clientWidth))
        found.push(`<${part.tagName}> ${part.textContent} is too wide`);
    }
  }
  for (const one of document.querySelectorAll("main [data-glove-role=error] :is(button, summary), [data-glove-stop]")) {
    const { left, top, width, height, bottom } = one.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    if (Math.min(width, height) < 28) found.push(`${one.textContent} is ${width} × ${height}`);
    if (!one.contains(at) || top < 0 || bottom > clientHeight) found.push(`${one.textContent} cannot be pressed`);
  }
  return found;
}

/** Enter begins a line there. */
async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await press(page, "Send");
}

async function fits(page: Page, what: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate(misfits), `${what}, ${colorScheme}`).toEqual([]);
  }
}

test("each failure is read and can be gone on from in a window of 360 × 780 pixels", async () => {
  let answers: (() => Response)[] = [];
  const handle = createChatHandler({
    provider: "openrouter",
    model: "m",
    apiKey: "key",
    providerMessages: "all",
    policy: { maxRetries: 0 },
    fetch: async () => (answers.shift() ?? (() => stream(chunk({ content: "Here they are." }, "stop"), "data: [DONE]\n\n")))(),
    onError: () => {},
  });
  const page = await open("shop", { viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true }, async (context) => {
    await context.addInitScript(`try { sessionStorage.setItem("demo-model", '{"kind":"endpoint"}'); } catch {}`);
    await context.route("**/api/chat", async (route) => {
      const asked = route.request();
      const request = new Request(asked.url(), { method: "POST", headers: await asked.allHeaders(), body: asked.postData() });
      const answer = await handle(request);
      await route.fulfill({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      });
    });
  });
  for (const [index, [next, words]] of failures.entries()) {
    answers = [...next];
    if (index === 0) await send(page, "Show me desks");
    else await press(page, "Try again");
    await page.getByRole("main").getByText(words).waitFor({ timeout: 30_000 });
    const details = page.getByRole("alert").locator("summary");
    if (await details.count()) await details.click();
    await fits(page, words);
  }
  await page.getByRole("button", { name: /^Try again in \d+ s$/ }).waitFor();
  await send(page, "Once more");
  await shows(page, "Here they are.");
});
