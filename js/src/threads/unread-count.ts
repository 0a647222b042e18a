// How many threads are unread in this page, whoever watches them: before the title of the document, and on the icon of the app.
import { TitleMark } from "./title-mark.js";

/** One number of all who count: what two of them have found is counted once. */
class UnreadCount {
  readonly #found = new Map<object, readonly string[]>();
  readonly #show: (count: number, isLast: boolean) => void;
  #shown: number | undefined;

  constructor(show: (count: number, isLast: boolean) => void) {
    this.#show = show;
  }

  /** Without `threads` this one counts no more. */
  set(who: object, threads?: readonly string[]): void {
    if (threads) this.#found.set(who, threads);
    else if (!this.#found.delete(who)) return;
    const count = new Set([...this.#found.values()].flat()).size;
    const isLast = this.#found.size === 0;
    if (count === this.#shown && !isLast) return;
    // Who begins again does not know what is shown.
    this.#shown = isLast ? undefined : count;
    this.#show(count, isLast);
  }
}

const mark = new TitleMark();
export const inTitle = new UnreadCount((count, isLast) => (isLast ? mark.end() : mark.show(count)));

export const onIcon = new UnreadCount((count) => {
  const badges = navigator as Partial<Pick<Navigator, "setAppBadge">>;
  // The browser may not, or a person does not want it.
  badges.setAppBadge?.(count).catch(() => {});
});
