"use client";
// The entry for React applications that show tasks.
export type { ServedTask, ShownTask, ShownTaskState } from "../remote-task.js";
export type { TaskRunner, TaskSource, TaskView } from "./control.js";
export type { TaskLabels, TaskWord } from "./labels.js";
export { TaskBoard, type TaskBoardProps } from "./task-board.js";
export { type TaskActions, type UseTaskConfig, type UseTaskReturn, useTask } from "./use-task.js";
