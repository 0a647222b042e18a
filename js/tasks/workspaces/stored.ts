// The workspaces that a browser keeps for an origin.
import { GloveError, reasonOf } from "../../src/values/error.js";
import { check } from "../../src/values/validate-options.js";
import { DirectoryTaskWorkspace, unlessMissing } from "./directory.js";
import { databaseIds, deleteFromDatabase, IndexedDBTaskWorkspace } from "./indexeddb.js";
import type { TaskWorkspace } from "./workspace.js";

const folder = "glove-tasks";

/** The folder of all workspaces; nothing where pages cannot write to the private file system. */
async function all(): Promise<FileSystemDirectoryHandle | undefined> {
  const storage = globalThis.navigator?.storage;
  const writes = typeof FileSystemFileHandle === "function" && "createWritable" in FileSystemFileHandle.prototype;
  if (!storage?.getDirectory || !writes) return undefined;
  try {
    return await (await storage.getDirectory()).getDirectoryHandle(folder, { create: true });
  } catch (error) {
    // Some browsers refuse it in private windows. Whatever else went wrong may pass: in the database would be other tasks.
    if (error instanceof DOMException && error.name === "SecurityError") return undefined;
    const why = `The browser's private file system cannot be opened: ${reasonOf(error)}. Try again.`;
    throw new GloveError("TASK_WORKSPACE_FAILED", why, { cause: error });
  }
}

function checkId(id: string): string {
  check("`id`", id, "text");
  if (/^[\w-]{1,100}$/.test(id)) return id;
  throw new GloveError(
    "CONFIG_INVALID",
    `The id of a workspace must be 1 to 100 letters, digits, "-" or "_", got ${JSON.stringify(id.slice(0, 60))}.`,
  );
}

/**
 * The workspace with this id that the browser keeps for this origin: in its private file system, or in its database where pages
 * cannot write there. One that is new is empty, and is kept from its first file on.
 */
export async function openTaskWorkspace(id: string): Promise<TaskWorkspace> {
  checkId(id);
  const root = await all();
  if (root) return new DirectoryTaskWorkspace(root, `opfs/${id}`, id);
  if (globalThis.indexedDB) return new IndexedDBTaskWorkspace(id);
  throw new GloveError(
    "TASK_WORKSPACE_FAILED",
    "There is no storage for workspaces here: pass a workspace of your own, or `new MemoryTaskWorkspace()`.",
  );
}

/** The ids of the workspaces that the browser keeps. */
export async function listTaskWorkspaces(): Promise<readonly string[]> {
  const root = await all();
  if (!root) return globalThis.indexedDB ? databaseIds() : [];
  const ids: string[] = [];
  for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) ids.push(name);
  return ids.sort();
}

/** Deletes a workspace with all its files. Refuses while its task runs, here or in another tab. */
export async function deleteTaskWorkspace(id: string): Promise<void> {
  const workspace = await openTaskWorkspace(id);
  const release = await workspace.lease();
  if (!release) throw new GloveError("TASK_IN_USE", "This task runs, here or in another tab; close it first.");
  try {
    const root = await all();
    if (root) await root.removeEntry(id, { recursive: true }).catch(unlessMissing);
    else await deleteFromDatabase(id);
  } finally {
    release();
  }
}
