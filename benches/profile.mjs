// Where the time of a row goes that runs in Node: its profile as V8 writes it, and a table of the parts.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withNames } from "../scripts/build.mjs";
import { shortNames } from "../scripts/lib/glue.mjs";
import { inRoot } from "../scripts/lib/project.mjs";
import { run } from "../scripts/lib/run.mjs";

/** Of what a function is part: the first that fits. What V8 calls the file of a function of the wasm file begins with `wasm`. */
const parts = [
  ["wasm: what a run decides", /^wasm.* .*glove_wasm::run\b/],
  ["wasm: JSON", /^wasm.* .*(glove_wasm_json|glove_wasm::(json|message|wire|answer|event))\b/],
  ["wasm: the loop and its work", /^wasm.* .*glove_wasm::(runtime|ports|tool|display)\b/],
  ["wasm: the border, promises", /^wasm.* .*(glove_wasm::wasm|wasm_bindgen|js_sys|futures|externref|_wbg_|__wb)/],
  ["wasm: memory", /^wasm.* .*(talc|alloc|mem(cpy|cmp|move|set)|drop_in_place)/],
  ["wasm: the rest", /^wasm/],
  ["page: the border", /pkg\/src\/(wasm|values\/utf8)/],
  ["page: what the core asks", /pkg\/src\/(connection|models|store\/(bridge|limits))/],
  ["page: the store", /pkg\/src\/store/],
  ["page: tools and their schemas", /pkg\/src\/(tools|display)|json-schema/],
  ["page: what is shown", /pkg\/src\/snapshot/],
  ["page: the rest", /pkg\/src/],
  ["garbage collector", /\(garbage collector\)$/],
  [
    "signals, timers, coders of Node",
    /^node:internal\/(abort|timers|encoding|event_target)|^node:timers| (decodeUTF8|encode\w*)$/,
  ],
  ["the benchmark itself", /benches\//],
  ["Node and V8", /./],
];

/** Gives the path of the profile and the lines of the table. */
export async function profile(row) {
  const folder = inRoot(".cache", "bench");
  const made = join(folder, "profile");
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const named = join(made, "named.wasm");
  writeFileSync(named, shortNames(readFileSync(await withNames())).wasm);
  const flags = ["--expose-gc", "--cpu-prof", "--cpu-prof-interval=200", `--cpu-prof-dir=${made}`];
  await run("node", [...flags, inRoot("benches", "contender.mjs"), row, "ours", named]);
  const file = join(folder, `${row}.cpuprofile`);
  renameSync(
    join(
      made,
      readdirSync(made).find((name) => name.endsWith(".cpuprofile")),
    ),
    file,
  );
  return { file, lines: table(JSON.parse(readFileSync(file, "utf8"))) };
}

function table({ nodes, samples, timeDeltas }) {
  const partOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => {
      const name = `${url} ${functionName}`;
      return [id, functionName === "(idle)" ? undefined : parts.find(([, pattern]) => pattern.test(name))[0]];
    }),
  );
  const spent = new Map(parts.map(([name]) => [name, 0]));
  for (const [at, id] of samples.entries()) {
    const part = partOf.get(id);
    if (part) spent.set(part, spent.get(part) + timeDeltas[at]);
  }
  const all = [...spent.values()].reduce((sum, time) => sum + time, 0);
  const line = (name, time) =>
    `${name.padEnd(34)}${(time / 1000).toFixed(0).padStart(8)} ms${((100 * time) / all).toFixed(1).padStart(7)} %`;
  return [...[...spent].filter(([, time]) => time > 0).map((one) => line(...one)), line("all", all)];
}
