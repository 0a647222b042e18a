// Notifications of what came while the tab was hidden, one for each thread.
import { isHidden } from "../timing/next-frame.js";
import type { ThreadInfo } from "./thread.js";

/** What came in a thread while the tab was hidden. */
export interface UnreadEvent {
  /** The id of the thread. */
  readonly id: string;
  /** Its title in the list. */
  readonly title: string;
  /** An answer is complete, or a question waits for a person. */
  readonly reason: "answer" | "question";
}

/** The words of a notification, and its picture. */
export interface UnreadNotice {
  /** What stands in bold. */
  title: string;
  /** What stands below it. */
  body?: string | undefined;
  /** The address of a picture. */
  icon?: string | undefined;
}

/** Another tab may show the thread: so long it has to say that it was read. */
const waitMs = 1_000;

export class Notices {
  /** What came in threads that the list does not show as unread yet. */
  readonly #expected = new Map<string, UnreadEvent["reason"]>();
  readonly #shown = new Map<string, { close(): void }>();
  #unread: readonly ThreadInfo[] = [];
  readonly #words: ((event: UnreadEvent) => UnreadNotice | undefined) | undefined;
  readonly #open: ((id: string) => void) | undefined;

  constructor(words?: (event: UnreadEvent) => UnreadNotice | undefined, open?: (id: string) => void) {
    this.#words = words;
    this.#open = open;
  }

  expect(id: string, reason: UnreadEvent["reason"]): void {
    if (this.#words && isAllowed()) this.#expected.set(id, reason);
  }

  /** Those that are unread now: of others no notification stays. */
  update(unread: readonly ThreadInfo[]): void {
    this.#unread = unread;
    for (const [id, notification] of this.#shown) {
      if (this.#find(id)) continue;
      notification.close();
      this.#shown.delete(id);
    }
    // Who is back is told by the list.
    if (!isHidden()) this.#expected.clear();
    for (const [id, reason] of this.#expected) {
      if (!this.#find(id)) continue;
      this.#expected.delete(id);
      setTimeout(() => this.#tell(id, reason), waitMs);
    }
  }

  #find(id: string): ThreadInfo | undefined {
    return this.#unread.find((thread) => thread.id === id);
  }

  /** Unless somebody has read it, or is back. */
  #tell(id: string, reason: UnreadEvent["reason"]): void {
    const thread = this.#find(id);
    const words = thread && isHidden() ? this.#words?.({ id, title: thread.title, reason }) : undefined;
    if (words) this.#show(id, words);
  }

  #show(id: string, { title, ...words }: UnreadNotice): void {
    // A later one of the thread replaces it.
    const options = { ...words, tag: `glove ${id}` } as NotificationOptions;
    try {
      const notification = new Notification(title, options);
      this.#shown.set(id, notification);
      notification.onclick = () => {
        window.focus();
        notification.close();
        this.#open?.(id);
      };
    } catch {
      // Phones show those of a service worker alone, which hears of the press.
      navigator.serviceWorker
        ?.getRegistration()
        .then((worker) => worker && this.#showBy(worker, id, title, options))
        .catch(() => {});
    }
  }

  async #showBy(worker: ServiceWorkerRegistration, id: string, title: string, options: NotificationOptions): Promise<void> {
    await worker.showNotification(title, { ...options, data: { id } });
    const close = async () => {
      for (const notification of await worker.getNotifications({ tag: options.tag ?? "" })) notification.close();
    };
    this.#shown.set(id, { close: () => void close().catch(() => {}) });
    // It may have been read meanwhile.
    this.update(this.#unread);
  }
}

const isAllowed = () => typeof Notification === "function" && Notification.permission === "granted";
