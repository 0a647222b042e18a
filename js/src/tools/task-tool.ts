// The tool for the list of tasks, as the core tells the model of it (`src/task_tool.rs`).

import type { PageTool } from "../wire/core-types.js";

/** What a model is told of a tool. */
export type TellableTool = Pick<PageTool, "name" | "description" | "schema">;

const text = (description?: string, more?: object) => ({ type: "string", ...more, ...(description && { description }) });
const filled = () => ({ minLength: 1 });

const taskToolName = "glove_update_tasks";

const taskTool = (): TellableTool => ({
  name: taskToolName,
  description:
    "Create or update your task list for the current work. Always send the whole list: it replaces the one before. Use it for work with several steps; keep exactly one task in_progress, and mark a task completed as soon as it is done.",
  schema: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        description: "The whole list, in order",
        items: {
          type: "object",
          properties: {
            content: text("What is to be done", filled()),
            activeForm: text('The same as it is being done, like "Running tests"', filled()),
            status: text("", { enum: ["pending", "in_progress", "completed"] }),
          },
          required: ["content", "activeForm", "status"],
        },
      },
    },
    required: ["todos"],
  },
});

/** All that the model is told of: it comes first, where it is wanted and the application has none of its own. */
export function withTaskTool(tools: readonly TellableTool[], isWanted = tools.length > 0): readonly TellableTool[] {
  return isWanted && !tools.some(({ name }) => name === taskToolName) ? [taskTool(), ...tools] : tools;
}
