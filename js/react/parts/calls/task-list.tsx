// The list of tasks that a model keeps (`glove_update_tasks`): what is done, what is being done and what is still to do.
import { type ReactNode, useContext } from "react";
import type { TimelineEntry } from "../../../src/snapshot/snapshot.js";
import { type Parts, usePartOf } from "../../hooks/handle-registry.js";
import { useLabels } from "../../render/labels.js";
import { Name } from "../../render/visible.js";
import { ChatContext } from "../chat-context.js";
import { circle, Icon } from "../icons.js";
import { taskStates } from "./tool-state.js";

const taskTool = "glove_update_tasks";

interface ListedTask {
  readonly content: string;
  readonly activeForm?: unknown;
  readonly status?: unknown;
}

/** Nothing where a call is another one, or has no task that can be read yet. */
export function tasksOf(name: string, input: unknown): readonly ListedTask[] | undefined {
  const todos: unknown = name === taskTool && (input as { readonly todos?: unknown } | null)?.todos;
  if (!Array.isArray(todos)) return undefined;
  const tasks = todos.filter((task) => typeof task?.content === "string" && task.content);
  return tasks.length > 0 ? tasks : undefined;
}

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
export function useIsLatest(entry: TimelineEntry | undefined): boolean {
  const last = usePartOf(useContext(ChatContext)?.glove, latestList);
  return !entry || !last || last.id === entry.id;
}

const icons = {
  done: `${circle}m-3.5 9.3 2.5 2.5 4.5-5`,
  active: `${circle}M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z`,
  todo: circle,
} as const;

export const isDone = ({ status }: ListedTask): boolean => status === "completed";

export function TaskList({ tasks }: { readonly tasks: readonly ListedTask[] }): ReactNode {
  const say = useLabels();
  return (
    // biome-ignore lint/a11y/noRedundantRoles: Safari tells no list where the look takes its marks away.
    <ul role="list" aria-label={say("Tasks")} data-glove-tasks="">
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
