// The entry for sessions that run on a server.

export type { RemoteTaskEntry, RemoteTaskState } from "../src/wire/task-types.js";
export { createRemoteSession, type RemoteOptions, type RemoteSessions } from "./remote.js";
export { resumable } from "./resumable.js";
export { type ServerToolsOptions, serverTools, type ToolsOf } from "./server-tools.js";
export {
  createTaskClient,
  type RemoteDoOptions,
  type RemoteEventOptions,
  type RemoteFile,
  type RemoteFiles,
  type RemoteResumeOptions,
  type RemoteTaskSpec,
  type RemoteTaskStart,
  TaskClient,
} from "./tasks.js";
