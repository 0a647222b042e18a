// Where an example runs: the frame, which model answers in it, what it printed, and what went wrong.
import type { Report } from "../frame/begin.js";
import { askForKey, modelName, storedKey } from "./key.js";
import { runInFrame, type Shown } from "./sandbox.js";

export interface Run {
  readonly page: string;
  readonly files: Readonly<Record<string, string>>;
  readonly entry: string;
}

export class Output {
  readonly box = document.createElement("div");
  readonly #place = document.createElement("div");
  readonly #status = document.createElement("p");
  readonly #model = document.createElement("button");
  readonly #prints: boolean;
  #shown: Shown | undefined;
  #last: Run | undefined;

  /** `prints` for code that draws nothing. */
  constructor({ prints }: { prints: boolean }) {
    this.#prints = prints;
    this.box.className = prints ? "live-out prints" : "live-out";
    this.#place.className = "live-place";
    this.#status.className = "live-status";
    this.#status.setAttribute("role", "status");
    this.#model.type = "button";
    this.#model.className = "live-model";
    this.#model.addEventListener("click", () => askForKey(() => this.#last && this.run(this.#last)));
    this.box.append(this.#place, this.#status);
    if (!prints) this.box.append(this.#model);
  }

  run(what: Run): void {
    this.#last = what;
    this.#shown?.stop();
    this.#model.textContent = modelName();
    this.#status.textContent = this.#prints ? "Running…" : "";
    this.#status.classList.remove("failed");
    const lines: string[] = [];
    const key = this.#prints ? undefined : storedKey();
    const report = (told: Report) => {
      if (told.type === "log") {
        lines.push(String(told.text));
        this.#status.textContent = lines.slice(-200).join("\n");
      }
      if (told.type === "drawn" && this.#prints && lines.length === 0) this.#status.textContent = "It ran, and printed nothing.";
      if (told.type === "failed") {
        this.#status.textContent = [...lines, String(told.text)].join("\n");
        this.#status.classList.add("failed");
      }
    };
    const title = this.#prints ? "Where the code runs" : "The example, running";
    this.#shown = runInFrame(title, { ...what, ...(key && { key }) }, report);
    if (this.#prints) {
      // It draws nothing: only what it prints is shown.
      this.#shown.frame.tabIndex = -1;
      this.#shown.frame.setAttribute("aria-hidden", "true");
    }
    this.#place.replaceChildren(this.#shown.frame);
  }
}
