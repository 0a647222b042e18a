// What a tool gave, as a text.
import type { ReactNode } from "react";
import { Long } from "../../render/long-text.js";
import { readable } from "./tool-state.js";

export function ResultText({ text }: { readonly text: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard.
    <pre tabIndex={0} dir="auto">
      <Long text={pretty(text)} />
    </pre>
  );
}

/** JSON on several lines; anything else, and what is long, as it is. */
export function pretty(output: string): string {
  if (output.length > 20_000 || !/^\s*[[{]/.test(output)) return output;
  try {
    return readable(JSON.parse(output));
  } catch {
    return output;
  }
}
