// Tools that the application runs at the other end: a call waits, as a question waits for a person, until its result comes with a later request.

import type { HasState } from "../../src/ports/plugin-state.js";
import type { ToolConfig } from "../../src/ports/tool.js";
import { yielding } from "../../src/tools/combined-tools.js";
import type { ToolResultData } from "../../src/wire/record.js";
import type { ClientTool, ToolAnswer } from "./run-input.js";

/** What such a call shows. */
export const clientRenderer = "ag_ui_client_tool";

/**
 * The state that a client and a session share, for tools: `display.state(agUiState)`. A client gives it with each request, the model reads it, and
 * what a tool sets is told to the client before the next call of the model.
 */
export const agUiState: HasState<unknown> = { id: "glove.ag-ui.state", initialState: {} };

export function clientTool({ name, description, parameters }: ClientTool): ToolConfig {
  const tool: ToolConfig = {
    name,
    description,
    jsonSchema: parameters,
    // Whoever runs it checks it: a schema from outside is run by nobody here.
    inputSchema: { "~standard": { version: 1, vendor: "glove-wasm", validate: (value: unknown) => ({ value }) } },
    // It does nothing but wait, so it may wait again, and beside others.
    idempotent: true,
    parallel: true,
    async do(_, display): Promise<ToolResultData> {
      const { content, error } = (await display.pushAndWait({ renderer: clientRenderer, input: null })) as ToolAnswer;
      return error === undefined
        ? { status: "success", data: content }
        : { status: "error", data: content || null, message: error };
    },
  };
  yielding.add(tool);
  return tool;
}
