// Which messages have a file that nobody can read, loaded when a model was asked without one.
import type { ContentPart, Message } from "../wire/record.js";

/** The ids of the messages of the user that have one, the oldest first. */
export const withBroken = (messages: readonly Message[]): (string | undefined)[] =>
  messages.filter(({ sender, content }) => sender === "user" && content?.some(isBroken)).map(({ id }) => id);

/** As `providers/request/media.rs` has it: base64 of whatever alphabet, with line breaks and without its end too. */
function isBroken({ source }: ContentPart): boolean {
  if (source?.type !== "base64" || !source.data) return false;
  const digits = source.data
    .replace(/^data:[^,]*;base64,/, "")
    .replace(/=+\s*$/, "")
    .replace(/\s/g, "");
  return !/^[\w+/-]+$/.test(digits) || digits.length % 4 === 1;
}
