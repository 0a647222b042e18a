// The title of a session: what a person wrote first, in one line.
import type { Message } from "../../wire/record.js";

const longestTitle = 120;

/** What a person wrote first, in one line. */
export function titleOf(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => isFromPerson(message) && message.text.trim());
  const line = (first?.pre_modified_text ?? first?.text)?.trim().replace(/\s+/g, " ");
  const letters = [...(line ?? "")];
  return letters.length > longestTitle ? `${letters.slice(0, longestTitle - 1).join("")}…` : line;
}

/** Written by a person, not put in by the framework. */
function isFromPerson(message: Message): boolean {
  const { sender, tool_results, is_compaction, is_compaction_request, is_skill_injection, framework_context } = message;
  return (
    sender === "user" &&
    !tool_results?.length &&
    !is_compaction &&
    !is_compaction_request &&
    !is_skill_injection &&
    !framework_context
  );
}
