// What the board says: standings, phases and events in words for a person.
import { humanName } from "../../react/parts/calls/tool-state.js";
import type { TaskEvent, TaskFinishReason, TaskPlan } from "../../src/wire/task-types.js";
import type { ShownTaskState } from "../remote-task.js";
import type { TaskRunner } from "./control.js";

/** A label of `<TaskBoard>` that another one can take the place of, beside those of `<Render>`. */
export type TaskWord =
  | "Task"
  | "There is no task here yet."
  | "Loading the task…"
  | "Working"
  | "Interrupted"
  | "Waiting for you"
  | (typeof endings)[TaskFinishReason]
  | "Runs in another tab or program"
  | "Stopping…"
  | "Start"
  | "Resume"
  | "Go on with as much again"
  | "Do one step"
  | "Stop"
  | "The whole goal"
  | "Phases"
  | (typeof phaseWords)[keyof typeof phaseWords]
  | (typeof progressWords)[Progress]
  | "Allow the plan?"
  | "Allow"
  | "Deny"
  | "Run again"
  | "Don't run"
  | "It was interrupted and may have taken effect. Should it run again?"
  | "Reason for denying (optional)"
  | "Expires"
  | "Plan"
  | "Version"
  | "Within"
  | "Done when"
  | "Result"
  | "Verification passed"
  | "Verification failed"
  | "Deliverables"
  | "Files"
  | "Inputs"
  | "Working files"
  | "Record"
  | "No files yet"
  | "Open"
  | "Download"
  | "Edit"
  | "Save"
  | "Cancel"
  | "Close"
  | "The file has changed meanwhile. Saving again replaces what is there now."
  | "This file cannot be shown here."
  | "The file is not there any more."
  | "The file could not be read."
  | "The file could not be saved."
  | "Only the beginning is shown."
  | "The file is empty."
  | "Activity"
  | "Show earlier"
  | "Steps"
  | "Time"
  | "Tokens"
  | "Skills"
  | "of"
  | "Dismiss"
  | (typeof eventWords)[keyof typeof eventWords]
  | (typeof ownTools)[keyof typeof ownTools];

/** Replacements for labels, for example translations. */
export type TaskLabels = { readonly [word in TaskWord]?: string };

export type Say = (word: string) => string;

/** How something stands: the look gives each a colour. */
export type Tone = "working" | "waiting" | "paused" | "failed" | "done";

const endings = {
  completed: "Completed",
  verify_failed: "Verification failed",
  plan_denied: "Plan denied",
  budget_wall_clock: "The time is used up",
  budget_steps: "The steps are used up",
  budget_no_progress: "No progress",
  stopped: "Stopped",
  approval_expired: "A request expired",
  failed: "Failed",
} as const satisfies Record<TaskFinishReason, string>;

/** Where a task stands, in a word and a tone. */
export function standing({ status, finish_reason }: ShownTaskState, runner: TaskRunner): readonly [word: string, tone: Tone] {
  if (status === "waiting") return ["Waiting for you", "waiting"];
  if (status === "running") return runner === "nobody" ? ["Interrupted", "paused"] : ["Working", "working"];
  const word = endings[finish_reason ?? "stopped"];
  if (finish_reason === "completed") return [word, "done"];
  return [word, finish_reason === "failed" || status === "finished" ? "failed" : "paused"];
}

const phaseWords = { gather: "Gather", plan: "Plan", act: "Act", verify: "Verify" } as const;

export const phaseName = (name: string, say: Say): string =>
  say(Object.hasOwn(phaseWords, name) ? phaseWords[name as keyof typeof phaseWords] : humanName(name));

/** How far a phase or a step of the plan is. */
export type Progress = "open" | "working" | "waiting" | "done" | "failed" | "skipped";

export const progressWords = {
  open: "To do",
  working: "In progress",
  waiting: "Waiting for you",
  done: "Done",
  failed: "Failed",
  skipped: "Skipped",
} as const satisfies Record<Progress, string>;

const eventWords = {
  "task.start": "Task started",
  "task.stop": "Stopped",
  "task.resume": "Resumed",
  "phase.start": "began",
  completed: "finished",
  failed: "failed",
  skipped: "skipped",
  "plan.proposed": "Plan written",
  "plan.edited": "Plan edited",
  "plan.approved": "Plan approved",
  "plan.denied": "Plan denied",
  "approval.requested": "Approval asked for",
  approved: "Approved",
  denied: "Denied",
  expired: "Expired",
  "approval.ignored": "A decision was ignored",
  "verify.pass": "Verification passed",
  "verify.fail": "Verification failed",
  "context.pushed": "Something to read was added",
  "budget.hit": "Budget reached",
  "output.missing": "The result was not given",
  error: "Error",
  finish: "Task ended",
} as const;

/** The tools that every task has, by what they do for a person. */
const ownTools = {
  fs_write: "Write a file",
  file_read: "Read a file",
  file_glob: "Look for files",
  json_validate: "Check JSON",
} as const;

export const toolName = (name: string, say: Say): string =>
  Object.hasOwn(ownTools, name) ? say(ownTools[name as keyof typeof ownTools]) : humanName(name);

/** What an event says, and more about it. */
export function eventText(event: TaskEvent, say: Say, plan: TaskPlan | undefined): readonly [text: string, more: string] {
  const { type, message = "", step = "", error = "" } = event;
  const data = Object(event.data) as { readonly decision?: string; readonly approved_by?: string; readonly reason?: string };
  const word = (name: string) => say(eventWords[name as keyof typeof eventWords] ?? humanName(name));
  const phase = phaseName(step.replace(/-\d.*$/, ""), say);
  switch (type) {
    case "phase.start":
      return [`${phase} ${word(type)}`, plan?.steps.find(({ id }) => id === message)?.title ?? message];
    case "phase.finish":
      return [`${phase} ${word(message)}`, ""];
    case "tool.call":
    case "tool.result":
      return [toolName(message, say), error];
    case "approval.requested":
      return [word(type), message && toolName(message, say)];
    case "approval.decided":
      return [
        word(data.decision ?? ""),
        [message && toolName(message, say), data.approved_by, data.reason].filter(Boolean).join(" · "),
      ];
    case "finish":
      return [word(type), say(endings[message as TaskFinishReason] ?? message)];
    case "task.start":
    case "plan.proposed":
      return [word(type), ""];
    default:
      return [word(type), message];
  }
}

/** `1:05`, or `1:02:03`. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = 0, ...rest] = parts;
  const padded = rest.map((part) => String(part).padStart(2, "0")).join(":");
  return hours ? `${hours}:${padded}` : padded.replace(/^0/, "");
}

/** Bytes as a person reads them. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [size, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${size.toFixed(size < 10 ? 1 : 0)} ${unit}`;
}

export const shortNumber = (value: number): string =>
  value < 1000 ? String(value) : `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)}k`;
