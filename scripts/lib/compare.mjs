// Measures one row of benches/rows: all contenders by turns, so that whatever else the machine does falls on each of them.
import { mkdirSync, writeFileSync } from "node:fs";
import { plot } from "./plot.mjs";
import { inRoot } from "./project.mjs";
import { output } from "./run.mjs";

const rounds = Number(process.env.GLOVE_BENCH_ROUNDS ?? 5);

/** Tells what was measured, and writes and draws it in .cache/bench. */
export async function compare(row) {
  const module = await import(`../../benches/rows/${row}.mjs`);
  // What holds something (a browser) for all samples opens it; the others have a process for each sample.
  const { contenders, close } = (await module.open?.()) ?? { contenders: inProcesses(row, Object.keys(module.contenders)) };
  /** By figure, then by contender. */
  const samples = {};
  try {
    for (let round = 0; round < (module.samples ?? rounds); round++) {
      for (const [name, sample] of Object.entries(contenders)) {
        for (const [figure, value] of Object.entries(await sample())) {
          samples[figure] ??= {};
          samples[figure][name] ??= [];
          samples[figure][name].push(value);
        }
      }
    }
  } finally {
    await close?.();
  }
  const figures = Object.fromEntries(Object.entries(samples).map(([figure, of]) => [figure, summaries(of)]));
  const result = { row, title: module.title, date: new Date().toISOString(), node: process.version, figures };
  mkdirSync(inRoot(".cache", "bench"), { recursive: true });
  writeFileSync(inRoot(".cache", "bench", `${row}.json`), `${JSON.stringify(result, undefined, 2)}\n`);
  writeFileSync(inRoot(".cache", "bench", `${row}.svg`), plot(result));
  show(result);
  return result;
}

function inProcesses(row, names) {
  const one = (name) => () => {
    const printed = output(process.execPath, ["--expose-gc", inRoot("benches", "contender.mjs"), row, name]);
    if (printed === undefined) throw new Error(`${name} failed`);
    return JSON.parse(printed);
  };
  return Object.fromEntries(names.map((name) => [name, one(name)]));
}

function summaries(samples) {
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, summary(values)]));
}

function summary(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return { median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1) };
}

/** Ratios first: only they mean something on another machine. */
function show({ title, figures }) {
  console.log(`\n  ${title}`);
  for (const [figure, of] of Object.entries(figures)) {
    console.log(`  ${figure}`);
    for (const [name, { median, min, max }] of Object.entries(of)) {
      const ratio = name === "ours" || !of.ours ? "" : `ours ÷ ${name} ${short(of.ours.median / median)}`;
      console.log(`    ${ratio.padEnd(28)}${name.padEnd(10)}${short(median).padStart(10)}  (${short(min)} – ${short(max)})`);
    }
  }
}

const short = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));
