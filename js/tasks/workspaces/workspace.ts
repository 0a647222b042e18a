// The port to the files of a task.
import { check, type Options } from "../../src/values/validate-options.js";

/** A file of a workspace. */
export interface WorkspaceEntry {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * Where a task's files are. Paths are relative, with `/` between names. What is read is whole at every instant: a file is the old one
 * or the new one, never half of either.
 */
export interface TaskWorkspace {
  /** Names it among those of this origin; the same for the same files. */
  readonly name: string;
  /** Nothing where there is no file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Writes a file as a whole, with the folders that it needs. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /**
   * Writes a file where there still is what was read there (`before`; nothing: no file), and says whether it did: of several that do this at
   * once, one has true. Without it the task looks and then writes, which is enough where all of them are in one page or process.
   */
  swap?(path: string, before: Uint8Array | undefined, content: string): Promise<boolean>;
  /** Adds to the end of a file, which is made where there is none. */
  append(path: string, content: string): Promise<void>;
  /** Removes a file; one that is not there is no error. */
  remove(path: string): Promise<void>;
  /** The files below a folder, in any order; none where there is no folder. */
  list(folder: string): Promise<readonly WorkspaceEntry[]>;
  /** Takes the lease for running the task: returns a function that releases it, or nothing if it is taken. A dead process loses it. */
  lease(): Promise<(() => void) | undefined>;
  /** Whether somebody has that right now, for screens that only watch. May be left away. */
  leased?(): Promise<boolean>;
}

const methods = {
  name: "text",
  read: "work",
  write: "work",
  append: "work",
  remove: "work",
  list: "work",
  lease: "work",
} as const satisfies Options<Omit<TaskWorkspace, "leased" | "swap">>;

export function checkWorkspace(workspace: TaskWorkspace): TaskWorkspace {
  check("The workspace", Object(workspace) === workspace ? {} : workspace, "object");
  for (const [name, kind] of Object.entries(methods)) {
    check(`\`${name}\` of the workspace`, (workspace as unknown as Record<string, unknown>)[name], kind);
  }
  if (workspace.swap !== undefined) check("`swap` of the workspace", workspace.swap, "work");
  return workspace;
}

/** Whether a file has this content; nothing stands for no file. */
export const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a?.length === b?.length && a !== undefined && a.every((byte, at) => byte === b?.[at]));

/** Below a folder, or the folder itself as a file. */
export const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
