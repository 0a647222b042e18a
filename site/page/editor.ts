// A field for code, with colours: what is typed stands over the same text, coloured.
import highlighter from "highlight.js/lib/core";
import css from "highlight.js/lib/languages/css";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";

highlighter.registerLanguage("css", css);
highlighter.registerLanguage("typescript", typescript);
highlighter.registerLanguage("xml", xml);

export interface Editor {
  value: string;
  readonly field: HTMLTextAreaElement;
}

/** Puts a field in the place of a block's code. */
export function editable(pre: HTMLPreElement, name: string, language: string): Editor {
  const code = pre.querySelector("code") as HTMLElement;
  const field = document.createElement("textarea");
  const original = code.textContent ?? "";
  field.value = original;
  field.spellcheck = false;
  field.autocapitalize = "off";
  field.setAttribute("autocomplete", "off");
  field.setAttribute("aria-label", `Code of ${name}`);
  field.wrap = "off";
  const box = document.createElement("div");
  box.className = "editor";
  pre.replaceWith(box);
  pre.setAttribute("aria-hidden", "true");
  pre.removeAttribute("tabindex");
  box.append(pre, field);
  const draw = () => {
    code.innerHTML = highlighter.highlight(`${field.value}\n`, { language: language === "css" ? "css" : "typescript" }).value;
  };
  field.addEventListener("input", draw);
  draw();
  return {
    field,
    get value() {
      return field.value;
    },
    set value(text) {
      field.value = text;
      draw();
    },
  };
}
