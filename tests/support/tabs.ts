// An application that several tabs of a browser have open, and what a test asks of its tabs.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { inEachCore, inWorker } from "./core-place.js";
import { inPage, type Profile } from "./pages.js";
import type { EnginePage } from "./webdriver.js";

/** The application, the same in each tab, with its core in a worker where `inWorker` is set. What its tools did is noted where all tabs see it. */
export const app = `
  const note = (what) => localStorage.setItem("done", (localStorage.getItem("done") ?? "") + what + " ");
  const schema = { type: "object" };
  const tool = (name, run, more) => ({ name, description: "", jsonSchema: schema, do: (_, display) => { note(name); return run(display); }, ...more });
  const tools = [
    tool("look", () => "seen"),
    tool("form", async (display) => "said " + (await display.pushAndWait({ input: "Your name?" })), { onInterrupted: "rerun" }),
    tool("pay", () => "paid", { requiresPermission: true }),
    tool("take", () => "taken", { undo: () => note("undone") }),
  ];
  const words = (count) => Array.from({ length: count }, (_, at) => "word" + at + " ");
  const script = ({ messages }) => {
    const asked = messages.findLast(({ sender, tool_results }) => sender === "user" && !tool_results);
    const results = messages.slice(messages.indexOf(asked)).flatMap(({ tool_results }) => tool_results ?? []).map(({ tool_name }) => tool_name);
    const wanted = asked.text;
    if (wanted.startsWith("write ")) return { deltas: words(Number(wanted.slice(6))), every: 5 };
    if (wanted === "fail") throw new Error("no such luck");
    if (!tools.some(({ name }) => name === wanted)) return "you said " + wanted;
    return results.includes(wanted) ? "all done" : { toolCalls: [{ name: wanted }] };
  };
  globalThis.client = new GloveClient({ worker: globalThis.inWorker, createModel: () => createScriptedModel(script), tools });
  globalThis.session = client.session("s");
  globalThis.states = [];
  session.subscribe(() => states.push(session.getSnapshot()));
  globalThis.errorOf = (promise) => promise.then((outcome) => outcome, (error) => error.code + ": " + error.message);
`;
/** What decides that: for tests of both. */
export const cores: [string, string][] = [
  ...(inWorker ? [] : ([["in the page", ""]] as [string, string][])),
  ["in a worker", "globalThis.inWorker = true;"],
];
const without = `Object.defineProperty(navigator, "locks", { value: undefined });`;
/** A browser without them. */
export const noLocks = `${without} ${inEachCore(without)}`;
export const open = async ({ open }: Profile, before?: string) => {
  const page = await open(before);
  await inPage(page, `${app} await session.start();`);
  return page;
};
export const tabOf = (page: EnginePage) => inPage<string>(page, "return session.getSnapshot().tab;");
export const done = (page: EnginePage) => page.evaluate(`localStorage.getItem("done")`);
export const shown = (page: EnginePage) => inPage<string[]>(page, "return texts(session.getSnapshot());");
/** Waits until the snapshot fits, and gives a part of it. */
export const when = <T = unknown>(page: EnginePage, fits: string, what = "null") =>
  inPage<T>(page, `const snapshot = await until(session, (shown) => ${fits}); return ((shown) => ${what})(snapshot);`);

/** The question that the session asks, once it is stored: before that it may be gone with its tab, and is asked anew. */
export const asked = async (page: EnginePage): Promise<string> => {
  const slot = await when<string>(page, "shown.slots.length === 1", "shown.slots[0].id");
  await inPage(
    page,
    `const store = new IndexedDBStore("s");
     while (!JSON.stringify(await store.readRun()).includes("${slot}")) await new Promise((later) => setTimeout(later, 10));`,
  );
  return slot;
};

/** Ends a page without a word to it. */
export const kill = async (page: Page, { context }: Profile) => {
  const devtools = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  devtools.send("Page.crash").catch(() => {});
  await crashed;
};

/** Ends a page in an endless loop, which hears of nothing, by its process: the one that works. */
export const killHung = async (profile: Profile) => process.kill(await workingProcess(profile), "SIGKILL");

/**
 * Freezes a page: nothing runs in its process any more, and it keeps what it holds. A headless browser freezes no page that is seen, and
 * takes each for that (`Page.setWebLifecycleState` succeeds and does nothing). Gives what ends it.
 */
export const freeze = async (page: Page, profile: Profile): Promise<() => void> => {
  const id = await workingProcess(profile, () =>
    page.evaluate(() => {
      for (const end = Date.now() + 600; Date.now() < end; );
    }),
  );
  process.kill(id, "SIGSTOP");
  return () => void process.kill(id, "SIGKILL");
};

/** The process of the page that works most meanwhile. */
const workingProcess = async ({ context }: Profile, work: () => Promise<unknown> = pause): Promise<number> => {
  const devtools = await context.browser()?.newBrowserCDPSession();
  const renderers = async () => {
    const { processInfo = [] } = (await devtools?.send("SystemInfo.getProcessInfo")) ?? {};
    return processInfo.filter(({ type }) => type === "renderer");
  };
  const before = new Map((await renderers()).map(({ id, cpuTime }) => [id, cpuTime]));
  await work();
  const worked = (await renderers()).map(({ id, cpuTime }) => ({ id, ms: cpuTime - (before.get(id) ?? 0) }));
  return worked.reduce((most, one) => (one.ms > most.ms ? one : most)).id;
};

const pause = () => new Promise((done) => setTimeout(done, 200));

/** Ends the tab that runs the session and waits until the other runs it; two seconds are what it may take. */
export async function takeOver(page: Page, end: () => Promise<unknown>, within = 2_000): Promise<void> {
  await inPage(
    page,
    `states.length = 0; globalThis.taken = until(session, ({ tab }) => tab === "leader").then(() => performance.now() + performance.timeOrigin);`,
  );
  const before = performance.now() + performance.timeOrigin;
  await end();
  const after = await page.evaluate<number>("taken");
  expect(after - before).toBeLessThan(within);
  if (process.env.GLOVE_MEASURE) console.log(`taken over after ${Math.round(after - before)} ms`);
}
