// Subscribers. An error that one of them throws does not affect the others.

import type { ModelNotice } from "../ports/model.js";
import type { EventContext, SubscriberAdapter } from "../ports/subscriber.js";
import { GloveError, reasonOf } from "../values/error.js";
import { check } from "../values/validate-options.js";

const logs = (subscriber: SubscriberAdapter) => !("watches" in subscriber);

/** Events without a listener that were written to the console. */
const warned = new Set<string>();

function warn({ code, message }: ModelNotice): void {
  if (warned.has(message)) return;
  warned.add(message);
  console.warn(`${code}: ${message}`);
}

/** A list of subscribers. It waits for none of them. A throw becomes one `error` event and never stops anything. */
export class Subscribers {
  #list: readonly SubscriberAdapter[] = [];
  readonly #context: [] | [EventContext];
  readonly #failed = new WeakSet<SubscriberAdapter>();

  /** `context` is told with each event. */
  constructor(context?: EventContext) {
    this.#context = context ? [context] : [];
  }

  add(subscriber: SubscriberAdapter): () => void {
    check("A subscriber", subscriber, "subscriber");
    if (!this.#list.includes(subscriber)) this.#list = [...this.#list, subscriber];
    return () => this.remove(subscriber);
  }

  remove(subscriber: SubscriberAdapter): void {
    this.#list = this.#list.filter((other) => other !== subscriber);
  }

  has(subscriber: SubscriberAdapter): boolean {
    return this.#list.includes(subscriber);
  }

  tell(type: string, data: unknown): void {
    if (type === "model_notice" && !this.#list.some(logs)) warn(data as ModelNotice);
    for (const subscriber of this.#list) this.#record(subscriber, type, data);
  }

  /** An error of the application's own code (a listener, a renderer): subscribers hear of it, else the console. The chat shows that of a tool, and goes on. */
  report(code: string, error: unknown, except?: SubscriberAdapter): void {
    const told = this.#list.filter((subscriber) => subscriber !== except && logs(subscriber));
    if (told.length === 0)
      console[code === "TOOL_FAILED" ? "warn" : "error"](new GloveError(code, reasonOf(error), { cause: error }));
    for (const subscriber of told) this.#record(subscriber, "error", { code, message: reasonOf(error) });
  }

  #record(subscriber: SubscriberAdapter, type: string, data: unknown): void {
    const failed = (error: unknown) => {
      if (this.#failed.has(subscriber)) return;
      this.#failed.add(subscriber);
      this.report("SUBSCRIBER_FAILED", error, subscriber);
    };
    try {
      const recording = subscriber.record(type, data, ...this.#context);
      if (recording instanceof Promise) recording.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
