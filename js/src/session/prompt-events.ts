// Reports on prompts, made from the events of their sessions.

import type { EventContext, SubscriberAdapter } from "../ports/subscriber.js";
import type { SubscriberEvent } from "../ports/subscriber-events.js";
import { check } from "../values/validate-options.js";
import type { PromptOutput } from "../wire/run-types.js";

/** What happens to a prompt; `prompt` is its id where it is known. */
export type PromptEvent = { readonly sessionId: string | undefined; readonly prompt: string | undefined } & (
  | { readonly type: "prompt.output"; readonly output: PromptOutput }
  | { readonly type: "prompt.completed"; readonly outcome: string }
  /** It failed or used up a budget, and `resume()` goes on with it. */
  | { readonly type: "prompt.paused"; readonly outcome: string }
  | {
      readonly type: "prompt.approval-requested";
      /** Answered with `session.approve(id)` or `session.reject(id)`. */
      readonly id: string;
      readonly toolName: string | undefined;
      readonly toolCallId: string | undefined;
      readonly input: unknown;
      readonly reason: string | undefined;
    }
);

/**
 * A subscriber that tells of prompts: each output when it is there, in the order of the record, an approval that is asked for, a pause, and the end.
 * Each output is told once, by the tab that runs the session.
 */
export function promptEvents(listener: (event: PromptEvent) => unknown): SubscriberAdapter {
  check("The listener", listener, "work");
  const running = new Map<string | undefined, string>();
  /** What was shown of an answer without an end. */
  const written = new Map<string | undefined, string>();
  /** The arguments of calls without an end. */
  const inputs = new Map<string, unknown>();
  return {
    record(type: string, data: unknown, context?: EventContext) {
      const sessionId = context?.sessionId;
      const event = { ...(data as object), type } as SubscriberEvent;
      const told = () => ({ sessionId, prompt: running.get(sessionId) });
      const output = (output: PromptOutput) => listener({ ...told(), type: "prompt.output", output });
      const key = (id: string) => `${sessionId} ${id}`;
      switch (event.type) {
        case "request_started":
          running.set(sessionId, event.request);
          return;
        case "text_delta":
          written.set(sessionId, (written.get(sessionId) ?? "") + event.text);
          return;
        case "request_finished": {
          const { request: prompt, outcome } = event;
          const text = written.get(sessionId);
          written.delete(sessionId);
          // It stays in the record.
          if (text) output({ type: "text", text });
          const type = /^(paused|model_failed|store_failed)$/.test(outcome) ? "prompt.paused" : "prompt.completed";
          listener({ sessionId, prompt, type, outcome });
          if (running.get(sessionId) === prompt) running.delete(sessionId);
          return;
        }
        case "model_response":
        case "model_response_complete":
          written.delete(sessionId);
          if (event.text) output({ type: "text", text: event.text });
          return;
        case "tool_use":
          inputs.set(key(event.id), event.input);
          return;
        case "tool_use_result": {
          const { call_id, tool_name, result, duration_ms, outputs = [] } = event;
          const end =
            result.status === "success"
              ? ({ type: "success", output: result.data } as const)
              : ({ type: "error", error: result.data ?? result.message ?? "" } as const);
          // After a reload, the call was reported before.
          const input = inputs.get(key(call_id)) ?? context?.inputOf?.(call_id);
          inputs.delete(key(call_id));
          output({ type: "tool", call_id, tool_name, input, result: end, ...(duration_ms !== undefined && { duration_ms }) });
          for (const shown of outputs) output(shown);
          return;
        }
        case "question_asked": {
          const { id, kind, tool_name: toolName, call_id: toolCallId, input, reason } = event;
          if (kind === "approval")
            listener({ ...told(), type: "prompt.approval-requested", id, toolName, toolCallId, input, reason });
        }
      }
    },
  };
}
