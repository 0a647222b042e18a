// A hook answers again what it has answered, and no model does. Loaded where an answer is regenerated and there are hooks.
import type { SessionPort } from "../ports/session.js";

/** The message that a hook has answered last, to be said again in its place; nothing where a model has answered. */
export async function saidToHook(session: SessionPort) {
  const { timeline } = session.getSnapshot();
  const messages = await session.messages();
  const find = (id: string | undefined) => messages.findLast((message) => message.id !== undefined && message.id === id);
  const said = find(timeline.findLast(({ kind }) => kind === "user")?.id);
  if (!said?.id || find(timeline.at(-1)?.id)?.framework_context !== "hook") return undefined;
  const { metadata } = said as { readonly metadata?: Record<string, unknown> };
  return { text: said.pre_modified_text ?? said.text, edits: said.id, ...(metadata && { metadata }) };
}
