// What becomes of the state of a session with each thing that happens: the same in the page that runs it, in a tab that follows,
// and in a test.

import type { CoreEvent } from "../wasm/core-api.js";
import { fromCore } from "../wasm/core-errors.js";
import type { Task } from "../wire/record.js";
import { addInput, addPiece, answered, modelAsked, modelFailed, type PieceKind, renewed, requestEnded } from "./answer.js";
import * as requests from "./requests.js";
import { answerRefused, setSlots } from "./slots.js";
import { type SessionState, type SlotContext, type Written, withShown } from "./state.js";
import { changeTimeline } from "./timeline.js";

const taskTool = "glove_update_tasks";

/** What the page says of itself. */
export type PageChanges = Partial<Pick<SessionState["shown"], "sessionReady" | "storage" | "tasks" | "inbox" | "error" | "tab">>;

/** What happens in the page. */
export type PageEvent =
  | { readonly kind: "page"; readonly changes: PageChanges }
  /** A message; it `waits` where it cannot be given to the core at once. */
  | { readonly kind: "sent"; readonly id: string; readonly text: string; readonly waits: boolean }
  /** The core has been given the message, or it still is on its way after a while. */
  | { readonly kind: "given" | "slow"; readonly id: string }
  /** The session could not be opened for the message. */
  | { readonly kind: "kept"; readonly id: string; readonly text: string }
  | { readonly kind: "dropped"; readonly id: string }
  /** The promise of a request has settled. */
  | { readonly kind: "settled"; readonly id: string; readonly error: Error | undefined }
  /** A run has failed or paused a moment ago, and nobody has told how it ended. */
  | { readonly kind: "unsettled" }
  | { readonly kind: "refused"; readonly slot: string; readonly error: string }
  /** A call of a model of the page: it begins, gives a piece of its answer, gives none. */
  | { readonly kind: "asked" | "failed"; readonly call: number }
  | { readonly kind: "piece"; readonly of: PieceKind; readonly text: string; readonly call: number }
  /** Another core tells from now on, and tells all of it; of the answer that is being written only what is told here. */
  | { readonly kind: "renewed"; readonly written?: Written }
  /** The core is gone, and what ran there is to be taken up again, or is `over`. */
  | { readonly kind: "lost"; readonly error: Error; readonly over: boolean };

export type SnapshotEvent = CoreEvent | PageEvent;

/**
 * The state after an event. Nothing of the one before is changed, but for arguments of calls that are being written: what of them
 * is in `unseen` is in no snapshot yet, and grows in place.
 */
export function reduce(
  before: SessionState,
  event: SnapshotEvent,
  context: SlotContext,
  unseen: WeakSet<object> = new WeakSet(),
): SessionState {
  const state = after(before, event, context, unseen);
  const { core, sent, kept } = state;
  if (core === before.core && sent === before.sent && kept === before.kept) return state;
  return withShown(state, { queue: requests.queueOf(state) });
}

function after(state: SessionState, event: SnapshotEvent, context: SlotContext, unseen: WeakSet<object>): SessionState {
  switch (event.kind) {
    case "timeline":
      return changeTimeline(state, event, context);
    case "input":
      return addInput(state, event, unseen);
    case "slots":
      return setSlots(state, event.slots, context);
    case "state":
      return requests.setRun(state, event, context);
    case "event":
      return afterCore(state, event.type, event.data);
    case "page":
      return withShown(state, event.changes);
    case "sent":
      return requests.sent(state, event.id, event.text, event.waits);
    case "given":
      return requests.waits(state, event.id, false);
    case "slow":
      return requests.waits(state, event.id, true);
    case "kept":
      return requests.kept(state, event.id, event.text);
    case "dropped":
      return requests.dropped(state, event.id);
    case "settled":
      return requests.settled(state, event.id, event.error);
    case "unsettled":
      return { ...state, ending: false };
    case "refused":
      return answerRefused(state, event.slot, event.error);
    case "asked":
      return modelAsked(state, event.call);
    case "failed":
      return modelFailed(state, event.call);
    case "piece":
      return addPiece(state, event.of, event.text, event.call);
    case "renewed":
      return renewed(state, event.written);
    case "lost":
      return requests.lost(state, event.error, event.over, context);
  }
}

/** What subscribers are told too. */
function afterCore(state: SessionState, type: string, data: unknown): SessionState {
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
    case "error":
      return requests.reported(state, fromCore(data));
    default:
      return state;
  }
}
