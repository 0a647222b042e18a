// A workspace as one text: to keep, to send, or to go on with elsewhere (`glove run FOLDER --import FILE`).
import { GloveError } from "../../src/error.js";
import { fromBase64, toBase64 } from "../../src/values/base64.js";
import { check } from "../../src/values/validate-options.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import { core } from "../core.js";
import { checkWorkspace, type TaskWorkspace } from "./workspace.js";

const format = "glove-task-workspace";
/** A workspace has a task when one of these is there: they come last. */
const states = ["progress/state.previous.json", "progress/state.json"];

/** What is no text is there as base64. */
type Content = string | { readonly base64: string };

/** All files of a workspace as JSON. Best while nobody runs its task: what is written meanwhile may be missing. */
export async function exportWorkspace(workspace: TaskWorkspace): Promise<string> {
  checkWorkspace(workspace);
  const files: Record<string, Content> = {};
  for (const folder of ["task", "progress"]) {
    for (const { path } of await workspace.list(folder)) {
      const content = await workspace.read(path);
      if (content) files[path] = textOf(content) ?? { base64: await toBase64(content) };
    }
  }
  return JSON.stringify({ format, version: 1, files });
}

/** Puts what `exportWorkspace` gave into a workspace that has no task. */
export async function importWorkspace(workspace: TaskWorkspace, json: string): Promise<void> {
  checkWorkspace(workspace);
  const files = filesOf(check("The export", json, "text"));
  const release = await workspace.lease();
  if (!release) throw new GloveError("TASK_IN_USE", "Another runner works on the task of this workspace.");
  try {
    if ((await Promise.all(states.map((path) => workspace.read(path)))).some(Boolean)) {
      throw new GloveError("TASK_EXISTS", "There is a task in this workspace already: import into an empty one.");
    }
    const { workspacePath } = await core.load();
    const checked = new Map<string, string | Uint8Array>();
    for (const [given, content] of Object.entries(files)) {
      const path = cleanPath(given, workspacePath as (path: string) => string);
      if (checked.has(path)) throw unreadable(`\`${path}\` is there twice`);
      checked.set(path, await contentOf(path, content));
    }
    const last = (path: string) => states.indexOf(path);
    for (const [path, content] of [...checked].sort(([a], [b]) => last(a) - last(b))) await workspace.write(path, content);
  } finally {
    release();
  }
}

function textOf(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

const unreadable = (why: string) =>
  new GloveError("TASK_EXPORT_INVALID", `This is not an exported workspace: ${why}. Give what \`exportWorkspace\` returned.`);

function filesOf(json: string): Readonly<Record<string, unknown>> {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    throw unreadable("it is not JSON");
  }
  const { format: found, version, files } = Object(read) as { format?: unknown; version?: unknown; files?: unknown };
  if (found !== format) throw unreadable(`its \`format\` is not "${format}"`);
  if (version !== 1) throw unreadable(`its version is ${JSON.stringify(version)}, and this one reads 1`);
  if (typeof files !== "object" || files === null) throw unreadable("it has no `files`");
  return files as Record<string, unknown>;
}

function cleanPath(path: string, parse: (path: string) => string): string {
  try {
    const clean = parse(path);
    if (["task", "progress"].some((folder) => clean.startsWith(`${folder}/`))) return clean;
  } catch (thrown) {
    throw fromCore(thrown);
  }
  throw unreadable(`\`${path}\` is neither below task/ nor below progress/`);
}

async function contentOf(path: string, content: unknown): Promise<string | Uint8Array> {
  if (typeof content === "string") return content;
  const base64: unknown = Object(content).base64;
  const bytes = typeof base64 === "string" ? await fromBase64(base64) : undefined;
  if (bytes) return bytes;
  throw unreadable(`\`${path}\` is neither a text nor base64`);
}
