// Which tasks are below a folder of a server.
import { check } from "../../src/values/validate-options.js";
import { nodeFiles } from "./node.js";
import { isTaskId } from "./routes.js";

/** The names of the folders below this one that have a task, the one that was written last first: for `list` of `createTaskHandler`. */
export async function listTaskFolders(folder: string): Promise<readonly string[]> {
  const { readdir, stat } = nodeFiles();
  const entries = await readdir(check("The folder", folder, "text"), { withFileTypes: true }).catch((error) => {
    // Made with the first task.
    if ((error as { readonly code?: string }).code === "ENOENT") return [];
    throw error;
  });
  const found: { readonly id: string; readonly at: number }[] = [];
  for (const { name } of entries) {
    if (!isTaskId(name)) continue;
    for (const state of ["state.json", "state.previous.json"]) {
      const file = await stat(`${folder}/${name}/progress/${state}`).catch(() => undefined);
      if (!file) continue;
      found.push({ id: name, at: file.mtimeMs });
      break;
    }
  }
  return found.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}
