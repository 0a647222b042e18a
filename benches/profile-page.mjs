// Where the time of a cold page goes: what its main thread does between navigation, a screen that takes messages, an open session and
// the first answer, as Chromium traces it. Bare pages beside ours, by turns.
import { mkdirSync, writeFileSync } from "node:fs";
import { inRoot } from "../scripts/lib/project.mjs";
import { figuresOf, openChromium } from "./pages/browser.mjs";
import { serveSite } from "./pages/site.mjs";

const pages = ["bare", "floor", "ours", "worker"];
const ends = ["usable", "ready", "answer"];
const rounds = 5;
/** How often the CPU is slowed. */
const cpu = 4;

/** What an event of the trace is part of: the first that fits. */
const kinds = [
  ["compiling scripts", /^(v8\.(compile|parse|produce)|V8\.(Compile|Parse|ScriptCompiler))/i],
  ["compiling wasm", /^(v8\.)?wasm\./i],
  ["garbage collector", /GC|^V8\.Heap/],
  [
    "scripts",
    /^(EvaluateScript|v8\.(evaluate|run|callFunction|newInstance)|FunctionCall|RunMicrotasks|TimerFire|FireAnimationFrame|EventDispatch)/i,
  ],
  ["style, layout, paint", /^(UpdateLayoutTree|Layout|Layerize|PrePaint|Paint|Commit|ParseAuthorStyleSheet|.*Style)/],
  ["everything else", /./],
];

/** Gives the path of the last trace of ours, and the lines of a table. */
export async function profile() {
  const entry = (page) => `import { Page } from "./${page}.jsx"; import { start } from "./start.jsx"; start(Page);`;
  const site = await serveSite(Object.fromEntries(pages.map((page) => [page, entry(page)])));
  const browser = await openChromium();
  const found = {};
  let last;
  for (let round = 0; round < rounds; round++) {
    for (const page of pages) {
      const events = await traced(browser, `${site.url}/${page}/`);
      if (page === "ours") last = events;
      found[page] ??= [];
      found[page].push(spentBy(events));
    }
  }
  await browser.close();
  site.close();
  const file = inRoot(".cache", "bench", "w6.trace.json");
  mkdirSync(inRoot(".cache", "bench"), { recursive: true });
  writeFileSync(file, JSON.stringify(last));
  return { file, lines: table(found) };
}

async function traced(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpu });
  const events = [];
  cdp.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const over = new Promise((resolve) => cdp.once("Tracing.tracingComplete", resolve));
  const categories =
    "toplevel,blink.user_timing,devtools.timeline,v8,v8.wasm,disabled-by-default-v8.wasm.detailed,disabled-by-default-v8.compile";
  await cdp.send("Tracing.start", { transferMode: "ReportEvents", categories });
  await figuresOf(page, url);
  await page.waitForTimeout(50);
  await cdp.send("Tracing.end");
  await over;
  await context.close();
  return events;
}

/** Milliseconds of the main thread until each end, by kind, and how long it was in all. */
function spentBy(events) {
  const { pid, tid } = events.find(({ name, cat }) => name === "usable" && /user_timing/.test(cat));
  const here = events.filter((event) => event.pid === pid);
  const at = (name) => here.find((event) => event.name === name && /user_timing/.test(event.cat) && event.ph !== "E")?.ts;
  const began = Math.max(...here.filter(({ name, ts }) => name === "navigationStart" && ts < at("usable")).map(({ ts }) => ts));
  const works = here
    .filter((event) => event.tid === tid && event.ph === "X")
    .sort((one, other) => one.ts - other.ts || other.dur - one.dur);
  return Object.fromEntries(
    ends.map((end) => {
      const until = at(end);
      const of = Object.fromEntries(kinds.map(([kind]) => [kind, 0]));
      const open = [];
      const close = (before) => {
        while (open.length && open.at(-1).until <= before) {
          const { kind, own } = open.pop();
          of[kind] += Math.max(0, own) / 1000;
        }
      };
      for (const { name, ts, dur } of works) {
        if (ts + dur < began || ts >= until) continue;
        close(ts);
        const [from, to] = [Math.max(ts, began), Math.min(ts + dur, until)];
        const around = open.at(-1);
        if (around) around.own -= to - from;
        // What a task does that nothing tells of, while a script runs, is the script.
        const [kind] = kinds.find(([, pattern]) => pattern.test(name));
        const inside = kind === "everything else" && around ? around.kind : kind;
        open.push({ until: ts + dur, own: to - from, kind: inside });
      }
      close(Number.POSITIVE_INFINITY);
      const whole = (until - began) / 1000;
      const busy = Object.values(of).reduce((sum, ms) => sum + ms, 0);
      return [end, { ...of, "waiting, for files and answers": whole - busy, "in all": whole }];
    }),
  );
}

function table(found) {
  const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];
  const rows = [...kinds.map(([kind]) => kind), "waiting, for files and answers", "in all"];
  const lines = [`ms of the main thread since navigation, medians of ${rounds}, CPU slowed ${cpu} times`];
  for (const end of ends) {
    lines.push("", `| until ${end} | ${pages.join(" | ")} |`, `|---|${pages.map(() => "---|").join("")}`);
    for (const row of rows) {
      const cells = pages.map((page) => Math.round(median(found[page].map((one) => one[end][row]))));
      lines.push(`| ${row} | ${cells.join(" | ")} |`);
    }
  }
  return lines;
}
