// What the tasks of a page cost its main thread, in the time of the processor: a machine that is busy with other things takes longer,
// and works as long.
import type { Page } from "playwright-core";

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds that the thread worked. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Does the work, and gives the longest task of the page in it, in milliseconds. */
export async function longestTask(page: Page, work: () => Promise<unknown>): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  devtools.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await devtools.send("Tracing.start", {
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline"], excludedCategories: ["*"] },
    transferMode: "ReportEvents",
  });
  await work();
  const told = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.end");
  await told;
  await devtools.detach();
  const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const drawing = new Set(events.filter(({ ph, args }) => ph === "M" && args?.name === "CrRendererMain").map(thread));
  const tasks = events.filter((event) => event.name === "RunTask" && drawing.has(thread(event)));
  if (tasks.length === 0) throw new Error(`The trace of ${events.length} events has no task of a page.`);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

/** What this takes on a machine of which limits in milliseconds are meant. */
const quietMs = 25;
const reference = `(() => {
  let letters = 0;
  for (let at = 0; at < 20_000; at++) letters += JSON.parse(JSON.stringify({ at, words: ["some", "words", String(at * 7)] })).words[2].length;
  return letters;
})()`;

/** How much slower the machine is than that one, now; at least 1. */
export async function slowness(page: Page): Promise<number> {
  const took: number[] = [];
  for (let at = 0; at < 3; at++) took.push(await longestTask(page, () => page.evaluate(reference)));
  return Math.max(1, Math.min(...took) / quietMs);
}
