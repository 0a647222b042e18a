// What comes of a task as a value with a schema: the agent gives it with a tool, and it stands in a file like all that it makes.

import type { ToolConfig } from "../src/ports/tool.js";
import { checkWithSchema, issuesText } from "../src/schema/check.js";
import type { InferOutput, Schema } from "../src/schema/types.js";
import { defineTool } from "../src/tools/define.js";
import { GloveError } from "../src/values/error.js";
import { decodeUtf8 } from "../src/values/utf8.js";
import { check } from "../src/values/validate-options.js";
import type { TaskWorkspace } from "./workspaces/workspace.js";

const path = "progress/artifacts/output.json";

/** A value that a task is to give. */
export interface TaskOutput<T> {
  /** Gives it: one of the `tools` of the agent. */
  readonly tool: ToolConfig;
  /** What a task has given so far; nothing where it has given none. */
  read(workspace: Pick<TaskWorkspace, "read">): Promise<T | undefined>;
}

/**
 * A value that a task is to give, typed and checked by a schema of an object. What does not fit the model reads, and gives again. The value
 * stands in `progress/artifacts/output.json`, so the schema must accept what it gives, as JSON.
 */
export function taskOutput<S extends Schema>(
  schema: S,
  description = "Gives what comes of the task.",
): TaskOutput<InferOutput<S>> {
  check("`description`", description, "text");
  const checked = async (value: unknown) => {
    const found = await checkWithSchema(schema, value);
    if ("value" in found) return found.value as InferOutput<S>;
    throw new GloveError("TASK_OUTPUT_INVALID", `The output does not fit its schema: ${issuesText(found.issues)}.`);
  };
  const tool = defineTool({
    name: "give_output",
    description: `${description} Call it when the work is done; calling it again replaces what was given.`,
    inputSchema: schema as never,
    idempotent: true,
    async do(input, { files }) {
      if (!files) throw new GloveError("TASK_OUTPUT_INVALID", "This tool is for tasks, and there is none.");
      const text = JSON.stringify(input, null, 2);
      await checked(JSON.parse(text));
      await files.write(path, `${text}\n`);
      return { path };
    },
  });
  return {
    tool: tool as ToolConfig,
    async read(workspace) {
      const content = await workspace.read(path);
      if (!content) return undefined;
      let value: unknown;
      try {
        value = JSON.parse(decodeUtf8(content));
      } catch {
        throw new GloveError("TASK_OUTPUT_INVALID", `\`${path}\` is no JSON: somebody has edited it.`);
      }
      return checked(value);
    },
  };
}
