// The list of tasks that a model keeps (`glove_update_tasks`): what is done, what is being done and what is still to do.
import { type ReactNode, useContext } from "react";
import type { TimelineEntry, ToolEntry } from "../../../src/snapshot/snapshot.js";
import { type Parts, usePartOf } from "../../hooks/handle-registry.js";
import { useLabels } from "../../render/labels.js";
import { Name } from "../../text/visible.js";
import { ChatContext } from "../chat-context.js";
import { circle, Icon } from "../icons.js";
import { dressed } from "./dress.js";
import { State, Summary } from "./row.js";
import { type ListedTask, tasksOf } from "./tasks.js";
import { taskStates, toolState } from "./tool-state.js";

interface Lists {
  /** By the call that wrote a list first in its turn: the one that wrote it last. */
  readonly newest: ReadonlyMap<TimelineEntry, ToolEntry>;
  /** All calls that wrote one. */
  readonly all: ReadonlySet<TimelineEntry>;
  /** The call that wrote the last list of the conversation first. */
  readonly last: TimelineEntry | undefined;
  /** Something was asked since. */
  readonly over: boolean;
}

const known = new WeakMap<Parts["timeline"], Lists>();

function listsOf({ timeline }: Parts): Lists {
  const before = known.get(timeline);
  if (before) return before;
  const newest = new Map<TimelineEntry, ToolEntry>();
  const all = new Set<TimelineEntry>();
  let [last, over]: [TimelineEntry | undefined, boolean] = [undefined, true];
  for (const entry of timeline) {
    if (entry.kind === "user") over = true;
    if (entry.kind !== "tool" || !isList(entry)) continue;
    if (over || !last) last = entry;
    over = false;
    newest.set(last, entry);
    all.add(entry);
  }
  const lists = { newest, all, last, over };
  known.set(timeline, lists);
  return lists;
}

/** What is drawn as a list of tasks: what failed or was denied is a card that says so. */
const isList = (entry: ToolEntry): boolean =>
  /^(?:done|running|queued)$/.test(toolState(entry, false)) && tasksOf(entry.name, entry.input) !== undefined;

const icons = {
  done: `${circle}m-3.5 9.3 2.5 2.5 4.5-5`,
  active: `${circle}M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z`,
  todo: circle,
} as const;

const isDone = ({ status }: ListedTask): boolean => status === "completed";

function TaskList({ tasks }: { readonly tasks: readonly ListedTask[] }): ReactNode {
  const say = useLabels();
  return (
    // biome-ignore lint/a11y/noRedundantRoles: Safari tells no list where the look takes its marks away.
    <ul ref={dressed} role="list" aria-label={say("Tasks")} data-glove-tasks="">
      {tasks.map((task, at) => {
        const { content, activeForm, status } = task;
        const state = isDone(task) ? "done" : status === "in_progress" ? "active" : "todo";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may be called the same.
          <li key={at} data-state={state} aria-current={state === "active" ? "step" : undefined}>
            <span data-glove-state-icon="">
              <Icon name={icons[state]} />
            </span>
            <span>
              <Name of={state === "active" && typeof activeForm === "string" && activeForm ? activeForm : content} />{" "}
              <span data-glove-label="">{say(taskStates[state])}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface TaskCardProps {
  /** Of a call that is still being written. */
  readonly tasks: readonly ListedTask[];
  readonly entry?: ToolEntry;
  readonly joins?: boolean;
}

/**
 * The list of tasks, and not that it was written. A turn has one, where its first call stands: what later calls write changes that. Of
 * earlier turns it is folded.
 */
export function TaskCard({ tasks: written, entry, joins }: TaskCardProps): ReactNode {
  const say = useLabels();
  const glove = useContext(ChatContext)?.glove;
  const newest = usePartOf(glove, (parts) => entry && listsOf(parts).newest.get(entry));
  // Of one that is written, the turn may have one already; what is drawn by hand has no timeline.
  const isDrawn = usePartOf(glove, (parts) => (entry ? !listsOf(parts).all.has(entry) : listsOf(parts).over)) ?? true;
  const open = usePartOf(glove, (parts) => !entry || listsOf(parts).last === entry) ?? true;
  if (!newest && !isDrawn) return null;
  const tasks = (newest && tasksOf(newest.name, newest.input)) ?? written;
  const done = tasks.filter(isDone).length;
  return (
    <div
      data-glove-role="tool"
      data-glove-step=""
      data-glove-joins={joins ? "" : undefined}
      data-state={done === tasks.length ? "done" : "running"}
    >
      <State icon="M9.5 6.5H20m-10.5 5.5H20m-10.5 5.5H20M4.5 6.5h.5m-.5 5.5h.5m-.5 5.5h.5" />
      <details aria-live="off" open={open}>
        <Summary title={say("Tasks")}>
          <span data-glove-count="">
            {`${done}/${tasks.length}`} <span data-glove-label="">{say(taskStates.done)}</span>
          </span>
        </Summary>
        <div data-glove-details="">
          <TaskList tasks={tasks} />
        </div>
      </details>
    </div>
  );
}
