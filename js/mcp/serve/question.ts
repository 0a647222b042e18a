// What a call asks a person, as a form of the protocol, and what their answers mean.

import type { ElicitRequestFormParams, InputResponseView } from "@modelcontextprotocol/server";
import type { JsonSchema } from "../../src/schema/types.js";
import type { GloveSession } from "../../src/session/session.js";
import type { Approval, GloveSnapshot, ShownSlot } from "../../src/snapshot/snapshot.js";
import type { Maybe } from "../../src/timing/sync-or-promise.js";
import { misleading } from "../../src/wire/visible-text.js";
import { askedForm } from "./asked-form.js";

/** Something that waits for a person. */
export interface Open {
  readonly id: string;
  /** The tool has not begun. */
  readonly before: boolean;
  readonly approval?: Approval;
  readonly slot?: ShownSlot;
}

/** What the renderer of a tool may answer, by the tool's name. */
export type AnswersOf = (toolName: string) => Maybe<JsonSchema | undefined>;

/** What waits first. The questions of approvals are among the slots too. */
export function openOf({ approvals: [approval], slots }: GloveSnapshot): Open | undefined {
  if (approval) return { id: approval.id, before: /^(permission|approval)$/.test(approval.kind), approval };
  const slot = slots.find(({ waits, status }) => waits && status === "pending");
  return slot && { id: slot.id, before: false, slot };
}

/** More than that nobody reads before they allow it. */
const mostLetters = 16_000;

type Form = Pick<ElicitRequestFormParams, "message" | "requestedSchema">;

/** The form; a sentence where a person cannot be asked so. */
export async function formOf({ approval, slot }: Open, answersOf: AnswersOf): Promise<Form | string> {
  const form = approval ? ofApproval(approval) : slot && (await ofSlot(slot, answersOf));
  if (typeof form !== "object") return form ?? "There is nothing to ask.";
  return form.message.length > mostLetters ? "What a person would have to read before they allow it is too long." : form;
}

function ofApproval({ kind, toolName, title, confirm, input, reason, danger }: Approval): Form {
  const what =
    kind === "interrupted"
      ? `The server stopped while "${toolName}" ran, and it may have done its work. Run it again?`
      : (confirm ?? title ?? (toolName ? `Run "${toolName}"?` : "Go on?"));
  const parts = [
    what,
    danger && "It cannot be taken back.",
    reason,
    // Whoever allows it sees what runs.
    toolName && input !== undefined && `${toolName} ${JSON.stringify(input, null, 2)}`,
  ];
  return {
    message: visible(parts.filter(Boolean).join("\n\n")),
    requestedSchema: {
      type: "object",
      properties: {
        approved: { type: "boolean", title: "Allow", default: false },
        reason: { type: "string", title: "Why not", maxLength: 1_000 },
      },
      required: ["approved"],
    },
  };
}

/** What could make it look like another text is shown as an escape. */
function visible(text: string): string {
  return text.replace(misleading, (found: string, written: string | undefined) =>
    written === undefined ? `\\u{${found.codePointAt(0)?.toString(16)}}` : found,
  );
}

async function ofSlot(slot: ShownSlot, answersOf: AnswersOf): Promise<Form | string> {
  const form = askedForm(slot, await answersOf(slot.toolName));
  return typeof form === "string" ? form : { message: visible(form.message), requestedSchema: form.schema };
}

/** Gives the session what the person has answered. Only `approved: true` allows anything. */
export async function answerOpen(
  session: GloveSession,
  open: Open,
  said: InputResponseView,
  answersOf: AnswersOf,
): Promise<boolean> {
  const { action, content = {} } = said.kind === "elicit" ? said : { action: "cancel" as const };
  const { approved, reason } = content as Readonly<Record<string, unknown>>;
  if (open.approval) {
    // What is kept for a tool is kept in a session, and each call has its own.
    if (action === "accept" && approved === true) return session.approve(open.id, { remember: false });
    return session.reject(open.id, typeof reason === "string" && reason ? reason.slice(0, 1_000) : undefined);
  }
  const form = open.slot && action === "accept" ? askedForm(open.slot, await answersOf(open.slot.toolName)) : "";
  const answer = typeof form === "string" ? undefined : form.answer(content);
  if (answer !== undefined) return session.resolveSlot(open.id, answer);
  // What does not fit is asked again.
  if (typeof form !== "string") return false;
  return session.rejectSlot(open.id, "The person gave no answer.");
}
