// A call of an app: a prompt of the conversation, which no model is asked about.

import type { ModelAdapter } from "../../src/ports/model.js";
import { appPrompts, outsideModels, type PluginRound } from "../../src/ports/plugin.js";
import type { GloveSession } from "../../src/session/session.js";
import type { ToolResultData } from "../../src/wire/record.js";
import { type OutsideCall, outsideCaller, outsideCallOf, outsideReason, outsideResult } from "../tools/outside-call.js";

const headOf = (server: string) => `An app of the server "${server}" runs a tool:`;

/** What such a prompt calls; nothing where the round is another one. Only this page's own code names prompts: what a person or a model writes begins none. */
export function appCallIn({ promptId, input }: Pick<PluginRound, "promptId" | "input">, server: string): OutsideCall | undefined {
  return promptId?.startsWith(appPrompts) ? outsideCallOf(headOf(server), input) : undefined;
}

const callers = new Map<string, ModelAdapter>();

export function appCaller(server: string): ModelAdapter {
  const head = headOf(server);
  const caller = callers.get(head) ?? outsideCaller(`${outsideModels}mcp/apps`, head, "The app has the result.");
  callers.set(head, caller);
  return caller;
}

/** Runs a tool as a prompt of the conversation: allowed, recorded and asked about after a crash as any call. */
export function callForApp(
  session: GloveSession,
  server: string,
  { name, input }: Omit<OutsideCall, "id">,
  signal: AbortSignal,
): Promise<ToolResultData | undefined> {
  const begin = (id: string) =>
    session.trigger({ reason: outsideReason(headOf(server), { id, name, input }), id: appPrompts + id, signal });
  return outsideResult(session, begin, signal);
}
