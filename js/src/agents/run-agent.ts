// The run of an agent that another one has called: a session under the call. Loaded with the first.
import { DisplayManager } from "../display/manager.js";
import type { ToolDisplay } from "../ports/tool.js";
import type { GloveSession } from "../session/session.js";
import { AbortError, GloveError } from "../values/error.js";
import { depthOf, insideId } from "../values/ids.js";
import { omitUndefined } from "../values/omit-undefined.js";
import type { ToolResultData } from "../wire/record.js";
import type { AgentDefinition } from "./agent.js";

/** So deep may agents call agents. */
const deepest = 4;

/** What the display of a call has for an agent. */
interface Outer {
  readonly outer: GloveSession;
}

/** Which agents each inner session is inside of, itself included. */
const chains = new WeakMap<GloveSession, readonly AgentDefinition[]>();

/** Runs the task, or continues it, and returns the answer as the result of the call. */
export async function runAgent(
  agent: AgentDefinition,
  task: string,
  display: ToolDisplay,
  signal: AbortSignal | undefined,
): Promise<ToolResultData> {
  const { outer } = display as ToolDisplay & Outer;
  const chain = chains.get(outer) ?? [];
  const refused = refusal(agent, chain, outer.sessionId);
  if (refused) {
    outer.report(refused.code, refused);
    return { status: "error", data: null, message: refused.message };
  }
  const open = outer.openInside;
  if (!open) throw new GloveError("CLIENT_CONFIG", "Agents run in sessions of a GloveClient; get one from `client.session(id)`.");
  const id = insideId(outer.sessionId, display.callId);
  const { config } = outer;
  const { systemPrompt, tools = [], skills = [], model = config.model } = agent;
  // Hooks are for what a person writes.
  const own = { systemPrompt, tools, skills, hooks: [], model };
  const limits = omitUndefined({
    budgets: agent.budgets ?? config.budgets,
    limits: agent.limits ?? config.limits,
    middleware: config.middleware,
  });
  const { session, release } = open(id, { ...own, ...limits, services: config.services, userId: config.userId });
  chains.set(session, [...chain, agent]);
  let isStopped = false;
  let outcome = "aborted";
  const told = { name: agent.name, call_id: display.callId, session: id };
  outer.tell("agent_started", told);
  const answered = waitsWith(outer, session, display);
  const undo = stopWith(outer, display.callId, signal, () => {
    isStopped = true;
    session.abort();
  });
  try {
    // Whatever draws the call draws the conversation there.
    if (config.tools?.some(({ name, render }) => name === agent.name && render)) {
      await display.pushAndForget({ input: { session: id } });
    }
    await session.start();
    if (isStopped) {
      // What an earlier page had begun goes on since it is open.
      session.abort();
      throw new AbortError();
    }
    const { phase } = session.getSnapshot().run;
    // The same request however often the call is run: it is asked once, and its answer is given again.
    const ask = () => session.requestAs(`${id}.task`, { text: task, byModel: true });
    const goOn = async () => {
      const resumed = await session.resume();
      // It goes on, with a question to a person.
      return resumed.type === "waiting" ? ask() : resumed;
    };
    const asked = phase === "paused" || phase === "interrupted" ? goOn() : ask();
    const ended = await asked.catch((error: unknown) => {
      if (error instanceof AbortError) return { type: "aborted" } as const;
      outcome = "failed";
      throw error;
    });
    outcome = ended.type;
    const shown = { renderData: { session: id }, usage: session.getSnapshot().stats };
    if (ended.type === "completed") return { status: "success", data: ended.text, ...shown };
    const why = ended.type === "paused" ? ended.message : `The agent did not end its task: it is ${ended.type}.`;
    return { status: "error", data: null, message: why, ...shown };
  } finally {
    undo();
    await answered();
    release();
    outer.tell("agent_finished", { ...told, outcome });
  }
}

/** While a person is asked inside, the call waits for that person too: no time of its request passes. Gives what ends it. */
function waitsWith(outer: GloveSession, session: GloveSession, display: ToolDisplay): () => Promise<void> {
  // One of the application's own would show it as a question.
  if (!(outer.displayManager instanceof DisplayManager)) return async () => {};
  let over = false;
  let waiting: Promise<unknown> | undefined;
  const isAsked = () => !over && session.getSnapshot().run.phase === "waiting";
  const look = () => {
    if (!isAsked()) answer();
    else
      waiting ??= display
        .pushAndWait({ input: { session: session.sessionId, waits: true } })
        // After a reload it has the answer of before at once.
        .then(
          () => true,
          () => false,
        )
        .then((again) => {
          waiting = undefined;
          if (again) look();
        });
  };
  const answer = () => {
    const open = outer
      .getSnapshot()
      .slots.find((slot) => slot.toolCallId === display.callId && slot.waits && slot.status === "pending");
    if (open) outer.resolveSlot(open.id);
  };
  const undo = session.subscribe(look);
  return async () => {
    over = true;
    undo();
    answer();
    await waiting;
  };
}

/** Stops the inner run when the call is stopped, but not when another page or tab continues it. Returns the undo function. */
function stopWith(outer: GloveSession, callId: string, signal: AbortSignal | undefined, stop: () => void): () => void {
  let undo = () => {};
  const look = () => {
    const call = outer.getSnapshot().timeline.findLast(({ kind, id }) => kind === "tool" && id === callId);
    if (call?.kind !== "tool" || call.status === "running" || call.status === "pending") return;
    undo();
    stop();
  };
  const fired = () => {
    if (outer.disposed) return;
    undo = outer.subscribe(look);
    look();
  };
  if (signal?.aborted) fired();
  else signal?.addEventListener("abort", fired, { once: true });
  return () => {
    signal?.removeEventListener("abort", fired);
    undo();
  };
}

function refusal(agent: AgentDefinition, chain: readonly AgentDefinition[], id: string): GloveError | undefined {
  if (chain.includes(agent))
    return new GloveError(
      "AGENT_RECURSION",
      `The agent "${agent.name}" is at work already and cannot call itself. Do it without.`,
    );
  if (depthOf(id) < deepest) return undefined;
  return new GloveError("AGENT_TOO_DEEP", `Agents call each other at most ${deepest} deep. Do it without "${agent.name}".`);
}
