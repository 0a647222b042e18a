// A session of the core over parts of the application's own: what `Agent` and `Executor` run their tools with.

import type { Core } from "../ports/core.js";
import { checkParts, type SessionConfig } from "../ports/session-config.js";
import type { StoreAdapter } from "../ports/store.js";
import type { ToolConfig } from "../ports/tool.js";
import { GloveSession } from "../session/session.js";
import { reasonOf } from "../values/error.js";
import type { HandOverFunction, Tool } from "./tool.js";

export interface LoopSession extends SessionConfig {
  readonly store: StoreAdapter;
  /** Answers permissions. Without it none is granted. */
  handOver(): HandOverFunction | undefined;
  /** Told of every event of the session. */
  record(type: string, data: unknown): void;
}

export function loopSession({ handOver, record, store, ...config }: LoopSession, core: Core): GloveSession {
  // The application gives its own task list as a tool, if at all.
  const parts = { ...config, store, sessionId: store.identifier, tasks: false };
  const session = new GloveSession(checkParts({ ...parts, subscribers: [{ record }] }), core);
  const asked = new Set<string>();
  // Permissions are slots of the session; here whoever handed over answers them.
  session.displayManager.subscribe((stack) => {
    for (const { id, renderer, input } of stack) {
      if (renderer !== "permission_request" || asked.has(id)) continue;
      asked.add(id);
      const ask = handOver();
      const answer = async () => {
        // Turned down, and not remembered: nobody has decided anything.
        if (!ask) session.rejectSlot(id);
        else session.resolveSlot(id, Boolean(await ask({ renderer, ...(input as object) })));
      };
      answer().catch((thrown: unknown) => session.rejectSlot(id, reasonOf(thrown)));
    }
  });
  return session;
}

export function toolConfig(tool: Tool, handOver: () => HandOverFunction | undefined, maxRetries: number): ToolConfig {
  const { name, description, input_schema, jsonSchema, requiresPermission, unAbortable, idempotent } = tool;
  return {
    name,
    description,
    maxRetries,
    // Here a tool need not say what it takes.
    ...(input_schema ? { inputSchema: input_schema } : { jsonSchema: jsonSchema ?? {} }),
    ...(requiresPermission !== undefined && { requiresPermission }),
    ...(unAbortable !== undefined && { unAbortable }),
    ...(idempotent !== undefined && { idempotent }),
    do: (input, _display, _agent, signal) => tool.run(input, handOver(), signal),
  };
}
