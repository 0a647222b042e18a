// Workers of pages in Node: `Worker` over the threads of Node, from the text of a `blob:` address.

import { type Blob as NodeBlob, resolveObjectURL } from "node:buffer";
import { Worker as Thread } from "node:worker_threads";
import { GloveClient, type GloveClientConfig, MemoryStore } from "glove-wasm";

const prelude = `
  const { parentPort } = require("node:worker_threads");
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  parentPort.on("message", (data) => globalThis.onmessage({ data }));
`;

export class PageWorker {
  /** All that were started. */
  static readonly started: PageWorker[] = [];
  terminated = false;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  onerror: ((event: { readonly type: string; readonly message?: string }) => void) | null = null;
  onmessageerror: ((event: { readonly type: string }) => void) | null = null;
  readonly #thread: Promise<Thread>;

  constructor(url: string) {
    this.#thread = this.#start(url);
    PageWorker.started.push(this);
  }

  async #start(url: string): Promise<Thread> {
    const text = await (resolveObjectURL(url) as NodeBlob).text();
    const thread = new Thread(`${prelude}\n${text}`, { eval: true });
    thread.on("message", (data) => this.onmessage?.({ data }));
    thread.on("error", ({ message }: Error) => this.onerror?.({ type: "error", message }));
    return thread;
  }

  postMessage(message: unknown): void {
    // What cannot be cloned is refused at once, as in a page.
    const cloned = structuredClone(message);
    // The order stays: every message waits for the same promise.
    void this.#thread.then((thread) => thread.postMessage(cloned));
  }

  terminate(): void {
    this.terminated = true;
    void this.#thread.then((thread) => thread.terminate());
  }
}

/** A client whose sessions are in a worker, and kept in the memory of the page. */
export const clientOf = (config: Partial<GloveClientConfig>) =>
  new GloveClient({
    worker: true,
    createStore: (id) => new MemoryStore(id),
    systemPrompt: "You help.",
    ...config,
  } as GloveClientConfig);
