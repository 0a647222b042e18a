// The events that subscribers receive.
import type { Message, SideOutput, ToolCall, ToolResultData, Usage } from "../wire/record.js";

/** What a model answered. */
interface ModelAnswered {
  readonly text: string;
  readonly tool_calls: ToolCall[];
  readonly stop_reason?: string;
  readonly tokens_in: number;
  readonly tokens_out: number;
}

/** One event with its data. Later versions may add events. */
export type SubscriberEvent =
  | { readonly type: "request_started"; readonly request: string }
  | { readonly type: "request_finished"; readonly request: string; readonly outcome: string }
  | { readonly type: "text_delta" | "reasoning_delta"; readonly text: string }
  | { readonly type: "tool_input_delta"; readonly id: string; readonly name: string; readonly delta: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: "tool_use_result";
      readonly tool_name: string;
      readonly call_id: string;
      /** The same as `tool_name` and `call_id`. */
      readonly name: string;
      readonly id: string;
      readonly result: ToolResultData;
      readonly duration_ms?: number;
      /** What the tool showed beside its result. */
      readonly outputs?: readonly SideOutput[];
    }
  | ({ readonly type: "model_response" } & ModelAnswered)
  | ({ readonly type: "model_response_complete" } & ModelAnswered)
  | { readonly type: "token_consumption"; readonly consumption: Usage }
  | { readonly type: "compaction_start"; readonly current_token_consumption: number }
  | { readonly type: "compaction_end"; readonly current_token_consumption: number; readonly summary_message?: Message }
  | {
      readonly type: "question_asked";
      readonly id: string;
      readonly kind: "permission" | "approval" | "interrupted" | "budget";
      readonly call_id?: string;
      readonly tool_name?: string;
      readonly input?: unknown;
      readonly reason?: string;
      readonly asked_at: number;
    }
  | { readonly type: "question_answered"; readonly id: string; readonly allowed: boolean }
  | { readonly type: "guard"; readonly rule: string; readonly message: string }
  | { readonly type: "skill_taken_up"; readonly name: string; readonly by: "model" | "person" }
  | { readonly type: "hook_started"; readonly name: string; readonly args: string }
  | { readonly type: "hook_completed"; readonly name: string; readonly outcome: "sent" | "rewritten" | "answered" | "stopped" }
  | { readonly type: "hook_failed"; readonly name: string; readonly code: string; readonly message: string }
  | { readonly type: "agent_started"; readonly name: string; readonly call_id: string; readonly session: string }
  | {
      readonly type: "agent_finished";
      readonly name: string;
      readonly call_id: string;
      readonly session: string;
      readonly outcome: string;
    }
  | { readonly type: "model_retry"; readonly code: string; readonly wait_ms: number; readonly until: number }
  | { readonly type: "model_notice" | "error" | "warning"; readonly code: string; readonly message: string };

/** The event of one type, as `SubscriberEventOf<"tool_use">`. */
export type SubscriberEventOf<T extends SubscriberEvent["type"]> = SubscriberEvent & { readonly type: T };

/** The data of each type of event: the second argument of a subscriber's `record`. */
export type SubscriberEventDataMap = {
  readonly [T in SubscriberEvent["type"]]: Omit<SubscriberEventOf<T>, "type">;
};
