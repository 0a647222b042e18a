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
import { type ListedTask, taskTool } from "./tasks.js";
import { taskStates } from "./tool-state.js";

const latest = new WeakMap<Parts["timeline"], TimelineEntry | undefined>();

function latestList({ timeline }: Parts): TimelineEntry | undefined {
  if (!latest.has(timeline))
    latest.set(
      timeline,
      timeline.findLast((entry) => entry.kind === "tool" && entry.name === taskTool),
    );
  return latest.get(timeline);
}

/** Whether a call is the last one with a list: those before it are over, and folded. */
function useIsLatest(entry: TimelineEntry | undefined): boolean {
  const last = usePartOf(useContext(ChatContext)?.glove, latestList);
  return !entry || !last || last.id === entry.id;
}

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
  readonly tasks: readonly ListedTask[];
  readonly entry?: ToolEntry;
  readonly joins?: boolean;
}

/** The list of tasks, and not that it was written. */
export function TaskCard({ tasks, entry, joins }: TaskCardProps): ReactNode {
  const say = useLabels();
  const open = useIsLatest(entry);
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
