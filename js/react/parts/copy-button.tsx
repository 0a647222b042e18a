// A button that copies a text.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLabels } from "../render/labels.js";
import { type PartProps, part } from "./as-child.js";
import { IconLabel } from "./icons.js";

/** Copies the text of a message, and says for a moment that it did: `data-state` is `copied` then. */
export function CopyButton({ text, ...props }: PartProps<"button"> & { text: string | (() => string) }): ReactNode {
  const say = useLabels();
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    } catch {
      // Without a permission, or on a page without TLS, there is no clipboard.
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 2000);
  };
  const label = say(copied ? "Copied" : "Copy");
  const own = {
    type: "button",
    title: label,
    "data-state": copied ? "copied" : "idle",
    onClick: () => void copy(),
    children: <IconLabel icon={copied ? "done" : "copy"} label={label} />,
  };
  return part("button", own, props);
}
