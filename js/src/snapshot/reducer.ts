// What becomes of the state of a session with each thing that happens: the same in the page that runs it, in a tab that follows,
// and in a test.

import type { Task } from "../wire/record.js";
import { addPiece, answered, answerReducers, requestEnded } from "./answer.js";
import type { Of, Reducers, SnapshotEvent } from "./events.js";
import { pageReducers, reduceBy } from "./page-events.js";
import { requestReducers } from "./requests.js";
import { slotReducers } from "./slots.js";
import { type SessionState, withBase } from "./state.js";
import { timelineReducers, unread } from "./timeline.js";

const taskTool = "glove_update_tasks";

const reducers: Reducers<SnapshotEvent["kind"]> = {
  ...pageReducers,
  ...answerReducers,
  ...requestReducers,
  ...slotReducers,
  ...timelineReducers,
  event: afterCore,
};

export const reduce = /* @__PURE__ */ reduceBy(reducers);

/** What subscribers are told too. */
function afterCore(state: SessionState, { type, data }: Of<"event">): SessionState {
  const { text, code, message, until, tool_name, result } = data as {
    readonly text: string;
    readonly code: string;
    readonly message: string;
    readonly until: number;
    readonly tool_name?: string;
    readonly result?: { readonly data?: { readonly tasks?: readonly Task[] } };
  };
  switch (type) {
    case "text_delta":
      return addPiece(state, "text", text);
    case "reasoning_delta":
      return addPiece(state, "reasoning", text);
    case "model_retry":
      return withBase(state, { waiting: { code, until } });
    case "model_response":
    case "model_response_complete":
      return answered(state);
    case "request_finished":
      return requestEnded(state);
    case "model_notice":
      return code === "MEDIA_LEFT_OUT" ? unread(state, message) : state;
    case "tool_use_result": {
      const tasks = tool_name === taskTool ? result?.data?.tasks : undefined;
      return tasks ? withBase(state, { tasks }) : state;
    }
    default:
      return state;
  }
}
