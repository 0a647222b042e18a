// What bodies say: a task that is wanted, files for it, and a decision.
import { refuse } from "../../server/refuse.js";
import { fromBase64 } from "../../src/values/base64.js";
import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import type { TaskBudgets, TaskSpec } from "../../src/wire/task-types.js";
import { core } from "../core.js";
import { specOptions } from "../options.js";

/** A text, or bytes as base64. */
export type SentFile = string | { readonly base64: string };
type SentFiles = Readonly<Record<string, SentFile>>;

/** A client that could say these would approve its own calls, or speak for others. */
const notTheirs = ["approvals", "user_id", "seed_messages", "seed_from_sessions", "id"] as const;
const { goal, budgets, history, ext } = specOptions;
const theirs = { goal, budgets, history, ext } as const;
const wantedOptions = { ...theirs, files: "any" } as const;
const decisionOptions = { task_id: "text", decision: "approved|denied", reason: "text" } as const satisfies Options<object>;

export interface Decision {
  readonly task_id?: string;
  readonly decision: "approved" | "denied";
  readonly reason?: string;
}

export function taskOf(body: string): { readonly spec: TaskSpec; readonly files: SentFiles } {
  const requested = objectOf(body);
  for (const name of notTheirs) {
    if (name in requested) refuse(400, "TASK_FIELD_REFUSED", `Clients cannot set \`${name}\`: the server does.`);
  }
  return refuseInvalid(() => {
    checkOptions(requested, wantedOptions);
    check("`goal`", requested.goal, "text");
    for (const [name, kind] of Object.entries(theirs)) {
      if (requested[name] !== undefined) check(`\`${name}\``, requested[name], kind);
    }
    const { files = {}, ...spec } = requested;
    return { spec: spec as unknown as TaskSpec, files: check("`files`", files, "object") as unknown as SentFiles };
  });
}

export function decisionOf(body: string): Decision {
  const decision = objectOf(body);
  return refuseInvalid(() => {
    checkOptions(decision, decisionOptions);
    check("`decision`", decision.decision, decisionOptions.decision);
    return decision as unknown as Decision;
  });
}

/** An object with this text alone, or nothing. */
export function textOf(body: string, name: string): string | undefined {
  if (body.trim() === "") return undefined;
  const fields = objectOf(body);
  return refuseInvalid(() => {
    checkOptions(fields, { [name]: "text" });
    return fields[name] as string | undefined;
  });
}

/** Other budgets for a task that goes on, or nothing. */
export function budgetsOf(body: string): TaskBudgets | undefined {
  if (body.trim() === "") return undefined;
  const fields = objectOf(body);
  return refuseInvalid(() => {
    checkOptions(fields, { budgets });
    return fields.budgets as TaskBudgets | undefined;
  });
}

/** Files that a client sends go to the inputs of the task, and nowhere else. */
export async function inputsOf(files: SentFiles): Promise<Map<string, string | Uint8Array>> {
  const inputs = new Map<string, string | Uint8Array>();
  for (const [sentPath, content] of Object.entries(files)) {
    inputs.set(await clientPath(sentPath, "upload"), await bytesOf(sentPath, content));
  }
  checkFits(inputs.keys(), new Set(inputs.keys()));
  return inputs;
}

/** Refuses a path that is a file and a folder at once, among the sent files and the existing ones. */
export function checkFits(paths: Iterable<string>, there: ReadonlySet<string>): void {
  const folders = new Set<string>();
  for (const path of there) for (const folder of above(path)) folders.add(folder);
  for (const path of paths) {
    const refuseFor = (other: string, kind: string) =>
      refuse(400, "TASK_PATH_INVALID", `\`${path}\` cannot be written: \`${other}\` is ${kind}`);
    if (folders.has(path)) refuseFor(path, "a folder");
    const file = above(path).find((folder) => there.has(folder));
    if (file !== undefined) refuseFor(file, "a file");
  }
}

function above(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** A path that a client may read, edit or upload, by the rules of the core. */
export async function clientPath(path: string, requested: "read" | "edit" | "upload"): Promise<string> {
  const { clientPath } = await core.load();
  try {
    return (clientPath as (path: string, requested: string) => string)(path, requested);
  } catch (thrown) {
    throw fromCore(thrown);
  }
}

export function editOf(body: string): string {
  const fields = objectOf(body);
  return refuseInvalid(() => {
    checkOptions(fields, { content: "text" });
    return check("`content`", fields.content, "text") as string;
  });
}

export function uploadOf(body: string): SentFiles {
  const { files, ...other } = objectOf(body);
  return refuseInvalid(() => {
    checkOptions(other, {});
    return check("`files`", files, "object") as unknown as SentFiles;
  });
}

async function bytesOf(path: string, content: unknown): Promise<string | Uint8Array> {
  if (typeof content === "string") return content;
  const { base64 } = Object(content) as { readonly base64?: unknown };
  const bytes = typeof base64 === "string" ? await fromBase64(base64) : undefined;
  return bytes ?? refuse(400, "REQUEST_INVALID", `The content of \`${path}\` is neither a text nor { base64 }.`);
}

function objectOf(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    refuse(400, "BODY_NOT_JSON", "The request body is not valid JSON.", error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return refuse(400, "REQUEST_INVALID", "The request body must be a JSON object.");
}

/** What is wrong with an option is the client's to mend. */
function refuseInvalid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof GloveError) refuse(400, "REQUEST_INVALID", error.message);
    throw error;
  }
}
