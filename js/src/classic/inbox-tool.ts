// Waiting for something from outside, as a tool.

import type { JsonSchema } from "../schema/types.js";
import { generateId } from "../values/ids.js";
import type { Context } from "./context.js";
import type { Tool } from "./tool.js";

interface Post {
  readonly tag: string;
  readonly request: string;
  readonly blocking?: boolean;
}

const post: JsonSchema = {
  type: "object",
  properties: {
    tag: { type: "string", minLength: 1, description: "A short name for what this is about" },
    request: { type: "string", minLength: 1, description: "What is waited for" },
    blocking: { type: "boolean", description: "Nothing that depends on it may be done before" },
  },
  required: ["tag", "request"],
};

/** Lets an agent wait for something that another program will answer: an email, a build. The model reads the answer with a later request. */
export function createInboxTool(context: Context): Tool<Post> {
  return {
    name: "glove_post_to_inbox",
    description:
      "Post a request that something outside of this conversation will answer later. You are told when it is answered.",
    jsonSchema: post,
    async run({ tag, request, blocking = false }) {
      const item = {
        id: `inbox_${generateId()}`,
        tag,
        request,
        blocking,
        status: "pending",
        created_at: new Date().toISOString(),
      };
      await context.addInboxItem(item);
      return { id: item.id, status: item.status };
    },
  };
}
