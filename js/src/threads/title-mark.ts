// The number before the title of the document, whatever title the application gives it meanwhile.

/** Others may write numbers there too, such as a second copy of this package: each leaves those of the other where they are. */
const numbers = /^(?:\(\d+\) )*/;
/** So many titles with a number are known again. */
const mostKnown = 50;

export class TitleMark {
  #count = 0;
  /** What stands before the title of the application. */
  #own = "";
  /** What stands in titles that were written here: an application may have read one, and bring it back when its number is another one. */
  readonly #known = new Map<string, string>();
  #observer: MutationObserver | undefined;

  show(count: number): void {
    if (count === this.#count) return;
    this.#count = count;
    this.#write();
    if (this.#observer) return;
    this.#observer = new MutationObserver(() => this.#write());
    this.#observer.observe(document.head, { childList: true, characterData: true, subtree: true });
  }

  end(): void {
    this.show(0);
    this.#observer?.disconnect();
    this.#observer = undefined;
    this.#known.clear();
  }

  #write(): void {
    const { title } = document;
    const [before, after] = this.#parts(title);
    this.#own = this.#count > 0 ? `(${this.#count}) ` : "";
    const wanted = (before + this.#own + after).trim();
    if (wanted === title) return;
    if (this.#own && !before) this.#know(wanted, after);
    document.title = wanted;
  }

  /** What others wrote before the number, and what follows it. */
  #parts(title: string): readonly [before: string, after: string] {
    const text = `${title} `;
    const at = this.#own ? (numbers.exec(text)?.[0] ?? "").indexOf(this.#own) : -1;
    if (at >= 0) return [text.slice(0, at), text.slice(at + this.#own.length)];
    const known = this.#known.get(title);
    // Once: whoever writes it again means it.
    this.#known.delete(title);
    return ["", known ?? title];
  }

  #know(title: string, after: string): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= mostKnown) this.#known.delete(oldest);
    this.#known.set(title, after.trim());
  }
}
