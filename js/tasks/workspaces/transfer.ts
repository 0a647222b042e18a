// A workspace as one text: to keep, to send, or to go on with elsewhere (`glove run FOLDER --import FILE`).

import { fromBase64, toBase64 } from "../../src/values/base64.js";
import { GloveError } from "../../src/values/error.js";
import { check } from "../../src/values/validate-options.js";
import { fromCore } from "../../src/wasm/core-errors.js";
import { core } from "../core.js";
import { checkWorkspace, type TaskWorkspace } from "./workspace.js";

const format = "glove-task-workspace";
/** A workspace has a task when one of these is there. */
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

/** Puts what `exportWorkspace` gave into a workspace that has no task. What is written of one that fails on the way is removed. */
export async function importWorkspace(workspace: TaskWorkspace, json: string): Promise<void> {
  checkWorkspace(workspace);
  const checked = await filesOf(check("The export", json, "text"));
  const release = await workspace.lease();
  if (!release) throw new GloveError("TASK_IN_USE", "Another runner works on the task of this workspace.");
  const made: string[] = [];
  try {
    if ((await Promise.all(states.map((path) => workspace.read(path)))).some(Boolean)) {
      throw new GloveError("TASK_EXISTS", "There is a task in this workspace already: import into an empty one.");
    }
    for (const [path, content] of checked) {
      const isNew = !(await workspace.read(path));
      await workspace.write(path, content);
      if (isNew) made.push(path);
    }
  } catch (error) {
    // The first failure is the one to tell.
    await Promise.allSettled(made.map((path) => workspace.remove(path)));
    throw error;
  } finally {
    release();
  }
}

/** By the rules of the core, in the order in which they are written: a state comes last. */
async function filesOf(json: string): Promise<Map<string, string | Uint8Array>> {
  const { exportedPaths, workspacePath } = await core.load();
  let paths: string[];
  try {
    paths = JSON.parse((exportedPaths as (json: string) => string)(json)) as string[];
  } catch (thrown) {
    throw fromCore(thrown);
  }
  const { files } = JSON.parse(json) as { readonly files: Readonly<Record<string, unknown>> };
  const clean = workspacePath as (path: string) => string;
  const contents = new Map(Object.entries(files).map(([path, content]) => [clean(path), content]));
  const checked = new Map<string, string | Uint8Array>();
  for (const path of paths) checked.set(path, await contentOf(path, contents.get(path)));
  return checked;
}

function textOf(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

async function contentOf(path: string, content: unknown): Promise<string | Uint8Array> {
  if (typeof content === "string") return content;
  const base64: unknown = Object(content).base64;
  const bytes = typeof base64 === "string" ? await fromBase64(base64) : undefined;
  if (bytes) return bytes;
  const message = `This is not an exported workspace: \`${path}\` is neither a text nor base64. Give what \`exportWorkspace\` returned.`;
  throw new GloveError("TASK_EXPORT_INVALID", message);
}
