// A block of code: its language, a button that copies it, and its colours, which follow while it is written.
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { CopyButton } from "../parts/copy-button.js";
import { visibleText } from "../text/visible-text.js";
import { readInfo } from "./code-info.js";
import { useExtras } from "./extras/late.js";
import { highlight, isLoaded, languageOf, subscribe } from "./highlight.js";

/** Longer code has no colours: they would take too long. */
const maxColoured = 20_000;
/** In milliseconds: so often the colours follow what is written. */
const pace = 150;

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
  // As far as lines are whole: the rest has no colours until then.
  const whole = open ? code.slice(0, code.lastIndexOf("\n") + 1) : code;
  useEffect(() => {
    if (!language || !ready || (coloured?.language === language && coloured.code === whole)) return;
    const colour = () => {
      const next = { language, code: whole, nodes: highlight(language, whole) };
      setColoured(next);
      if (open) return;
      recent.set(`${language}\n${whole}`, next);
      for (const key of recent.keys()) if (recent.size > 50) recent.delete(key);
    };
    const passed = coloured ? pace : 0;
    const timer = setTimeout(colour, open ? passed : 0);
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
