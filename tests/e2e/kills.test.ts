// A session with everything in it, whose page is killed before, during and after each of its writes, by closing it, by a crash of
// its process, and by the end of the whole browser. Opened again, it comes to the same end as one that was never disturbed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "glove-wasm";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type BrowserOnDisk, openBrowserOnDisk } from "../support/browser.js";
import { inEachCore } from "../support/core-place.js";
import { application, applicationOfAgents, freezing, type Moment, moments } from "../support/kill-app.js";
import { isLong } from "../support/long.js";
import { inPage, servePackage } from "../support/pages.js";
import type { Served } from "../support/server.js";

/** What its pages have told of a session. */
interface Told {
  readonly ran: string[];
  readonly allowedAgain: string[];
  readonly asked: Message[][];
}
type Point = readonly [database: string, n: number, moment: Moment];
interface End {
  readonly shown: string[];
  readonly record: unknown[];
}

let server: Served;
let folder: string;
let last: BrowserOnDisk | undefined;

beforeAll(async () => {
  server = await servePackage();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glove-kills-"));
});
afterEach(async () => {
  await last?.kill();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

/** A browser on a disk, whose pages report to this process, so that no report dies with them. */
async function launch(told: Map<string, Told>) {
  const browser = await openBrowserOnDisk(folder);
  last = browser;
  const context = browser.browser.contexts()[0] as BrowserContext;
  const open = async () => {
    const page = await context.newPage();
    await page.exposeFunction("report", (id: string, kind: string, what: string) => {
      const of = told.get(id) ?? { ran: [], allowedAgain: [], asked: [] };
      told.set(id, of);
      if (kind === "asked") of.asked.push(JSON.parse(what));
      else (kind === "ran" ? of.ran : of.allowedAgain).push(JSON.parse(what));
    });
    await page.goto(server.url);
    return page;
  };
  return { ...browser, context, open };
}

const undisturbed = (page: Page, id: string, app: string) =>
  inPage<End & { writes: number }>(
    page,
    `${app}
     ${inEachCore(`
     globalThis.writes = 0;
     const begin = IDBDatabase.prototype.transaction;
     IDBDatabase.prototype.transaction = function (...args) {
       // How many messages are written down before the core has them, which is all that such a write has, is a matter of time.
       if (args[1] === "readwrite" && String(args[0]) !== "extras") writes++;
       return begin.apply(this, args);
     };`)}
     return { ...(await goOn(app("${id}"))), writes: await inCore("writes") };`,
  );

type Die = (page: Page, context: BrowserContext) => Promise<unknown>;
const deaths: [string, Die][] = [
  ["closed", (page) => page.close()],
  [
    "crashed",
    async (page, context) => {
      const devtools = await context.newCDPSession(page);
      const crashed = page.waitForEvent("crash");
      devtools.send("Page.crash").catch(() => {});
      await crashed;
    },
  ],
  ["killed with its browser", async () => {}],
];

test.each(deaths)("a page that is %s before, during or after any write comes to the same end", (how, die) =>
  comesToItsEnd(how, die, application, ["look", "list", "pay", "send"], 6),
);

test.each(deaths.slice(0, 2).map(([how, die], at) => [how, die, at] as const))(
  "a page whose agents work for another one and that is %s at any write comes to the same end",
  // Each of the two takes every second write, and they share none; both take all where loops are whole.
  (how, die, at) => comesToItsEnd(how, die, applicationOfAgents, ["look", "pay", "send"], 8, isLong ? 1 : 2, at),
);

test("a browser that is killed at some of the writes of agents that work for another one comes to the same end", () =>
  comesToItsEnd("killed with its browser", async () => {}, applicationOfAgents, ["look", "pay", "send"], 8, 7));

test.each([
  ["a session", application],
  ["agents that work for another one", applicationOfAgents],
])("a message that the page before had only written down is said once: %s", async (_, app) => {
  const told = new Map<string, Told>();
  const { open } = await launch(told);
  const { whole, found } = await inPage<Record<"whole" | "found", End>>(
    await open(),
    `${app}
     const whole = await goOn(app("whole"));
     const sent = { id: "m1", at: Date.now(), request: JSON.stringify({ id: "m1", text: "Order it" }) };
     await new IndexedDBStore("s", new SessionDatabase({ name: "found" })).keepSent(sent);
     return { whole, found: await goOn(app("found")) };`,
  );
  expect(found).toEqual(whole);
  expect(told.get("found")?.ran).toEqual(told.get("whole")?.ran);
});

/** Dies at every so many of the writes, so many before the last of them. */
async function comesToItsEnd(
  how: string,
  die: Die,
  app: string,
  tools: readonly string[],
  models: number,
  every = 1,
  before = 0,
): Promise<void> {
  const told = new Map<string, Told>();
  let { open, context, kill } = await launch(told);
  const whole = `${how} whole`;
  const { writes, ...end } = await undisturbed(await open(), whole, app);
  expect(writes).toBeGreaterThan(12);
  expect(told.get(whole)).toMatchObject({ ran: tools, allowedAgain: [] });
  expect(told.get(whole)?.asked).toHaveLength(models);

  // The first time anywhere; those that go on are killed once more, a little later.
  const numbers = Array.from({ length: writes }, (_, at) => at + 1).filter((n) => (n + before) % every === 0);
  const first: Point[] = numbers.flatMap((n) => moments.map((moment) => [`${how} ${n} ${moment}`, n, moment] as const));
  const second: Point[] = first.map(([database, n], at) => [database, 1 + (n % 3), moments[at % 2 ? 0 : 2]] as const);
  for (const points of [first, second]) {
    const page = await open();
    const frozen = await inPage<number>(
      page,
      `${freezing} ${app}
       const ends = await Promise.all(${JSON.stringify(points)}.map(([id, n, moment]) => {
         const frozen = freezeAt(id, n, moment);
         return Promise.race([frozen, goOn(app(id)).then(() => false)]);
       }));
       return ends.filter(Boolean).length;`,
    );
    if (points === first) expect(frozen).toBe(first.length);
    else expect(frozen).toBeGreaterThan(first.length / 2);
    await die(page, context);
    if (how === "killed with its browser") {
      await kill();
      ({ open, context, kill } = await launch(told));
    }
  }

  const ends = await inPage<[string, End][]>(
    await open(),
    `${app}
     return Promise.all(${JSON.stringify(first.map(([id]) => id))}.map(async (id) => [id, await goOn(app(id))]));`,
  );
  const wrong: string[] = [];
  for (const [id, found] of ends) {
    const { ran, allowedAgain, asked } = told.get(id) ?? { ran: [], allowedAgain: [], asked: [] };
    if (JSON.stringify(found) !== JSON.stringify(end)) wrong.push(`${id}: ${JSON.stringify(found)}`);
    for (const tool of tools) {
      const runs = ran.filter((name) => name === tool).length;
      // It was told before it began, and may have been asked about without having begun.
      const allowed = 1 + allowedAgain.filter((name) => name === tool).length;
      if (runs < 1 || runs > allowed) wrong.push(`${id}: ${tool} ran ${runs} times, ${allowed - 1} of them allowed again`);
    }
    for (const messages of asked) if (!isValid(messages)) wrong.push(`${id}: a request that no provider takes`);
  }
  expect(wrong).toEqual([]);
  expect(ends).toHaveLength(first.length);
}

/** Each call has exactly one result, in the message behind it, and no result is without its call. */
function isValid(messages: readonly Message[]): boolean {
  return messages.every(({ tool_calls = [], tool_results = [] }, at) => {
    const called = tool_calls.map(({ id }) => id).sort();
    const answered = (messages[at + 1]?.tool_results ?? []).map(({ call_id }) => call_id).sort();
    const before = messages[at - 1]?.tool_calls ?? [];
    return JSON.stringify(called) === JSON.stringify(answered) && (tool_results.length === 0 || before.length > 0);
  });
}
