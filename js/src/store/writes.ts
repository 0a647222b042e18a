// The writes of a session, each of which comes to an end.
import type { StoredStep } from "../ports/store.js";
import { type Limits, silent } from "./limits.js";

/** A write that was given up, and may be stored all the same. */
interface Late {
  over: boolean;
  /** What was stored by it. */
  stored?: string;
}

/** The writes of a session, one after another. None is begun while an earlier one may be stored, and nothing is stored twice. */
export class Writes {
  readonly #limits: Limits;
  #late: Late | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  async write(step: string, store: (step: string) => Promise<void>): Promise<void> {
    const before = this.#late;
    if (before && !before.over) throw silent();
    const rest = before?.stored === undefined ? step : restOf(step, before.stored);
    if (rest === undefined) return;
    const write: Late = { over: false };
    this.#late = write;
    const work = store(rest).then(
      () => {
        write.over = true;
        write.stored = rest;
      },
      (error: unknown) => {
        write.over = true;
        throw error;
      },
    );
    await this.#limits.within(work);
    this.#late = undefined;
  }
}

/** What of a step an earlier one has not stored; nothing where it has stored all of it. */
function restOf(text: string, stored: string): string | undefined {
  const [step, before] = [JSON.parse(text), JSON.parse(stored)] as [StoredStep, StoredStep];
  const firstMessage = before.firstMessage + before.messages.length;
  const messages = step.messages.slice(Math.max(0, firstMessage - step.firstMessage));
  if (messages.length === 0 && step.seq <= before.seq) return undefined;
  const records = step.records.filter((record) => (record as { readonly seq: number }).seq > before.seq);
  return JSON.stringify({ ...step, firstMessage, messages, records });
}
