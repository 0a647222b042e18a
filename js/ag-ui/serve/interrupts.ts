// What a session asks a person, as interrupts of AG-UI, and what their answers mean.

import type { GloveSession } from "../../src/session/session.js";
import type { Approval, GloveSnapshot, ShownSlot } from "../../src/snapshot/snapshot.js";
import type { Maybe } from "../../src/timing/sync-or-promise.js";
import { clientRenderer } from "./client-tools.js";
import type { ResumeEntry } from "./run-input.js";

/** The questions that wait, other than calls of the client's tools. Those of `approvals` are among the slots too. */
const questions = ({ slots, approvals }: GloveSnapshot) =>
  slots.filter(
    ({ id, waits, status, renderer }) =>
      waits && status === "pending" && renderer !== clientRenderer && !approvals.some((approval) => approval.id === id),
  );

/** Calls that the client runs. */
export const clientCalls = ({ slots }: GloveSnapshot): ShownSlot[] =>
  slots.filter(({ waits, status, renderer }) => waits && status === "pending" && renderer === clientRenderer);

/** The ids of what waits for a person. */
export const openIds = (snapshot: GloveSnapshot): string[] => [...snapshot.approvals, ...questions(snapshot)].map(({ id }) => id);

export const interruptsOf = (snapshot: GloveSnapshot): object[] => [
  ...snapshot.approvals.map(ofApproval),
  ...questions(snapshot).map(ofSlot),
];

function ofApproval({ id, kind, toolName, title, confirm, toolCallId, input, reason }: Approval): object {
  const what = confirm ?? title ?? toolName ?? kind;
  return {
    id,
    reason: toolCallId === undefined || kind === "interrupted" ? `glove:${kind}` : "tool_call",
    message: reason ? `${what}\n\n${reason}` : what,
    ...(toolCallId !== undefined && { toolCallId }),
    responseSchema: {
      type: "object",
      properties: {
        approved: { type: "boolean" },
        reason: { type: "string" },
        ...(kind === "permission" && { remember: { type: "boolean", description: "Allows it from now on." } }),
      },
      required: ["approved"],
    },
    // Whoever allows it sees what runs.
    metadata: { glove: { kind, ...(toolName !== undefined && { toolName }), ...(input !== undefined && { input }) } },
  };
}

function ofSlot({ id, renderer, input, toolName, toolCallId }: ShownSlot): object {
  const { message, options } = Object(input) as { readonly message?: unknown; readonly options?: unknown };
  return {
    id,
    reason: "input_required",
    message: typeof message === "string" ? message : toolName,
    ...(toolCallId !== "" && { toolCallId }),
    responseSchema: { type: "object", properties: { answer: answerOf(renderer, options) }, required: ["answer"] },
    metadata: { glove: { kind: "question", toolName, renderer, input } },
  };
}

/** Of the questions that need no component; whatever others take, their tool checks. */
function answerOf(renderer: string, options: unknown): object {
  const values = (Array.isArray(options) ? options : []).map((one: unknown) =>
    typeof one === "string" ? one : Object(one).value,
  );
  if (values.length > 0 && /^(select|confirm)$/.test(renderer)) return { type: "string", enum: values };
  if (renderer === "confirm") return { type: "string", enum: ["yes", "no"] };
  return /^(input|secret|select)$/.test(renderer) ? { type: "string" } : {};
}

/** Whether it was taken. Only `approved: true` allows anything. */
export function answer(session: GloveSession, { interruptId: id, cancelled, payload }: ResumeEntry): Maybe<boolean> {
  const { approved, reason, remember, answer } = Object(payload) as Readonly<Record<string, unknown>>;
  if (session.getSnapshot().approvals.some((approval) => approval.id === id)) {
    if (!cancelled && approved === true) return session.approve(id, { remember: remember === true });
    return session.reject(id, typeof reason === "string" ? reason : undefined);
  }
  return cancelled ? session.rejectSlot(id, "The person gave no answer.") : session.resolveSlot(id, answer);
}
