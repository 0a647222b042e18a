// A call of a tool as a card: what it does, how far it is, and, folded, what it was called with and what came of it.
import { type ReactNode, useContext, useRef, useState } from "react";
import type { CallProgress, StreamingCall, ToolEntry } from "../../../src/snapshot/snapshot.js";
import { Loader } from "../../look/loader.js";
import { useLabels } from "../../render/labels.js";
import { Name } from "../../text/visible.js";
import { ChatContext } from "../chat-context.js";
import { circle, type IconProps, stopped, undone } from "../icons.js";
import { State, Summary } from "./row.js";
import { tasksOf } from "./tasks.js";
import { aboutCall, awayWords, refusals, stateWords, type ToolState, toolState, toolTitle } from "./tool-state.js";
import { useElapsed } from "./use-elapsed.js";

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
  /** The call, from the timeline. */
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
  const { name, title = toolTitle(name, say), input, output, progress, durationMs } = entry;
  const about = aboutCall(entry);
  const follows = useContext(ChatContext)?.glove.tab === "follower";
  const card = {
    title,
    state,
    label: say(entry.away ? awayWords[follows ? "elsewhere" : "here"] : stateWords[state]),
    input,
    output,
    progress,
  };
  if (typeof children === "function") return children({ ...card, title: about === undefined ? title : `${title} · ${about}` });
  const tasks = !children && /^(?:done|running|queued)$/.test(state) ? tasksOf(name, input) : undefined;
  if (tasks) return <TaskCard tasks={tasks} entry={entry} />;
  const refusal = entry.outcome && Object.hasOwn(refusals, entry.outcome) && refusals[entry.outcome as keyof typeof refusals];
  return (
    <Card {...card} id={entry.id} about={about} took={durationMs} refusal={refusal ? say(refusal) : undefined}>
      {children}
    </Card>
  );
}

interface StreamingToolCardProps {
  readonly call: StreamingCall;
  /** It hangs on the thread of what stands before it. */
  readonly joins: boolean;
}

/** A call whose arguments the model still writes. */
export function StreamingToolCard({ call: { name, input }, joins }: StreamingToolCardProps): ReactNode {
  const say = useLabels();
  const tasks = tasksOf(name, input);
  if (tasks) return <TaskCard tasks={tasks} joins={joins} />;
  return (
    <Card
      title={toolTitle(name, say)}
      about={aboutCall({ name, input })}
      state="writing"
      label={say(stateWords.writing)}
      input={input}
      joins={joins}
    />
  );
}

/** What goes on, and what waits for its turn, are dots. */
const icons: { readonly [state in ToolState]?: IconProps["name"] } = {
  done: "done",
  denied: `${circle}m-3 6 6 6m0-6-6 6`,
  failed: "failed",
  cut: stopped,
  undone,
  waiting: `${circle}M12 7.5V12l3 2`,
};

interface CardProps extends ToolCardState {
  /** Left out while it is written. */
  readonly id?: string;
  /** What it is done with, where the title does not say so. */
  readonly about?: string | undefined;
  /** In milliseconds; what took less than can be told is not said. */
  readonly took?: number | undefined;
  /** Why it was not even tried. */
  readonly refusal?: string | undefined;
  readonly joins?: boolean;
  readonly children?: ReactNode;
}

function Card({
  id,
  title,
  about,
  state,
  label,
  took = 0,
  input,
  output,
  progress,
  refusal,
  joins,
  children,
}: CardProps): ReactNode {
  const [open, setOpen] = useState(false);
  const shows = useRef<HTMLDivElement>(null);
  // What comes while somebody looks on comes with a movement.
  const since = useElapsed(state === "running");
  const [isLive] = useState(/^(?:queued|running|waiting)$/.test(state));
  // What the tool said stands among the details where they are open.
  const why = state === "failed" && (refusal ?? (open ? undefined : output?.slice(0, 300).split("\n", 1)[0]));
  return (
    <div
      data-glove-role="tool"
      data-glove-step=""
      data-glove-joins={joins ? "" : undefined}
      data-glove-live={isLive ? "" : undefined}
      data-state={state}
    >
      <State icon={icons[state]} />
      <details aria-live="off" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <Summary title={title} about={about}>
          <span data-glove-state="">{label}</span>
          {since >= shown ? (
            <span data-glove-count="">{duration(since)}</span>
          ) : (
            took >= 50 && <span data-glove-took="">{duration(took)}</span>
          )}
        </Summary>
        <div data-glove-details="">
          <CallDetails input={input} output={output} failed={state === "failed"} title={title} />
        </div>
      </details>
      {id !== undefined && /^(?:done|undone)$/.test(state) && <UndoCall id={id} title={title} undone={state === "undone"} />}
      {progress && (
        <p data-glove-progress="">
          <progress aria-label={title} value={progress.of && progress.done} max={progress.of} />
          {progress.message && <Name of={progress.message} />}
        </p>
      )}
      {why && (
        <p>
          <Name of={why} lines />
        </p>
      )}
      {children && (
        <div ref={shows} data-glove-shows="">
          {state === "done" && <OpenResult of={shows} title={title} />}
          {children}
        </div>
      )}
    </div>
  );
}

/** In milliseconds: of a call that runs for longer, it is told. */
const shown = 3000;

/** "0.4 s", "12 s". */
const duration = (ms: number): string =>
  `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: ms < 9950 ? 1 : 0 })} s`;

/** Most of it nobody ever opens: it comes with the first card. */
const details = /* @__PURE__ */ new Loader(() => import("./details.js"));
const taskList = /* @__PURE__ */ new Loader(() => import("./task-list.js"));
export const loadDetails = (): Promise<unknown> => Promise.all([details.load(), taskList.load()]);
const CallDetails = /* @__PURE__ */ details.component("CallDetails");
const UndoCall = /* @__PURE__ */ details.component("UndoCall");
const OpenResult = /* @__PURE__ */ details.component("OpenResult");
const TaskCard = /* @__PURE__ */ taskList.component("TaskCard");
