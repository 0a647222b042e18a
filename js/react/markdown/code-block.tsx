// A block of code: its language, a button that copies it, and its colours, which follow while it is written.
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { CopyButton } from "../parts/copy-button.js";
import { visibleText } from "../text/visible-text.js";
import { readInfo } from "./code-info.js";
import { useExtras } from "./extras/late.js";
import { highlight, isLoaded, languageOf, subscribe } from "./highlight.js";

/** Longer code has no colours: they would take too long. */
const maxColoured = 20_000;
/** The colours follow what is written after so many times the time that they took: they cost the page a twentieth of it. */
const rest = 20;
/** In milliseconds: they wait no longer than that. */
const longest = 150;

interface Coloured {
  readonly language: string;
  readonly code: string;
  readonly nodes: ReactNode;
}

/** The last ones, so that code that is drawn anew has its colours at once. */
const recent = new Map<string, Coloured>();

export function CodeBlock({
  code,
  info,
  open,
}: {
  readonly code: string;
  readonly info: string;
  readonly open: boolean;
}): ReactNode {
  const { language: said, file } = readInfo(info);
  const language = code.length <= maxColoured ? languageOf(said) : undefined;
  const ready = useSyncExternalStore(
    subscribe,
    () => language !== undefined && isLoaded(language),
    () => false,
  );
  const [coloured, setColoured] = useState(() => recent.get(`${language}\n${code}`));
  // A word that is being written has no colour until it ends.
  const whole = open ? code.replace(/\w+$/, "") : code;
  /** When they were begun last, and from when on they may be again. */
  const last = useRef({ began: 0, next: 0 });
  useBrowserLayoutEffect(() => {
    if (!coloured) return;
    // With what React did for them.
    const now = performance.now();
    last.current.next = now + Math.min((now - last.current.began) * rest, longest);
  }, [coloured]);
  useEffect(() => {
    if (!language || !ready || (coloured?.language === language && coloured.code === whole)) return;
    const colour = () => {
      last.current.began = performance.now();
      const drawn = { language, code: whole, nodes: highlight(language, whole) };
      setColoured(drawn);
      if (open) return;
      recent.set(`${language}\n${whole}`, drawn);
      for (const key of recent.keys()) if (recent.size > 50) recent.delete(key);
    };
    // The time goes on, however often more is written meanwhile.
    const timer = setTimeout(colour, open ? last.current.next - performance.now() : 0);
    return () => clearTimeout(timer);
  }, [language, ready, whole, open, coloured]);
  const fits = coloured?.language === language && code.startsWith(coloured?.code ?? "\0");
  const name = said || "text";
  const pre = useRef<HTMLPreElement>(null);
  const [wraps, setWraps] = useState(false);
  const extras = useExtras(!open);
  return (
    <div data-glove-code={name} data-glove-wrap={wraps ? "" : undefined} data-glove-keep={wraps ? "" : undefined}>
      <div>
        <span>{file === undefined ? name : <bdi>{visibleText(file)}</bdi>}</span>
        {extras && <extras.CodeTools code={pre} wraps={wraps} onWrap={setWraps} />}
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
      <pre ref={pre} tabIndex={0}>
        <code>
          {fits && coloured?.nodes}
          {fits ? code.slice(coloured?.code.length) : code}
          {open && <i data-glove-caret="" />}
        </code>
      </pre>
    </div>
  );
}
