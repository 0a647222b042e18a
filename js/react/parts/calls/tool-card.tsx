// A call of a tool as a card: what it does, how far it is, and, folded, what it was called with and what came of it.
import type { ReactNode } from "react";
import type { StreamingCall, ToolEntry } from "../../../src/snapshot/snapshot.js";
import { useLabels } from "../../render/labels.js";
import { Long } from "../../render/long-text.js";
import { Icon, type IconName } from "../icons.js";
import { readable, stateWords, type ToolState, toolState, toolTitle } from "./tool-state.js";
import { Values } from "./values.js";

/** What a card shows of a call. */
export interface ToolCardState<E extends ToolEntry = ToolEntry> {
  readonly title: string;
  readonly state: ToolState;
  /** The state in words. */
  readonly label: string;
  readonly input: E["input"];
  readonly output?: string | undefined;
}

/** What `ToolCard` takes. */
export interface ToolCardProps<E extends ToolEntry = ToolEntry> {
  entry: E;
  /** A question of this call waits for its answer. */
  hasSlot?: boolean | undefined;
  /** What the call shows, or a function that draws all of the card. */
  children?: ReactNode | ((card: ToolCardState<E>) => ReactNode);
}

/** The card of `<Render>`, or one that you draw from what a function as its child is given. */
export function ToolCard<E extends ToolEntry>({ entry, hasSlot = false, children }: ToolCardProps<E>): ReactNode {
  const say = useLabels();
  const state = toolState(entry, hasSlot);
  const { name, title = toolTitle(name, say), input, output } = entry;
  const card = { title, state, label: say(stateWords[state]), input, output };
  return typeof children === "function" ? children(card) : <Card {...card}>{children}</Card>;
}

/** A call whose arguments the model still writes. */
export function StreamingToolCard({ call }: { readonly call: StreamingCall }): ReactNode {
  const say = useLabels();
  return <Card title={toolTitle(call.name, say)} state="writing" label={say(stateWords.writing)} input={call.input} />;
}

const icons: Partial<Record<ToolState, IconName>> = {
  done: "done",
  denied: "remove",
  failed: "failed",
  cut: "stop",
  undone: "retry",
  waiting: "waiting",
};

function Card({ title, state, label, input, output, children }: ToolCardState & { children?: ReactNode }): ReactNode {
  const say = useLabels();
  const icon = icons[state];
  return (
    <div data-glove-role="tool" data-state={state}>
      <details aria-live="off">
        <summary>
          <span data-glove-state-icon="">{icon && <Icon name={icon} />}</span>
          <span data-glove-title="">{title}</span> <span data-glove-state="">{label}</span>
          <Icon name="chevron" />
        </summary>
        <div data-glove-details="">
          <h4>{say("Arguments")}</h4>
          <Values of={input} none={say("None")} />
          {output !== undefined && output !== "" && (
            <>
              <h4>{say(state === "failed" ? "Error" : "Result")}</h4>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
              <pre tabIndex={0} dir="auto">
                <Long text={pretty(output)} />
              </pre>
            </>
          )}
        </div>
      </details>
      {children && <div data-glove-shows="">{children}</div>}
    </div>
  );
}

/** JSON on several lines; anything else, and what is long, as it is. */
function pretty(output: string): string {
  if (output.length > 20_000 || !/^\s*[[{]/.test(output)) return output;
  try {
    return readable(JSON.parse(output));
  } catch {
    return output;
  }
}
