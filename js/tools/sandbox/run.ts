// Sandboxed code, run: each call in a worker of its own, which is ended with it, and in a fresh engine.
import { AbortError, GloveError, loadPart, reasonOf } from "../../src/values/error.js";
import type { Limits } from "./options.js";
import { startWorker } from "./workers.js";

export interface SandboxRun {
  /** Modules by their names; the default export of `tool` is the function that is called. */
  readonly modules: Readonly<Record<string, string>>;
  readonly input: unknown;
  readonly limits: Limits;
  readonly signal?: AbortSignal | undefined;
  /** What the code may ask of the host. */
  readonly grants: readonly ("files" | "fetch")[];
  /** Does what it asks; what it throws the code reads. */
  work(name: string, args: readonly unknown[], signal: AbortSignal): Promise<unknown>;
}

export interface SandboxResult {
  readonly value: unknown;
  /** What the code wrote with `console.log`. */
  readonly log: string;
}

const maxLogged = 20_000;
/** The limit of calls from the engine to its host. */
const maxAsked = 1_000;
/** A machine at its limits takes seconds to start an engine. What takes longer does not come. */
const maxToStartMs = 30_000;

interface EngineMessage {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

export async function runSandboxed(run: SandboxRun): Promise<SandboxResult> {
  const { limits, signal } = run;
  const input = JSON.stringify(run.input ?? null);
  const { worker, compiled } = await loadPart(import("./engine.js"));
  const module = await compiled();
  if (signal?.aborted) throw new AbortError();
  const port = startWorker(worker);
  const ended = new AbortController();
  let log = "";
  let asked = 0;
  let leave = () => {};
  try {
    return await new Promise<SandboxResult>((resolve, reject) => {
      const onTimeout = () =>
        reject(new GloveError("SANDBOX_TIMEOUT", `The sandboxed code took longer than ${limits.timeMs} ms and was ended.`));
      const unborn = () => reject(unavailable(`it did not start within ${maxToStartMs / 1000} s`));
      let timer = setTimeout(unborn, maxToStartMs);
      let runs = false;
      const stop = () => reject(new AbortError());
      signal?.addEventListener("abort", stop, { once: true });
      leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
      };
      const answer = async ({ id, name, text }: EngineMessage) => {
        asked += 1;
        if (asked > maxAsked) return reject(failed(`asked for files or pages more than ${maxAsked} times`));
        let told: unknown;
        try {
          const granted = name === "fetch" ? "fetch" : "files";
          if (!run.grants.includes(granted)) throw new Error(`"${name}" is not granted`);
          told = { ok: (await run.work(name, JSON.parse(text) as unknown[], ended.signal)) ?? null };
        } catch (error) {
          told = { error: reasonOf(error) || "it failed" };
        }
        if (!ended.signal.aborted) port.post({ id, answer: JSON.stringify(told) });
      };
      port.hear((message) => {
        const received = message as EngineMessage;
        if (received.id > 0) void answer(received);
        else if (received.name === "ready" && !runs) {
          // The engine stands, and the code begins.
          runs = true;
          clearTimeout(timer);
          timer = setTimeout(onTimeout, limits.timeMs);
        } else if (received.name === "log") log = `${log}${received.text}\n`.slice(0, maxLogged);
        else if (received.name === "done") resolve({ value: JSON.parse(received.text) as unknown, log });
        else reject(failureOf(received, limits));
      });
      port.broke((why) => reject(unavailable(why)));
      const { modules, grants } = run;
      port.post({ module, modules, input, grants, memory: limits.memory, output: limits.output });
    });
  } catch (error) {
    throw log && error instanceof GloveError ? new GloveError(error.code, `${error.message}\nIt had logged:\n${log}`) : error;
  } finally {
    leave();
    ended.abort();
    port.end();
  }
}

const policy = "A content security policy must allow `worker-src blob:` and `script-src 'wasm-unsafe-eval'`.";

const unavailable = (why: string) =>
  new GloveError("SANDBOX_UNAVAILABLE", `The worker of the sandbox did not start, or broke (${why}). ${policy}`);
const failed = (what: string) => new GloveError("SANDBOX_FAILED", `The sandboxed code ${what}.`);

function failureOf({ name, text }: EngineMessage, { memory, output }: Limits): GloveError {
  switch (name) {
    case "memory":
      return new GloveError("SANDBOX_MEMORY", `The sandboxed code needed more memory than its ${memory} bytes and was ended.`);
    case "large": {
      const message = `The result of the sandboxed code has ${text} letters, and at most ${output} are taken: return less.`;
      return new GloveError("SANDBOX_TOO_LARGE", message);
    }
    case "hangs":
      return failed("waits for something that never comes");
    case "failed":
      return failed(`failed: ${text}`);
    default:
      return failed(`broke its engine: ${text}`);
  }
}
