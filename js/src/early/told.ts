// What the model is told of tools, where that is known at once: a request with tools leaves as early as one without.

import type { ToolConfig } from "../ports/tool.js";
import { ownJsonSchema } from "../schema/own-json-schema.js";
import type { JsonSchema } from "../schema/types.js";
import { checkTool } from "../tools/options.js";
import { type TellableTool, withTaskTool } from "../tools/task-tool.js";

/** Nothing where the converter of a schema has to be loaded. Throws where a tool is wrong. `tasks`: whether the list of tasks is one of them. */
export function toldAtOnce(tools: readonly ToolConfig[], tasks: boolean | undefined): readonly TellableTool[] | undefined {
  const told: TellableTool[] = [];
  for (const tool of tools) {
    checkTool(tool);
    const { name, description, inputSchema } = tool;
    const schema: JsonSchema | undefined = tool.jsonSchema || (inputSchema && ownJsonSchema(inputSchema));
    if (!schema) return undefined;
    told.push({ name, description, schema });
  }
  return withTaskTool(told, tasks);
}
