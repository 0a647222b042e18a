// One slot on the screen, drawn by the application's renderer of its name or by a built-in one.
import { memo, type ReactNode, useCallback, useRef, useState, useSyncExternalStore } from "react";
import type { EnhancedSlot } from "../../src/snapshot/snapshot.js";
import { useBrowserLayoutEffect } from "../hooks/use-browser-layout-effect.js";
import { mountRenderer } from "../render/mount-renderer.js";
import { useDisplayContents } from "../render/use-display-contents.js";
import { type Drawing, NothingDraws } from "./drawing.js";
import { useDraftForm } from "./use-draft-form.js";
import { useQuestionFocus } from "./use-question-focus.js";

export interface SlotViewProps {
  slot: EnhancedSlot;
  registry: Drawing;
  resolveSlot: (slotId: string, value: unknown) => boolean | Promise<boolean>;
  rejectSlot: (slotId: string, reason?: string) => unknown;
}

export const SlotView = memo(function SlotView({ slot, registry, resolveSlot, rejectSlot }: SlotViewProps): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const { id, status, renderer: name, answer, error, issues } = slot;
  const [untold, setUntold] = useState<string>();
  const pending = status === "pending";
  const find = () => registry.slot(name);
  const renderer = useSyncExternalStore(registry.subscribe, find, find);
  useDisplayContents(element);
  useDraftForm(element, id, pending && slot.waits === true);
  useQuestionFocus(element, pending);
  const resolve = useCallback((value?: unknown) => resolveSlot(id, value), [id, resolveSlot]);
  const reject = useCallback((reason?: string) => void rejectSlot(id, reason), [id, rejectSlot]);
  // A person reads the refusal once, whoever shows it.
  useBrowserLayoutEffect(() => setUntold(element.current?.textContent?.includes(error ?? "") ? undefined : error), [error]);
  // Also where somebody draws all `slots` by hand.
  if (!pending && slot.displayStrategy === "hide-on-complete") return null;
  // What waits must be seen, or the run would stand still without a word.
  if (!renderer && !(pending && slot.waits)) return null;
  const view = (
    <div ref={element} data-glove-slot={id} data-glove-renderer={name} data-glove-slot-status={status}>
      {mountRenderer(
        renderer ?? nothingFor(name),
        { data: slot.input, resolve, reject, status, answer, ...(error !== undefined && { error, issues }) },
        {
          name,
          failed: registry.failed,
          over: !pending,
          dismiss: pending ? () => reject("It could not be shown.") : undefined,
        },
      )}
    </div>
  );
  return (
    <>
      {view}
      {untold && (
        <p role="alert" data-glove-refusal="">
          {untold}
        </p>
      )}
    </>
  );
});

const nothingFor = (name: string) => () => {
  throw new NothingDraws(
    `No renderer for "${name}": give the tool that pushed it a \`render\`, or add one of this name to \`renderers\`.`,
  );
};
