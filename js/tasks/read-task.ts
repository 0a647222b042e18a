// What the core says of a task, and does to it, for whoever does not run it: by its files, and without its lease.
import { fromCore } from "../src/wasm/core-errors.js";
import { type CoreTask, guard } from "../src/wasm/tasks.js";
import type { TaskAgentOptions } from "../src/wire/task-types.js";
import { core } from "./core.js";
import { WorkspaceFiles } from "./files.js";
import type { TaskWorkspace } from "./workspaces/workspace.js";

/** An agent that never runs. */
const nobody: TaskAgentOptions = { model: { host: { name: "nobody" } } };

export async function byFiles(
  workspace: TaskWorkspace,
  work: (task: CoreTask) => Promise<string>,
  wrote: (path: string) => void = () => {},
): Promise<string> {
  const { CoreTask } = await core.load();
  const reader = new CoreTask(JSON.stringify(nobody), {}, new WorkspaceFiles(workspace, wrote).port());
  try {
    return await guard.untilTrap(work(reader));
  } catch (thrown) {
    throw fromCore(thrown);
  } finally {
    reader.close();
    reader.free();
  }
}
