// What clients are told: where a task stands, what came of it, its files, and why a request is refused.
import { Refused, refuse } from "../../server/refuse.js";
import { broken } from "../../src/relay/answer.js";
import type { Refusal } from "../../src/relay/refusal-response.js";
import { GloveError } from "../../src/values/error.js";
import type { RemoteTaskEntry, RemoteTaskState, TaskResult, TaskRunOptions } from "../../src/wire/task-types.js";
import { byFiles } from "../read-task.js";
import type { TaskWorkspace, WorkspaceEntry } from "../workspaces/workspace.js";
import { clientPath } from "./request-body.js";

/** What is wrong with a request for a task, and not with the server. */
const statuses: Readonly<Record<string, number>> = {
  TASK_MISSING: 404,
  TASK_APPROVAL_UNKNOWN: 404,
  TASK_FILE_MISSING: 404,
  TASK_APPROVAL_CLOSED: 409,
  TASK_BUSY: 409,
  TASK_EXISTS: 409,
  TASK_FINISHED: 409,
  TASK_IN_USE: 409,
  TASK_CONFIG_INVALID: 400,
  TASK_DECISION_INVALID: 400,
  TASK_GOAL_INVALID: 400,
  TASK_HISTORY_INVALID: 400,
  TASK_PATH_INVALID: 400,
  TASK_PATH_READ_ONLY: 400,
  TASK_STATE_BROKEN: 500,
  TASK_STATE_NEWER: 500,
};

export const json = (value: unknown, status = 200) => Response.json(value, { status, headers: { "cache-control": "no-store" } });

/** Where a task stands, as far as that is for its clients. */
export async function stateOf(workspace: TaskWorkspace, running = false): Promise<RemoteTaskState> {
  return JSON.parse(await byFiles(workspace, (task) => task.clientState(running))) as RemoteTaskState;
}

/** A task as a list shows it; nothing where there is none. */
export async function entryOf(workspace: TaskWorkspace, id: string, running: boolean): Promise<RemoteTaskEntry | undefined> {
  const text = await byFiles(workspace, (task) => task.clientEntry(id, running));
  return text ? (JSON.parse(text) as RemoteTaskEntry) : undefined;
}

/** What came of a task so far. Its lease stays with whoever runs it. */
export async function resultOf(workspace: TaskWorkspace, view: TaskRunOptions["view"]): Promise<TaskResult> {
  return JSON.parse(await byFiles(workspace, (task) => task.result(JSON.stringify({ view })))) as TaskResult;
}

/** For what a task at its end cannot do. */
export async function unfinished(workspace: TaskWorkspace): Promise<void> {
  const { status } = await stateOf(workspace);
  if (status === "finished") throw new GloveError("TASK_FINISHED", "This task is at its end.");
}

/** The files that clients may read. */
export async function filesOf(workspace: TaskWorkspace): Promise<readonly WorkspaceEntry[]> {
  const files: WorkspaceEntry[] = [];
  for (const folder of ["progress", "task"]) {
    for (const { path, size } of await workspace.list(folder)) {
      if (await clientPath(path, "read").catch(() => undefined)) files.push({ path, size });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The paths of all its files. */
export async function filesIn(workspace: TaskWorkspace): Promise<ReadonlySet<string>> {
  const folders = await Promise.all(["progress", "task"].map((folder) => workspace.list(folder)));
  return new Set(folders.flat().map(({ path }) => path));
}

export async function fileOf(workspace: TaskWorkspace, given: string): Promise<Response> {
  const missing = () => refuse(404, "TASK_FILE_MISSING", "The task has no such file that clients may read.");
  const path = await clientPath(given, "read").catch(missing);
  const read = workspace.read(path).catch(async (error: unknown) => {
    // A folder is none of its files.
    const known = [...(await filesIn(workspace))];
    if (known.some((file) => file.startsWith(`${path}/`))) return undefined;
    throw error;
  });
  const content = (await read) ?? missing();
  return new Response(content as Uint8Array<ArrayBuffer>, {
    headers: {
      "content-type": "application/octet-stream",
      // A page that a task made is none of this server's.
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}

export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refused) return thrown.refusal;
  if (!(thrown instanceof GloveError) || !Object.hasOwn(statuses, thrown.code)) return broken;
  return { status: statuses[thrown.code] as number, code: thrown.code, message: thrown.message };
}
