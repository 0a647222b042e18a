// The entry for sessions that run on a server.
export { createRemoteSession, type RemoteOptions, type RemoteSessions } from "./remote.js";
export { resumable } from "./resumable.js";
export { type ServerToolsOptions, serverTools } from "./server-tools.js";
export {
  createTaskClient,
  type RemoteDoOptions,
  type RemoteEventOptions,
  type RemoteFiles,
  type RemoteTaskSpec,
  type RemoteTaskState,
  TaskClient,
} from "./tasks.js";
