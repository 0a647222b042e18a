// The walk-throughs of the documentation, each opened in Chromium, and once more for writes to the store, with a reload at each.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, patience } from "../support/browser.js";
import { corePlace, inEachCore } from "../support/core-place.js";
import { serveExamples } from "../support/docs-page.js";
import { freezing, moments } from "../support/kill-app.js";
import { isLong } from "../support/long.js";
import type { Served } from "../support/server.js";

interface Walk {
  readonly name: string;
  /** What the person writes. */
  readonly says: readonly string[];
  /** The buttons that the person presses. */
  readonly presses: readonly string[];
  /** The last answer. */
  readonly ends: string;
  /** The prompts in short: what they began with, and their outputs. */
  readonly prompts: readonly (readonly [string, string])[];
  /** What the page shows at the end. */
  readonly shows: (page: Page) => Promise<void>;
  /** What the server has been asked, each key once. */
  readonly asked: readonly string[];
}

const walks: readonly Walk[] = [
  {
    name: "weather",
    says: ["How is the weather in Oslo?"],
    presses: [],
    ends: "In Oslo: At most 12 mm of rain.",
    prompts: [["How is the weather in Oslo?", "tool widget text"]],
    shows: async (page) => {
      await page.getByRole("figure", { name: "Rain in Oslo" }).waitFor();
      expect(await page.getByRole("meter").count()).toBe(3);
    },
    asked: ["weather Oslo"],
  },
  {
    name: "reminder",
    says: ["Remind me to take an umbrella"],
    presses: ["Allow"],
    ends: "Your reminder: take an umbrella.",
    prompts: [
      ["Remind me to take an umbrella", "tool widget text"],
      ['The reminder "take an umbrella" is due.', "text"],
    ],
    shows: async (page) => {
      await page.getByText("Planned: take an umbrella").waitFor();
      expect(await page.locator("[data-glove-role=user]").count()).toBe(1);
    },
    asked: [],
  },
  {
    name: "payment",
    says: ["Pay 100", "Pay 101"],
    presses: ["Allow"],
    ends: "And so are the other 101.",
    prompts: [
      ["Pay 100", "tool text"],
      ["Pay 101", "tool text"],
    ],
    shows: (page) => page.getByText("The first 100 euros are paid.").waitFor(),
    asked: ["pay 100", "pay 101"],
  },
  {
    name: "skill",
    says: ["Good morning", "I have to be in Bern by noon", "Yes, book it"],
    presses: [],
    ends: "You have a seat to Bern.",
    prompts: [
      ["Good morning", "text"],
      ["I have to be in Bern by noon", "tool text"],
      ["Yes, book it", "tool text"],
    ],
    shows: async (page) => {
      await page.getByText("Skill: travel").waitFor();
      await page.getByText("There is one at nine. Shall I book it?").waitFor();
    },
    asked: ["book Bern"],
  },
  {
    name: "research",
    says: ["Write a report on tides"],
    presses: ["For children"],
    ends: "Report: The moon pulls at the sea. (Write it for children.)",
    prompts: [["Write a report on tides", "tool tool text"]],
    shows: async (page) => {
      await page.getByRole("region", { name: "librarian" }).getByText("The moon pulls at the sea.").waitFor();
      await page.getByRole("region", { name: "editor" }).getByText("Write it for children.").waitFor();
    },
    asked: ["library tides"],
  },
];

let browser: Browser;
let server: Served;
/** By the visit that asked: what it asked for, by its key. */
const asked = new Map<string, Map<string, string>>();

beforeAll(async () => {
  const ask = (request: Request, key: string, what: string) => {
    const visit = /visit=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "";
    const all = asked.get(visit) ?? new Map<string, string>();
    asked.set(visit, all.set(key, what));
  };
  const reads = (name: string, parameter: string, answer: Response) => async (request: Request) => {
    const what = `${name} ${new URL(request.url).searchParams.get(parameter)}`;
    ask(request, what, what);
    return answer.clone();
  };
  server = await serveExamples(
    "docs/walk-throughs.md",
    walks.map(({ name }) => name),
    {
      "/api/weather": reads("weather", "city", Response.json([3, 0, 12])),
      "/api/library": reads("library", "words", new Response("Tides: of the moon.")),
      "/api/book": async (request) => {
        const { to } = (await request.json()) as { to: string };
        ask(request, request.headers.get("idempotency-key") ?? `without a key ${Math.random()}`, `book ${to}`);
        return new Response("booked");
      },
      "/api/pay": async (request) => {
        const { euros } = (await request.json()) as { euros: number };
        ask(request, request.headers.get("idempotency-key") ?? `without a key ${Math.random()}`, `pay ${euros}`);
        return new Response("paid");
      },
    },
  );
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const state = (id: string) => `Promise.race([globalThis.frozen, (async () => {
  const session = example.client.session("${id}");
  await session.start();
  const { timeline, busy, queue } = session.getSnapshot();
  return {
    said: timeline.filter(({ kind }) => kind === "user").length + queue.length,
    idle: !busy && queue.length === 0,
    last: timeline.at(-1)?.text,
  };
})()])`;

/** Goes through it as a person does, whatever is there already; `dies` says at which write the first page freezes, and is reloaded. */
async function walk(walk: Walk, visit: string, init: string): Promise<{ page: Page; problems: string[]; reloads: number }> {
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  await context.addCookies([{ name: "visit", value: visit, url: server.url }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  await page.addInitScript(`${corePlace} ${init}`);
  const there = () => page.waitForFunction("globalThis.example");
  await page.goto(`${server.url}/${walk.name}`);
  await there();
  let reloads = 0;
  const until = Date.now() + patience / 3;
  for (;;) {
    if (Date.now() > until || problems.length > 0)
      throw new Error(`${visit} never ends: ${problems} ${await page.locator("body").innerText()}`);
    const now = (await page.evaluate(state(walk.name))) as { said: number; idle: boolean; last?: string } | true;
    if (now === true) {
      reloads++;
      await page.evaluate("sessionStorage.setItem('died', 'yes')");
      await page.reload();
      await there();
      continue;
    }
    if (now.idle && now.last === walk.ends) return { page, problems, reloads };
    // One thing after the other: what cannot be done is looked at anew.
    const quickly = { timeout: 1_000 };
    const next = walk.says[now.said];
    if (now.idle && next) {
      const box = page.getByRole("textbox", { name: "Message", exact: true });
      await box.fill(next, quickly).catch(() => {});
      await box.press("Enter", quickly).catch(() => {});
    }
    for (const name of walk.presses) {
      const button = page.getByRole("button", { name, exact: true });
      if (await button.isVisible()) await button.click(quickly).catch(() => {});
    }
    await page.waitForTimeout(20);
  }
}

async function check(of: Walk, visit: string, init: string): Promise<{ page: Page; reloads: number }> {
  const { page, problems, reloads } = await walk(of, visit, init);
  const prompts = (await page.evaluate(`example.client.session("${of.name}").prompts()`)) as {
    input?: string;
    reason?: string;
    state: string;
    outputs: { type: string }[];
  }[];
  expect(prompts.map(({ state }) => state)).toEqual(of.prompts.map(() => "completed"));
  const short = prompts.map(({ input, reason, outputs }) => [input ?? reason, outputs.map(({ type }) => type).join(" ")]);
  expect(short, visit).toEqual(of.prompts);
  expect([...(asked.get(visit)?.values() ?? [])].sort(), visit).toEqual([...of.asked].sort());
  await of.shows(page);
  expect(problems, visit).toEqual([]);
  return { page, reloads };
}

const counting = `
  globalThis.frozen = new Promise(() => {});
  ${inEachCore(`
  globalThis.writes = 0;
  const begin = IDBDatabase.prototype.transaction;
  IDBDatabase.prototype.transaction = function (...args) {
    if (args[1] === "readwrite") writes++;
    return begin.apply(this, args);
  };`)}`;
const freezeAt = (n: number, moment: string) => `
  if (sessionStorage.getItem("died")) globalThis.frozen = new Promise(() => {});
  else { ${freezing}; globalThis.frozen = freezeAt("glove", ${n}, "${moment}"); }`;

// Each of these writes is a walk of its own.
test.each(walks)(
  "$name: as written, also after a reload at the end, and over reloads at its writes",
  async (of) => {
    const { page } = await check(of, `${of.name}0`, counting);
    const writes = (await page.evaluate(`inCore("writes")`)) as number;
    expect(writes).toBeGreaterThan(4);
    await page.reload();
    await page.getByText(of.ends).last().waitFor();
    await of.shows(page);
    await page.context().close();

    const all = Array.from({ length: writes }, (_, at) => [at + 1, moments[at % 3] as string] as const);
    // Each fourth has another moment than the one before it. `npm test -- long` takes all.
    const points = isLong ? all : all.filter((_, at) => at % 4 === 0);
    const deaths = points.length;
    let reloads = 0;
    const next = async (): Promise<void> => {
      const [n, moment] = points.shift() ?? [];
      if (!n || !moment) return;
      const visit = `${of.name}${n}${moment}`;
      const end = await check(of, visit, freezeAt(n, moment));
      reloads += end.reloads;
      await end.page.context().close();
      return next();
    };
    await Promise.all([next(), next(), next()]);
    // A timer may make a write more or less.
    expect(reloads).toBeGreaterThan(deaths - 3);
  },
  300_000,
);
