// glove's chat endpoint: what a server of the original's builds on.
import { unanswered } from "./chat-rules.js";
import type { Body, Judged } from "./types.js";

export function endpointRules({ body, add }: Judged): void {
  const names = (body.tools ?? []).map(({ name }: Body) => name);
  if (new Set(names).size < names.length) add("tools.unique", "/tools", "Tool names must be unique.");
  let waiting: string[] = [];
  const ids = new Set<string>();
  for (const [at, message] of body.messages.entries()) {
    const where = `/messages/${at}`;
    for (const key of ["prompt_id", "framework_context", "usage", "slots", "at"]) {
      if (key in message) add("endpoint.private", `${where}/${key}`, `\`${key}\` is not for the other side.`);
    }
    for (const { call_id } of message.tool_results ?? []) {
      if (!waiting.includes(call_id)) add("calls.known", where, `A result of a call that is not known: ${call_id}`);
      waiting = waiting.filter((id) => id !== call_id);
    }
    if (message.tool_results) continue;
    unanswered(waiting, where, add);
    waiting = [];
    for (const { id } of message.tool_calls ?? []) {
      if (ids.has(id)) add("calls.unique", where, `Two calls are called ${id}.`);
      ids.add(id);
      waiting.push(id);
    }
  }
  unanswered(waiting, "/messages", add);
}
