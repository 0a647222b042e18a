// A call of a tool within its middleware; loaded with the first. The person has decided by then, so the arguments are only read.

import { checkMiddleware, type Middleware } from "../ports/middleware/middleware.js";
import type { ToolConfig } from "../ports/tool.js";
import { AbortError, GloveError } from "../values/error.js";
import { toLooseJson } from "../values/json.js";
import type { ToolResultData } from "../wire/record.js";
import { around, failedCode, failure, stopOf } from "./around.js";

/** What stands around the calls of a session or a handler. */
export interface AroundTools {
  readonly middleware?: readonly Middleware[] | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly services?: unknown;
}

interface Call {
  readonly id: string;
  readonly tool: ToolConfig;
  readonly input: unknown;
  /** Fires when the run is stopped, unless that is no matter to the tool. */
  readonly stopped: AbortSignal | undefined;
}

/** Gives the result that is recorded. */
export async function runThrough(
  { middleware = [], sessionId, userId, services }: AroundTools,
  { id, tool, input, stopped }: Call,
  run: () => Promise<ToolResultData>,
): Promise<ToolResultData> {
  for (const one of middleware) checkMiddleware(one);
  const text = toLooseJson(input);
  let hasRun = false;
  const layer = async (at: number): Promise<ToolResultData> => {
    const own = middleware[at];
    if (!own) {
      if (stopped?.aborted) throw new AbortError();
      hasRun = true;
      return run();
    }
    if (!own.wrapToolCall) return layer(at + 1);
    const { given, call: made } = await around(
      own,
      stopped,
      () => layer(at + 1),
      (next, signal) => {
        const call = { id, name: tool.name, input: JSON.parse(text) as unknown, sessionId, userId, services, signal };
        return own.wrapToolCall?.(call, () => next());
      },
    );
    const stop = stopOf(own, given);
    if (stop?.code === failedCode) throw stop;
    const denied = made === "not made" && { outcome: "denied" };
    if (stop) return { status: "error", data: null, message: stop.message, ...denied };
    if (!isResult(given)) throw failure(own, "it must give what `next()` gives, a result with `status` and `data`, or `stop`");
    if (made === "done") return given;
    return given.status === "success" ? inItsPlace(own, tool, given, made === "not made") : { ...given, ...denied };
  };
  try {
    return await layer(0);
  } catch (error) {
    if (!hasRun || !(error instanceof GloveError) || error.code !== failedCode) throw error;
    throw new GloveError(failedCode, `${error.message} The tool had been run before.`, { cause: error.cause });
  }
}

/** A success that is not the tool's: the record says so, and that it cost nothing. */
function inItsPlace(
  { name }: Middleware,
  tool: ToolConfig,
  { usage: _, ...given }: ToolResultData,
  isCached: boolean,
): ToolResultData {
  if (tool.undo)
    throw failure({ name }, `it answered for the tool "${tool.name}", whose \`undo\` would take back what was not done`);
  return Object.assign(given, isCached && { outcome: "cached" }, { answered_by: name });
}

const statuses: readonly unknown[] = ["success", "error", "aborted"];

function isResult(given: unknown): given is ToolResultData {
  if (typeof given !== "object" || given === null || !("status" in given) || !statuses.includes(given.status)) return false;
  return "data" in given || (given.status !== "success" && "message" in given);
}
