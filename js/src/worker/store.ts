// A store that is in the worker, as the page uses it.

import type { IndexedDBStore } from "../store/indexeddb/store.js";
import { GloveError } from "../values/error.js";
import { sessionClosed } from "../values/refusals.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Line } from "./line.js";

type Warning = { readonly code: string; readonly message: string } | undefined;

interface Answer {
  readonly answer: unknown;
  readonly storage: "indexeddb" | "memory";
  readonly warning: Warning;
}

/** It has the methods of the store that it stands for; each asks the one in the worker. */
export class WorkerStore {
  readonly #newer = new Set<() => Promise<void>>();
  readonly #late = new Set<() => void>();
  readonly #own: IndexedDBStore;
  readonly identifier: string;
  storage: "indexeddb" | "memory" = "indexeddb";
  warning: Warning;
  name = "";
  #line: Line | undefined;
  #forget = () => {};
  #unuse = () => {};

  /** `own` is the store in the page, of which nothing is asked. */
  constructor(own: IndexedDBStore) {
    this.#own = own;
    this.identifier = own.identifier;
    for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(own)))) {
      if (typeof value !== "function" || method in this) continue;
      Object.defineProperty(this, method, { value: (...args: readonly unknown[]) => this.ask(method, args) });
    }
  }

  /** It is in this worker from now on: the one before has ended. */
  connect(line: Line, name: string, use: () => () => void): void {
    if (this.#line === line) return;
    this.#line = line;
    this.#unuse = use();
    this.name = name;
    this.#forget = line.serve(name, {
      newer: () => Promise.allSettled([...this.#newer].map((listener) => listener())).then(() => {}),
      late: () => {
        for (const listener of this.#late) listener();
      },
    });
    line.ask("worker", "store", [name, this.identifier, this.#own.moves()]).catch(() => {});
  }

  onNewer(listener: () => Promise<void>): () => void {
    this.#newer.add(listener);
    return () => void this.#newer.delete(listener);
  }

  onLate(listener: () => void): () => void {
    this.#late.add(listener);
    return () => void this.#late.delete(listener);
  }

  /** Nobody uses it any more. */
  release(): void {
    const { name } = this;
    const line = this.#line;
    this.#forget();
    // Who deletes the session in this page waits for what is still written there.
    const written = this.ask("written", []).catch(() => {});
    this.#own.waitsFor(written);
    void written.then(() => line?.leave(name));
    this.ask("end", []).catch(() => {});
    this.#line = undefined;
    this.#unuse();
  }

  /** What is remembered of it is in places of the page too; the worker reads it next. */
  forget(): void {
    this.#own.forget();
    this.ask("forget", []).catch(() => {});
  }

  async ask(method: string, args: readonly unknown[]): Promise<unknown> {
    if (!this.#line) throw sessionClosed();
    try {
      const { answer, storage, warning } = (await this.#line.ask(this.name, method, args)) as Answer;
      this.storage = storage;
      this.warning = warning && new GloveError(warning.code, warning.message);
      return answer;
    } catch (thrown) {
      throw fromCore(thrown);
    }
  }
}
