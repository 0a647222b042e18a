// A picture as large as the window, above everything.
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { adopt } from "../look/adopt.js";
import { css } from "../look/generated/large-css.js";
import { onBack } from "../look/on-back.js";
import { IconLabel } from "../parts/icons.js";
import { useLabels } from "../render/labels.js";

export interface LargeProps {
  readonly source: string;
  /** What it shows, in words. */
  readonly label: string;
  readonly close: () => void;
}

export function Large({ source, label, close }: LargeProps): ReactNode {
  const say = useLabels();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element) adopt(element, css);
    element?.showModal?.();
    const closed = onBack(() => element?.close());
    return () => {
      closed();
      // The browser gives the focus back.
      element?.close?.();
    };
  }, []);
  // Escape is for this alone, not for the agent.
  const keyDown = (event: KeyboardEvent) => event.key === "Escape" && event.stopPropagation();
  const outside = ({ target, currentTarget }: MouseEvent) => target === currentTarget && close();
  return (
    <dialog ref={dialog} data-glove-large="" aria-label={label} onClose={close} onClick={outside} onKeyDown={keyDown}>
      <img src={source} alt={label} />
      <button type="button" title={say("Close")} onClick={close}>
        <IconLabel icon="remove" label={say("Close")} />
      </button>
    </dialog>
  );
}
