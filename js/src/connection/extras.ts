// What a screen shows beside the conversation: the tasks and the inbox, as the store keeps them.
import type { Limits } from "../store/limits.js";
import type { SessionPage } from "./page.js";

/** How long they may hold up a session that is opened. */
const openingMs = 1_000;

export class Extras {
  readonly #page: SessionPage;
  readonly #limits: Limits;
  #answering: Promise<unknown> = Promise.resolve();

  constructor(page: SessionPage, limits: Limits) {
    this.#page = page;
    this.#limits = limits;
  }

  /** Without them the session is as good as before. */
  async read(): Promise<void> {
    const { parts, shown, subscribers } = this.#page;
    try {
      const [tasks = [], inbox = []] = await Promise.all([parts.store.getTasks?.(), parts.store.getInboxItems?.()]);
      shown.set({ tasks, inbox });
    } catch (error) {
      subscribers.report("STORE_FAILED", error);
    }
  }

  /** A store that takes its time with them keeps nobody from the conversation. */
  async readInTime(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, openingMs);
    });
    await Promise.race([this.read(), late]);
    clearTimeout(timer);
  }

  /** Answers an item of the inbox. Two answers are one after the other. */
  answerInbox(id: string, response: string): Promise<boolean> {
    const { parts, shown } = this.#page;
    const answer = async () => {
      const { store } = parts;
      const item = (await store.getInboxItems?.())?.find((item) => item.id === id);
      if (!item) return false;
      // The page that had asked for this may be gone, and another one asks again.
      if (item.status !== "pending") return item.response === response;
      await store.updateInboxItem?.(id, { status: "resolved", response, resolved_at: new Date().toISOString() });
      shown.set({ inbox: (await store.getInboxItems?.()) ?? [] });
      return true;
    };
    const answered = this.#answering.then(() => this.#limits.within(answer()));
    this.#answering = answered.catch(() => {});
    return answered;
  }
}
