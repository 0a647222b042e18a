// A call of a tool, as work: a prompt of a session of its own, which no model is asked about.

import { outsideModels } from "../../src/ports/plugin.js";
import type { GloveSession } from "../../src/session/session.js";
import { knowCaller, outsideCaller, outsideReason } from "../tools/outside-call.js";
import { answerOf, type Telling } from "./result.js";
import type { Work } from "./served-call.js";

const head = "A client of MCP runs a tool:";

/** What answers such a prompt, in the place of a model. */
const caller = outsideCaller(`${outsideModels}mcp/server`, head, "The client has the result.");

export function toolCall(id: string, input: unknown, telling: Telling): Work {
  const { name } = telling;
  return {
    name,
    // Whichever process runs it from here on.
    ready: (session) => knowCaller(session, caller),
    begin: (session) => session.trigger({ reason: outsideReason(head, { id, name, input }), id, model: caller.name }),
    async ended(session) {
      const result = await resultOf(session, id);
      return result && { result: await answerOf(result, telling), stopped: result.status === "aborted" };
    },
    unknown: `Nothing is known of this call any more. If it was answered before, "${name}" may have run.`,
    nothing: `"${name}" could not be run, or its result could not be kept. It may have run.`,
  };
}

async function resultOf(session: GloveSession, id: string) {
  const results = (await session.messages()).flatMap(({ tool_results = [] }) => tool_results);
  return results.find(({ call_id }) => call_id === id)?.result;
}
