// Code of a page that runs on it: a button runs it in a frame, and from then on it can be edited.
import { type Editor, editable } from "./editor.js";
import { Output } from "./output.js";

const data = document.querySelector<HTMLElement>("#live");
const page = data?.dataset.page ?? "";
const more = JSON.parse(data?.dataset.files ?? "{}") as Record<string, string>;

for (const box of document.querySelectorAll<HTMLElement>(".code[data-live]")) offer(box);

function offer(box: HTMLElement): void {
  const prints = box.dataset.live === "run";
  const entry = box.dataset.file ?? "example.ts";
  const bar = box.querySelector(".code-bar") as HTMLElement;
  const pre = box.querySelector("pre") as HTMLPreElement;
  const original = pre.textContent ?? "";
  const run = button("Run", "run");
  const reset = button("Undo edits", "reset");
  reset.hidden = true;
  bar.append(reset, run);
  let editor: Editor | undefined;
  let output: Output | undefined;
  const start = () => {
    if (!editor) {
      editor = editable(pre, entry, "tsx");
      editor.field.addEventListener("input", () => {
        reset.hidden = editor?.value === original;
      });
      editor.field.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start();
      });
      output = new Output({ prints });
      box.after(output.box);
      run.textContent = "Run again";
      box.dataset.editing = "";
    }
    // A guide shows one file; what it leaves out begins, where it does.
    const first = "App.tsx" in more ? "App.tsx" : entry;
    output?.run({ page, files: { ...more, [entry]: editor.value }, entry: prints ? entry : first });
  };
  run.addEventListener("click", start);
  reset.addEventListener("click", () => {
    if (editor) editor.value = original;
    reset.hidden = true;
    start();
  });
}

function button(text: string, name: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = name;
  made.textContent = text;
  return made;
}
