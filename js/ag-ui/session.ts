// What a client is given when its conversations are with an agent behind AG-UI.

import { definePlugin, type Plugin } from "../src/ports/plugin.js";
import type { GloveClientConfig } from "../src/session/client.js";
import { GloveError } from "../src/values/error.js";
import { checkOptions, type Options } from "../src/values/validate-options.js";
import { AgentModel, type AgUiOptions, ThreadMark } from "./agent/agent-model.js";
import { questionTool, stepTool } from "./agent/agent-tools.js";

/** The part of a client's settings that says whom its conversations are with. */
export type AgUiSession = Required<Pick<GloveClientConfig, "createModel" | "plugins" | "compaction" | "systemPrompt" | "tasks">>;

const options = {
  url: "text",
  headers: "any",
  fetch: "work",
  name: "text",
  forwardedProps: "any",
  onEvent: "work",
  idleMs: "large",
} as const satisfies Options<AgUiOptions>;

/**
 * For conversations with an agent behind AG-UI (LangGraph, Mastra, CrewAI, …): pass what it gives to
 * `new GloveClient({ ...createAgUiSession({ url }), tools })`. Hooks and `<Render>` are used as with any client. The loop, the instructions and
 * its own tools are the agent's; the record, the queue, approvals and the client's tools are the page's.
 */
export function createAgUiSession(given: AgUiOptions): AgUiSession {
  checkOptions(given, options);
  if (!given?.url) throw new GloveError("CLIENT_CONFIG", "createAgUiSession requires the `url` of the agent.");
  const { url, name = hostOf(url) } = given;
  const results = new Map<string, string>();
  const mark = new ThreadMark();
  const step = stepTool((session) => {
    const result = results.get(session);
    results.delete(session);
    return result;
  });
  const question = questionTool(name);
  const plugin: Plugin = definePlugin({
    id: "glove.ag-ui",
    required: true,
    prepare({ context, tools, conversation }) {
      context.add(mark.of(conversation.sessionId));
      tools.add(step, question);
    },
  });
  return {
    createModel: () => new AgentModel(given, results, mark),
    plugins: [plugin],
    // The agent keeps its own context, and has its own prompt and tasks.
    compaction: { compaction_context_limit: Number.POSITIVE_INFINITY },
    systemPrompt: "",
    tasks: false,
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
