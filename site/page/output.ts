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
  readonly #chooses: boolean;
  #shown: Shown | undefined;
  #last: Run | undefined;

  /** `prints` for code that draws nothing; `chooses` where a model of one's own may answer. */
  constructor({ prints, chooses = !prints }: { prints: boolean; chooses?: boolean }) {
    this.#chooses = chooses;
    this.#prints = prints;
    this.box.className = prints ? "live-out prints" : "live-out";
    this.#place.className = "live-place";
    this.#status.className = "live-status";
    this.#status.setAttribute("role", "status");
    this.#model.type = "button";
    this.#model.className = "live-model";
    this.#model.addEventListener("click", () => askForKey(() => this.#last && this.run(this.#last)));
    this.box.append(this.#place, this.#status);
    if (chooses) this.box.append(this.#model);
  }

  run(what: Run): void {
    this.#last = what;
    this.#shown?.stop();
    this.#model.textContent = modelName();
    this.#status.textContent = this.#prints ? "Running…" : "";
    this.#status.classList.remove("failed");
    const lines: string[] = [];
    const key = this.#chooses ? storedKey() : undefined;
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
    if (location.protocol === "file:") {
      // Frames without an origin load nothing from a folder that nobody serves.
      report({ type: "failed", text: "Code runs where the site is served: npm run site" });
      return;
    }
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
