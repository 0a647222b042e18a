// Where the cores of pages are: in the page, or, with `GLOVE_WORKER=1`, in its worker. What a test does to its page's database it does there.

/** `GLOVE_WORKER=1`: the pages of all tests have their core in a worker. */
export const inWorker = Boolean(process.env.GLOVE_WORKER);

/** The other end of what follows. */
const workerEnd = `
  globalThis.atPage = (code) => postMessage({ test: "page", code });
  addEventListener("message", (event) => {
    const { test, code } = event.data;
    if (!test) return;
    event.stopImmediatePropagation();
    const run = async () => (0, eval)(code);
    const answer = (told) => postMessage({ test, ...told });
    run().then((value) => answer({ value: typeof value === "function" ? undefined : value }), (error) => answer({ error: String(error) }));
  });`;

/**
 * For a page: `inCore(code)` runs a text where the core is, ahead of all that is asked of it from then on, and promises what comes of it. Without
 * a worker yet that is when one starts, and each that starts runs it. What the text leaves in `globalThis` stays. There, `atPage(code)` runs one in the
 * page.
 */
export const corePlace = inWorker
  ? `if (!globalThis.inCore) {
      const { Worker } = globalThis;
      const ahead = [], waiting = new Map();
      let worker;
      globalThis.inCore = (code) => {
        const test = waiting.size + 1;
        const done = new Promise((...settle) => waiting.set(test, settle));
        if (worker) worker.postMessage({ test, code });
        else ahead.push({ test, code });
        return done;
      };
      globalThis.Worker = class extends Worker {
        constructor(url, options) {
          if (options?.name !== "glove") return super(url, options);
          const texts = [${JSON.stringify(workerEnd)}, "importScripts(" + JSON.stringify(url) + ");"];
          super(URL.createObjectURL(new Blob(texts, { type: "text/javascript" })), options);
          worker = this;
          this.addEventListener("message", (event) => {
            const { test, code, value, error } = event.data;
            if (!test) return;
            event.stopImmediatePropagation();
            if (code) return (0, eval)(code);
            const [resolve, reject] = waiting.get(test);
            if (error) reject(new Error(error));
            else resolve(value);
          });
          for (const told of ahead) this.postMessage(told);
        }
      };
    }`
  : `globalThis.atPage = (code) => (0, eval)(code); globalThis.inCore = async (code) => atPage(code);`;

/** For a page, ahead of all else in it. */
export const inEachCore = (code: string) => `void inCore(${JSON.stringify(code)});`;

/**
 * For a page with its core in a worker, ahead of that: the core's memory is `coreMemory` there, and after `breaks = true` the next text that goes
 * into the core is a trap, from inside of the wasm file.
 */
export const openedCore = inEachCore(`
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function (...given) {
    const { exports } = new Instance(...given);
    globalThis.coreMemory = exports.memory;
    const malloc = exports.__wbindgen_malloc;
    const __wbindgen_malloc = (bytes, align) => malloc(globalThis.breaks ? 0xffff_ffff : bytes, align);
    globalThis.breaks = false;
    return { exports: { ...exports, __wbindgen_malloc } };
  };`);

/** A file of a page whose core is in a worker unless its client says otherwise. */
export function withWorker(path: string, file: string): string {
  const changed = file.replace(/([\w$]+)\.worker( ?&& ?typeof Worker)/, "($1.worker ?? true)$2");
  if (path.endsWith("/session/client.js") && changed === file) throw new Error("The client asks for its worker in another way.");
  return changed;
}
