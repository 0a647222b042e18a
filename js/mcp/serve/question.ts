// What a call asks a person, as a form of the protocol, and what their answers mean.

import type { ElicitRequestFormParams, InputResponseView } from "@modelcontextprotocol/server";
import type { GloveSession } from "../../src/session/session.js";
import type { Approval, GloveSnapshot, ShownSlot } from "../../src/snapshot/snapshot.js";
import type { Maybe } from "../../src/timing/sync-or-promise.js";
import { misleading } from "../../src/wire/visible-text.js";

/** Something that waits for a person. */
export interface Open {
  readonly id: string;
  /** The tool has not begun. */
  readonly before: boolean;
  readonly approval?: Approval;
  readonly slot?: ShownSlot;
}

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
export function formOf({ approval, slot }: Open): Form | string {
  const form = approval ? ofApproval(approval) : slot && ofSlot(slot);
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

/** Of the questions that need no component. Secrets have no place in a form. */
function ofSlot({ renderer, input, toolName }: ShownSlot): Form | string {
  const { message, options, default: usual } = Object(input) as Readonly<Record<string, unknown>>;
  const choices = (Array.isArray(options) ? options : []).map((one: unknown) => {
    const { value = one, label = value } = Object(one) as { readonly value?: unknown; readonly label?: unknown };
    return { const: String(value), title: String(label) };
  });
  if (renderer === "confirm" && choices.length === 0) choices.push({ const: "yes", title: "Yes" }, { const: "no", title: "No" });
  const chosen = /^(confirm|select)$/.test(renderer) && choices.length > 0;
  // A tool may have a renderer of its own, which has its name.
  if (renderer === toolName || (!chosen && renderer !== "input"))
    return `"${toolName}" asked something that a client of MCP cannot show.`;
  const preset = typeof usual === "string" && { default: usual };
  return {
    message: visible(typeof message === "string" ? message : toolName),
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Answer", ...(chosen ? { oneOf: choices } : preset) } },
      required: ["answer"],
    },
  };
}

/** Gives the session what the person has answered. Only `approved: true` allows anything. */
export function answerOpen(session: GloveSession, open: Open, said: InputResponseView): Maybe<boolean> {
  const { action, content = {} } = said.kind === "elicit" ? said : { action: "cancel" as const };
  const { approved, reason, answer } = content as Readonly<Record<string, unknown>>;
  if (open.approval) {
    // What is kept for a tool is kept in a session, and each call has its own.
    if (action === "accept" && approved === true) return session.approve(open.id, { remember: false });
    return session.reject(open.id, typeof reason === "string" && reason ? reason.slice(0, 1_000) : undefined);
  }
  if (action === "accept" && typeof answer === "string") return session.resolveSlot(open.id, answer);
  return session.rejectSlot(open.id, "The person gave no answer.");
}
