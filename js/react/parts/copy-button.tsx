// A button that copies a text, with its formatting where it has any.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLabels } from "../render/labels.js";
import { type PartProps, part } from "./as-child.js";
import { IconLabel } from "./icons.js";

/** What `CopyButton` takes. */
export interface CopyButtonProps extends PartProps<"button"> {
  /** What is copied, or a function that gives it at the press. */
  text: string | (() => string);
  /** The text is markdown: where formatted text is pasted, it comes with its formatting. */
  markdown?: boolean | undefined;
}

/** Whether it has just been copied, and what copies. */
export function useCopy(text: CopyButtonProps["text"], markdown = false): readonly [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    const words = typeof text === "string" ? text : text();
    try {
      if (!markdown || !(await copyFormatted(words))) await navigator.clipboard.writeText(words);
    } catch {
      // Without a permission, or on a page without TLS, there is no clipboard.
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 2000);
  };
  return [copied, () => void copy()];
}

/** Copies the text of a message, and says for a moment that it did: `data-state` is `copied` then. */
export function CopyButton({ text, markdown, ...props }: CopyButtonProps): ReactNode {
  const say = useLabels();
  const [copied, copy] = useCopy(text, markdown);
  const label = say(copied ? "Copied" : "Copy");
  const own = {
    type: "button",
    title: label,
    "data-state": copied ? "copied" : "idle",
    onClick: copy,
    children: <IconLabel icon={copied ? "done" : "copy"} label={label} />,
  };
  return part("button", own, props);
}

/** Whether it could be. What makes the HTML may come while the browser holds the press that allows it. */
async function copyFormatted(text: string): Promise<boolean> {
  const blob = (of: string, type: string) => new Blob([of], { type });
  try {
    const html = import("../markdown/html.js").then(({ htmlOf }) => blob(htmlOf(text), "text/html"));
    html.catch(() => {});
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob(text, "text/plain"), "text/html": html })]);
    return true;
  } catch {
    return false;
  }
}
