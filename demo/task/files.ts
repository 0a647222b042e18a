// The task of the scene: its goal, what it is given to read, and the workspace that the browser keeps.
import { openTaskWorkspace, type TaskSpec, type TaskWorkspace } from "glove-wasm/tasks";

export const workspaceId = "demo-brief";

export const spec: TaskSpec = {
  goal: "Write a one-page brief: which city should host the team week?",
  budgets: { max_steps: 20, max_wall_clock_ms: 600_000 },
};

const inputs: Readonly<Record<string, string>> = {
  "task/brief.md":
    "# Brief\n\nFor the whole team, on one page.\n\n- Compare the cities in a table\n- Recommend one\n- Name the sources\n",
  "task/cities.csv": "city,nights,price per night,train hours,rooms\nLisbon,4,92,0,40\nGhent,4,110,5,55\nLeipzig,4,84,7,60\n",
  "task/wishes.txt": "Ada: no flights, please.\nGrace: one large room for all of us.\nAlan: not more than €100 a night.\n",
};

/** The workspace with its inputs in it. */
export async function prepared(): Promise<TaskWorkspace> {
  const workspace = await openTaskWorkspace(workspaceId);
  for (const [path, content] of Object.entries(inputs)) {
    if (!(await workspace.read(path))) await workspace.write(path, content);
  }
  return workspace;
}
