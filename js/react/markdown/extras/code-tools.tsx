// The button that folds long lines of a block of code: there where one is longer than the block is wide.
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { Icon } from "../../parts/icons.js";
import { useLabels } from "../../render/labels.js";
import { dressed } from "./dress.js";

interface CodeToolsProps {
  readonly code: RefObject<HTMLElement | null>;
  readonly wraps: boolean;
  readonly onWrap: (wraps: boolean) => void;
}

export function CodeTools({ code, wraps, onWrap }: CodeToolsProps): ReactNode {
  const say = useLabels();
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const element = code.current;
    const Sizes = element?.ownerDocument.defaultView?.ResizeObserver;
    if (!element || !Sizes) return;
    const sizes = new Sizes(() => setWide(element.scrollWidth > element.clientWidth));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [code]);
  if (!isWide && !wraps) return null;
  const label = say("Wrap lines");
  return (
    <button ref={dressed} type="button" title={label} aria-pressed={wraps} data-glove-wraps="" onClick={() => onWrap(!wraps)}>
      <Icon name="M4 6h16M4 12h13a3 3 0 0 1 0 6h-4m2.5-2.5L13 18l2.5 2.5M4 18h4" />
      <span data-glove-label="">{label}</span>
    </button>
  );
}
