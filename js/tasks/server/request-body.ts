// What bodies say: a task that is wanted, files for it, and a decision.
import { refuse } from "../../server/refuse.js";
import { fromBase64 } from "../../src/values/base64.js";
import { GloveError } from "../../src/values/error.js";
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import type { TaskBudgets, TaskSpec } from "../../src/wire/task-types.js";
import { core } from "../core.js";
import { specOptions } from "../options.js";

/** A text, bytes as base64, or those of a form. */
export type SentFile = string | { readonly base64: string } | Uint8Array;
type SentFiles = Readonly<Record<string, SentFile>>;

/** A client that could say these would approve its own calls, or speak for others. */
const notTheirs = ["approvals", "user_id", "seed_messages", "seed_from_sessions", "id"] as const;
const { goal, budgets, history, ext, require_plan_approval } = specOptions;
const theirs = { goal, budgets, history, ext, require_plan_approval } as const;
const wantedOptions = { ...theirs, files: "any" } as const;
const decisionOptions = {
  task_id: "text",
  decision: "approved|denied|expired",
  reason: "text",
  // As files of decisions have them.
  id: "text",
  approved_by: "text",
  timestamp: "text",
} as const satisfies Options<object>;

export interface Decision {
  readonly task_id?: string;
  readonly decision: "approved" | "denied" | "expired";
  readonly reason?: string;
  /** What the client says itself of the decision. */
  readonly said: { readonly approved_by: string; readonly timestamp: string };
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

export function decisionOf(body: string, request: string): Decision {
  const fields = objectOf(body);
  return refuseInvalid(() => {
    checkOptions(fields, decisionOptions);
    check("`decision`", fields.decision, decisionOptions.decision);
    const { id = request, approved_by = "", timestamp = "", ...decision } = fields as unknown as Decision & StoredDecision;
    if (id !== request) refuse(400, "REQUEST_INVALID", "`id` is another request than the address names.");
    return { ...decision, said: { approved_by, timestamp } };
  });
}

interface StoredDecision {
  readonly id?: string;
  readonly approved_by?: string;
  readonly timestamp?: string;
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

/** The files of a form by the paths that they name: that of the field below `task/`, or else the name of the file. */
export async function formFiles(bytes: Uint8Array, contentType: string): Promise<SentFiles> {
  const response = new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { "content-type": contentType } });
  const invalid = (message: string, cause?: unknown): never => refuse(400, "REQUEST_INVALID", message, cause);
  const form = await response.formData().catch((error) => invalid("The request body is no form of multipart/form-data.", error));
  const files = new Map<string, SentFile>();
  for (const [name, content] of form) {
    if (files.size >= mostParts) invalid("The form has more than 1,000 parts.");
    const file = typeof content === "string" ? "" : content.name;
    const path = name.startsWith("task/") ? name : `task/${file}`;
    if (path === "task/") invalid(`The field \`${name}\` is neither a file nor named by a path below task/.`);
    if (files.has(path)) invalid(`Two parts of the form are \`${path}\`.`);
    files.set(path, typeof content === "string" ? content : new Uint8Array(await content.arrayBuffer()));
  }
  return Object.fromEntries(files);
}

/** More parts are no upload of a person's. */
const mostParts = 1_000;

async function bytesOf(path: string, content: unknown): Promise<string | Uint8Array> {
  if (typeof content === "string" || content instanceof Uint8Array) return content;
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
