// `BranchPicker`: which version of a message is shown, and the way to the others.
import { type ReactNode, useEffect, useRef } from "react";
import type { ShownEntry } from "../../../src/snapshot/snapshot.js";
import { useHandlePart } from "../../hooks/handle-registry.js";
import { useLabels } from "../../render/labels.js";
import { useChat } from "../chat-context.js";

/** Which version of a message is shown, and what leads to the others. */
export interface BranchPickerState {
  /** Counted from 0. */
  readonly index: number;
  readonly count: number;
  /** Missing at the first version, and while the agent works. */
  readonly previous?: (() => void) | undefined;
  readonly next?: (() => void) | undefined;
}

/** What `BranchPicker` takes; the function draws it. */
export interface BranchPickerProps {
  /** The message whose versions are offered. */
  entry: Pick<ShownEntry, "branches">;
  /** Draws the choice in your own markup. */
  children?: ((versions: BranchPickerState) => ReactNode) | undefined;
}

/** There only for a message, answer or call that was edited or given again. */
export function BranchPicker({ entry: { branches }, children = draw }: BranchPickerProps): ReactNode {
  const { glove } = useChat();
  const busy = useHandlePart(glove, ({ busy }) => busy);
  const { switchBranch } = glove;
  if (!branches) return null;
  const { index, ids } = branches;
  const to = (id: string | undefined) =>
    id === undefined || busy || !switchBranch
      ? undefined
      : // Why it was refused is in `error`.
        () => void Promise.resolve(switchBranch(id)).catch(() => {});
  return children({ index, count: ids.length, previous: to(ids[index - 1]), next: to(ids[index + 1]) });
}

const draw = (versions: BranchPickerState) => <Picker {...versions} />;

function Picker({ index, count, previous, next }: BranchPickerState): ReactNode {
  const { picked } = useChat();
  const say = useLabels();
  const group = useRef<HTMLElement>(null);
  // The version that comes has buttons of its own: the focus stays on the one that led to it.
  useEffect(() => {
    if (picked.current?.index !== index) return;
    group.current?.querySelectorAll("button")[picked.current.button]?.focus();
    picked.current = null;
  }, [picked, index]);
  const button = (at: 0 | 1, label: string, act: (() => void) | undefined) => {
    const press = () => {
      picked.current = act ? { index: index + 2 * at - 1, button: at } : null;
      act?.();
    };
    return (
      <button type="button" title={say(label)} aria-label={say(label)} aria-disabled={!act} onClick={press}>
        {at ? "›" : "‹"}
      </button>
    );
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <span ref={group} role="group" aria-label={say("Versions")} data-glove-branches="">
      {button(0, "Previous version", previous)}
      {`${index + 1}/${count}`}
      {button(1, "Next version", next)}
    </span>
  );
}
