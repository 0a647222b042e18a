// A call of a tool as a card: what it does, how far it is, and, folded, what it was called with and what came of it.
import type { ReactNode } from "react";
import type { CallProgress, StreamingCall, ToolEntry } from "../../../src/snapshot/snapshot.js";
import { Loader } from "../../look/loader.js";
import { useLabels } from "../../render/labels.js";
import { Name } from "../../render/visible.js";
import { circle, Icon } from "../icons.js";
import { ResultText } from "./result-text.js";
import { refusals, stateWords, type ToolState, toolState, toolTitle } from "./tool-state.js";
import { Values } from "./values.js";

/** What a card shows of a call. */
export interface ToolCardState<E extends ToolEntry = ToolEntry> {
  readonly title: string;
  readonly state: ToolState;
  /** The state in words. */
  readonly label: string;
  readonly input: E["input"];
  readonly output?: string | undefined;
  /** How far it is, while it runs. */
  readonly progress?: CallProgress | undefined;
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
  const { name, title = toolTitle(name, say), input, output, progress } = entry;
  const card = { title, state, label: say(stateWords[state]), input, output, progress };
  if (typeof children === "function") return children(card);
  const refusal = entry.outcome && Object.hasOwn(refusals, entry.outcome) && refusals[entry.outcome as keyof typeof refusals];
  return (
    <Card {...card} why={refusal ? say(refusal) : output?.slice(0, 300).split("\n", 1)[0]}>
      {children}
    </Card>
  );
}

/** A call whose arguments the model still writes. */
export function StreamingToolCard({ call }: { readonly call: StreamingCall }): ReactNode {
  const say = useLabels();
  return <Card title={toolTitle(call.name, say)} state="writing" label={say(stateWords.writing)} input={call.input} />;
}

const icons: { readonly [state in ToolState]?: Parameters<typeof Icon>[0]["name"] } = {
  done: `${circle}m-3.5 9.3 2.5 2.5 4.5-5`,
  denied: `${circle}m-3 6 6 6m0-6-6 6`,
  failed: "failed",
  cut: `${circle}m-2.5 6.5h5v5h-5z`,
  undone: "M9 14.5 4.5 10 9 5.5M4.5 10H14a5.5 5.5 0 0 1 0 11h-3",
  waiting: `${circle}M12 7.5V12l3 2`,
};

interface CardProps extends ToolCardState {
  /** Why it failed. */
  readonly why?: string | undefined;
  readonly children?: ReactNode;
}

function Card({ title, state, label, input, output, progress, why, children }: CardProps): ReactNode {
  const say = useLabels();
  const icon = icons[state];
  return (
    <div data-glove-role="tool" data-state={state} data-glove-plain-call={children ? undefined : ""}>
      <details aria-live="off">
        <summary>
          <span data-glove-state-icon="">{icon && <Icon name={icon} />}</span>
          <span data-glove-title="">
            <Name of={title} />
          </span>{" "}
          <span data-glove-state="">{label}</span>
          <Icon name="chevron" />
        </summary>
        <div data-glove-details="">
          <h4>{say("Arguments")}</h4>
          <Values of={input} none={say("None")} />
          {output !== undefined && output !== "" && (
            <>
              <h4>{say(state === "failed" ? "Error" : "Result")}</h4>
              {mayHoldMedia(output) ? <ResultMedia output={output} /> : <ResultText text={output} />}
            </>
          )}
        </div>
      </details>
      {progress && (
        <p data-glove-progress="">
          <progress aria-label={title} value={progress.of && progress.done} max={progress.of} />
          {progress.message && <Name of={progress.message} />}
        </p>
      )}
      {state === "failed" && why && (
        <p>
          <Name of={why} lines />
        </p>
      )}
      {children && <div data-glove-shows="">{children}</div>}
    </div>
  );
}

/** Pictures and files are drawn by what is loaded with the first of them. */
const ResultMedia = /* @__PURE__ */ new Loader(() => import("../../outputs/result-media.js")).component("ResultMedia");
const mayHoldMedia = (output: string): boolean => /^[[{]/.test(output) && /"(?:source|mimeType)"/.test(output);
