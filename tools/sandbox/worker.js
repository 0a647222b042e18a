// One call of sandboxed code: a worker of its own with a fresh engine, which ends with the call. scripts/build.mjs makes it one text
// that travels inside JavaScript; the compiled engine comes with the call.
import factory from "@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module";
import { QuickJSFFI } from "@jitl/quickjs-ng-wasmfile-release-sync/ffi";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import prelude from "../../crates/sandbox/src/prelude.js";

/** Recursion ends there, before the engine's own stack does. */
const stack = 256 * 1024;

const port = globalThis.process?.getBuiltinModule?.("node:worker_threads").parentPort ?? globalThis;
const post = port.postMessage.bind(port);
const listen = (hear) =>
  port === globalThis ? port.addEventListener("message", ({ data }) => hear(data)) : port.on("message", (data) => hear(data));

// The engine has no way to these. Whoever broke out of it would find none of them either.
for (const name of [
  "fetch",
  "XMLHttpRequest",
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "EventSource",
  "RTCPeerConnection",
  "BroadcastChannel",
  "SharedWorker",
  "Worker",
  "indexedDB",
  "caches",
  "cookieStore",
  "importScripts",
  "require",
  "process",
  "Deno",
  "Bun",
]) {
  try {
    Object.defineProperty(globalThis, name, { value: undefined, configurable: false, writable: false });
  } catch {
    // One that cannot be taken away.
  }
}

let runs;
listen((message) => {
  if (runs) runs.answered(message);
  else runs = begin(message).catch((error) => post({ name: "broken", text: String(error?.message ?? error) }));
});

async function begin({ module, modules, input, grants, memory, output }) {
  const waiting = [];
  runs = { answered: (message) => waiting.push(message) };
  bound(memory);
  const variant = {
    type: "sync",
    importFFI: async () => QuickJSFFI,
    importModuleLoader: async () => factory,
  };
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: module }));
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(memory);
  runtime.setMaxStackSize(stack);
  runtime.setModuleLoader(
    (name) => (Object.hasOwn(modules, name) ? modules[name] : { error: new Error(`there is no module "${name}"`) }),
    (from, name) => resolved(from, name, modules),
  );
  const context = runtime.newContext();
  /** The call has its outcome. */
  let over = false;
  /** Questions without an answer. */
  let asked = 0;
  const host = context.newFunction("host", (id, name, text) => {
    const outgoing = { id: context.getNumber(id), name: context.getString(name), text: context.getString(text) };
    if (over) return;
    if (outgoing.id > 0) asked += 1;
    else if (outgoing.name !== "log") over = true;
    post(outgoing);
  });
  const outOfMemory = () => {
    if (over) return;
    over = true;
    post({ id: 0, name: "memory", text: "" });
  };
  const call = (made) => {
    // What the prelude itself throws: there was no room even for that.
    if (made.error) outOfMemory();
    else return made.value;
  };
  const text = (value) => context.newString(value);
  const list = call(context.evalCode(JSON.stringify(grants), "grants.js"));
  const begun = call(context.evalCode(prelude.replace(/;\s*$/, ""), "prelude.js", { type: "global" }));
  if (!begun || !list) return;
  const handle = call(
    context.callFunction(
      begun,
      context.undefined,
      host,
      list,
      text("tool"),
      context.newNumber(output),
      context.newNumber(memory),
    ),
  );
  if (!handle) return;
  const goOn = () => {
    call(runtime.executePendingJobs());
    if (!over && asked === 0) {
      over = true;
      post({ id: 0, name: "hangs", text: "" });
    }
  };
  const method = (name, ...args) => call(context.callFunction(context.getProp(handle, name), handle, ...args));
  const answered = ({ id, answer }) => {
    if (over) return;
    asked -= 1;
    method("settle", context.newNumber(id), text(answer));
    goOn();
  };
  // The time of the call counts from here: the engine stands.
  post({ id: 0, name: "ready", text: "" });
  method("run", text(input));
  goOn();
  for (const message of waiting) answered(message);
  runs = { answered };
  return runs;
}

/** The engine does not count what array buffers hold: with them its memory grows by as much as the call may have, and no more. */
function bound(most) {
  const { grow } = WebAssembly.Memory.prototype;
  let left = most;
  WebAssembly.Memory.prototype.grow = function (pages) {
    left -= pages * 65536;
    if (left < 0) throw new RangeError("out of memory");
    return grow.call(this, pages);
  };
}

/** `./other.js` beside the module that asks for it; nothing else. */
function resolved(from, name, modules) {
  if (Object.hasOwn(modules, name)) return name;
  const folder = from.includes("/") ? from.slice(0, from.lastIndexOf("/") + 1) : "";
  const beside = folder + name.replace(/^\.\//, "");
  return Object.hasOwn(modules, beside) ? beside : name;
}
