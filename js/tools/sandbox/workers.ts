// Workers from a text: of pages, of other workers, and of Node.
import { GloveError, reasonOf } from "../../src/values/error.js";

export interface SandboxPort {
  post(message: unknown): void;
  hear(onMessage: (message: unknown) => void): void;
  broke(onMessage: (why: string) => void): void;
  end(): void;
}

interface NodeWorker {
  postMessage(message: unknown): void;
  on(event: string, onMessage: (value: unknown) => void): void;
  terminate(): unknown;
  unref(): void;
}
interface NodeThreads {
  readonly Worker: new (text: string, options: object) => NodeWorker;
}
interface NodeProcess {
  getBuiltinModule?(name: string): NodeThreads | undefined;
}

export function startWorker(text: string): SandboxPort {
  // Asked for by name: bundlers of pages look for no module of Node.
  const { process } = globalThis as { readonly process?: NodeProcess };
  const threads = process?.getBuiltinModule?.("node:worker_threads");
  return threads?.Worker ? ofNode(threads, text) : ofPage(text);
}

function ofNode({ Worker }: NodeThreads, text: string): SandboxPort {
  // Nothing of the process's environment, flags and streams.
  const worker = new Worker(text, { eval: true, env: {}, argv: [], execArgv: [], stdin: false, stdout: true, stderr: true });
  return {
    post: (message) => worker.postMessage(message),
    hear: (onMessage) => worker.on("message", onMessage),
    broke: (onMessage) => {
      worker.on("error", (error) => onMessage(reasonOf(error)));
      worker.on("exit", () => onMessage("it has ended"));
    },
    end: () => void worker.terminate(),
  };
}

function ofPage(text: string): SandboxPort {
  let worker: Worker;
  let url = "";
  try {
    url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(url, { name: "glove-sandbox" });
  } catch (cause) {
    const message = `There are no workers here for sandboxed code (${reasonOf(cause)}): pages, Node, Deno and Bun have them; a content security policy must allow \`worker-src blob:\`.`;
    throw new GloveError("SANDBOX_UNAVAILABLE", message, { cause });
  }
  return {
    post: (message) => worker.postMessage(message),
    hear: (onMessage) => worker.addEventListener("message", ({ data }) => onMessage(data)),
    broke: (onMessage) => {
      const failed = (event: Event) => onMessage((event as ErrorEvent).message || event.type);
      worker.addEventListener("error", failed);
      worker.addEventListener("messageerror", failed);
    },
    end: () => {
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}
