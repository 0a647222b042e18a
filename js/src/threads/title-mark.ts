// The number before the title of the document, whatever title the application gives it meanwhile.

export class TitleMark {
  #count = 0;
  /** What stands before the title of the application. */
  #own = "";
  readonly #observer: MutationObserver;

  constructor() {
    this.#observer = new MutationObserver(() => this.#write());
    this.#observer.observe(document.head, { childList: true, characterData: true, subtree: true });
  }

  show(count: number): void {
    if (count === this.#count) return;
    this.#count = count;
    this.#write();
  }

  end(): void {
    this.#observer.disconnect();
    this.show(0);
  }

  #write(): void {
    const { title } = document;
    const bare = title.startsWith(this.#own) ? title.slice(this.#own.length) : title === this.#own.trim() ? "" : title;
    this.#own = this.#count > 0 ? `(${this.#count}) ` : "";
    const wanted = (this.#own + bare).trim();
    if (wanted !== title) document.title = wanted;
  }
}
