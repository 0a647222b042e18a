// The server's end of tasks over HTTP.
export { GloveError } from "../../src/values/error.js";
export type { TaskHandler, TaskHandlerConfig } from "./config.js";
export { FolderTaskWorkspace } from "./folder.js";
export { listTaskFolders } from "./folder-list.js";
export { createTaskHandler } from "./handler.js";
export { readSkillFolder } from "./skill-folder.js";
