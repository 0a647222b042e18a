// The task list as a tool.

import type { JsonSchema } from "../schema/types.js";
import { generateId } from "../values/ids.js";
import type { Task } from "../wire/record.js";
import type { Context } from "./context.js";
import type { Tool } from "./tool.js";

interface Todos {
  readonly todos: readonly Omit<Task, "id">[];
}

const text = { type: "string", minLength: 1 } as const;
const todos: JsonSchema = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: { content: text, activeForm: text, status: { enum: ["pending", "in_progress", "completed"] } },
        required: ["content", "activeForm", "status"],
      },
    },
  },
  required: ["todos"],
};

/** The task list as a tool. Sessions have it by themselves where the store keeps tasks. */
export function createTaskTool(context: Context): Tool<Todos> {
  return {
    name: "glove_update_tasks",
    description: "Create or update your task list for the current work. Always send the whole list: it replaces the one before.",
    jsonSchema: todos,
    idempotent: true,
    async run({ todos }) {
      const left = [...(await context.getTasks())];
      const tasks = todos.map((todo): Task => {
        const at = left.findIndex(({ content }) => content === todo.content);
        const [known] = at < 0 ? [] : left.splice(at, 1);
        return { id: known?.id ?? `task_${generateId()}`, ...todo };
      });
      await context.addTasks(tasks);
      return { tasks };
    },
  };
}
