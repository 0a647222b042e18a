// `useTask()`: a task as a component shows it, and what can be done with it.
import { useMemo, useSyncExternalStore } from "react";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import type { TaskBudgets, TaskRunOptions, TaskSpec } from "../../src/wire/task-types.js";
import type { TaskAgent } from "../agent.js";
import { checkServed, isServed } from "../remote-task.js";
import { checkWorkspace } from "../workspaces/workspace.js";
import { controlOf, type TaskSource, type TaskView, unread } from "./control.js";

/** Settings of `useTask`. */
export interface UseTaskConfig {
  /** Starts the task and goes on with it here; without one it can be watched, decided about and stopped. */
  agent?: TaskAgent | undefined;
}

/** What can be done with a task. None of these throws: what fails is shown as `error`, and gives `false`. */
export interface TaskActions {
  /** Begins a task in a workspace that has none, and runs it. */
  start(task: TaskSpec | string): Promise<boolean>;
  /** Goes on with the task here, until it ends, is stopped, or a budget is used up; with other `budgets` from now on, if some are given. */
  run(options?: TaskRunOptions & { readonly budgets?: TaskBudgets }): Promise<boolean>;
  /** Does exactly one step of the loop here. */
  stepOnce(): Promise<boolean>;
  /** Stops the task after the call in flight, whoever runs it. */
  stop(reason?: string): Promise<boolean>;
  approve(id: string, by?: string): Promise<boolean>;
  /** Denies a request; the model reads the reason. */
  deny(id: string, reason?: string, by?: string): Promise<boolean>;
  /** Writes a file that the next step reads: notes, todo list, findings or plan. */
  write(path: string, content: string): Promise<boolean>;
  dismissError(): void;
}

/** What `useTask()` returns. */
export interface UseTaskReturn extends TaskView, TaskActions {}

const config = { agent: "any" } as const satisfies Options<UseTaskConfig>;

/**
 * A task by the id of its workspace (`openTaskWorkspace`), by its workspace, one that is open already, or one of a server (`client` and
 * `id`). Whoever runs it, it is shown as its files tell it. `run` takes it up in this page and lets go of it at its end; it goes on when the component is gone.
 */
export function useTask(task: TaskSource, given: UseTaskConfig = {}): UseTaskReturn {
  checkOptions(check("The settings", given, "object"), config);
  if (isServed(task)) checkServed(task);
  else if (typeof task !== "string" && !("workspace" in task)) checkWorkspace(task);
  const control = controlOf(task);
  const { agent } = given;
  const actions = useMemo((): TaskActions => {
    const by = () => {
      if (agent) control.agent = agent;
      return control;
    };
    return {
      start: (spec) => by().start(spec),
      run: (options) => by().run(options),
      stepOnce: () => by().stepOnce(),
      stop: (reason) => control.stop(reason),
      approve: (id, who) => control.approve(id, who),
      deny: (id, reason, who) => control.deny(id, reason, who),
      write: (path, content) => control.write(path, content),
      dismissError: () => control.dismissError(),
    };
  }, [control, agent]);
  const view = useSyncExternalStore(control.subscribe, control.getView, () => unread);
  return useMemo(() => ({ ...view, ...actions }), [view, actions]);
}
