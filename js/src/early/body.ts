// The body of the first request of a new session, letter by letter as the core will write it (`src/providers/endpoint/request.rs`).

import type { JsonSchema } from "../schema/types.js";
import type { TellableTool } from "../tools/task-tool.js";

/** What such a body is made of. */
export interface FirstRequest {
  readonly systemPrompt: string;
  /** In the order in which the model is told of them. */
  readonly tools: readonly TellableTool[];
  readonly text: string;
}

export function firstBody({ systemPrompt, tools, text }: FirstRequest): string {
  const told = tools.map(({ name, description, schema }) => ({
    name,
    description,
    parameters: objectSchema(schema as JsonSchema),
  }));
  return JSON.stringify({
    systemPrompt,
    ...(told.length && { tools: told }),
    messages: [{ sender: "user", text }],
  });
}

/** An object with properties, without the name of its dialect. */
function objectSchema({ $schema, ...schema }: JsonSchema): JsonSchema {
  const { type = "object", properties = {} } = schema;
  return { ...schema, type, properties } as JsonSchema;
}
