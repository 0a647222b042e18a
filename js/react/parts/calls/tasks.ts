// Which call is the list of tasks that a model keeps.

const taskTool = "glove_update_tasks";

export interface ListedTask {
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
