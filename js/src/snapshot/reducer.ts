// What becomes of the state of a session with each thing that happens: the same in the page that runs it, in a tab that follows,
// and in a test.

import type { Task } from "../wire/record.js";
import { addPiece, answered, answerReducers, requestEnded } from "./answer.js";
import type { Of, PageChanges, Reducers, SnapshotEvent } from "./events.js";
import { queueOf, requestReducers } from "./requests.js";
import { slotReducers } from "./slots.js";
import { type SessionState, type SlotContext, withShown } from "./state.js";
import { timelineReducers } from "./timeline.js";

const taskTool = "glove_update_tasks";

const reducers: Reducers<SnapshotEvent["kind"]> = {
  ...answerReducers,
  ...requestReducers,
  ...slotReducers,
  ...timelineReducers,
  page: (state, { changes }) => (isShown(state.shown, changes) ? state : withShown(state, changes)),
  event: afterCore,
};

/**
 * The state after an event. Nothing of the one before is changed, but for the timeline and arguments of calls that are being written:
 * what of them is in `unseen` is in no snapshot yet, and grows in place.
 */
export function reduce<Kind extends SnapshotEvent["kind"]>(
  before: SessionState,
  event: Of<Kind>,
  context: SlotContext,
  unseen: WeakSet<object> = new WeakSet(),
): SessionState {
  const state = reducers[event.kind as Kind](before, event, context, unseen);
  const { core, sent, kept } = state;
  if (core === before.core && sent === before.sent && kept === before.kept) return state;
  const queue = queueOf(state);
  return queue === state.shown.queue ? state : withShown(state, { queue });
}

/** Stores give another list each time, also of nothing. */
function isShown(shown: SessionState["shown"], changes: PageChanges): boolean {
  const nothing = (value: unknown) => Array.isArray(value) && value.length === 0;
  const names = Object.keys(changes) as (keyof PageChanges)[];
  return names.every((name) => shown[name] === changes[name] || (nothing(shown[name]) && nothing(changes[name])));
}

/** What subscribers are told too. */
function afterCore(state: SessionState, { type, data }: Of<"event">): SessionState {
  const { text, tool_name, result } = data as {
    readonly text: string;
    readonly tool_name?: string;
    readonly result?: { readonly data?: { readonly tasks?: readonly Task[] } };
  };
  switch (type) {
    case "text_delta":
      return addPiece(state, "text", text);
    case "reasoning_delta":
      return addPiece(state, "reasoning", text);
    case "model_response":
    case "model_response_complete":
      return answered(state);
    case "request_finished":
      return requestEnded(state);
    case "tool_use_result": {
      const tasks = tool_name === taskTool ? result?.data?.tasks : undefined;
      return tasks ? withShown(state, { tasks }) : state;
    }
    default:
      return state;
  }
}
