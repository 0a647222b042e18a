// A call of a server's tool: each request of it is a step of the record, and each question a slot of it. So a call that waits for a person goes
// on after a reload, and nothing is sent twice unasked.

import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/client";
import type { ToolDisplay } from "../../src/ports/tool.js";
import { issuesText } from "../../src/schema/check.js";
import { loadPart } from "../../src/values/error.js";
import type { ToolResultData } from "../../src/wire/record.js";
import type { AppSlot } from "../apps/host.js";
import type { CallOptions, Connection, Elicitation, Leg, LegFailure } from "../connection/connection.js";
import type { McpSettings } from "../options.js";
import type { SamplingRequest } from "../sampling.js";
import { answerOf } from "./asked.js";
import { type AppResult, failureResult, resultOf } from "./result.js";
import { issuesBy } from "./server-schema.js";
import { type Asked, signingIn } from "./sign-in.js";
import type { ServerTool } from "./tool-list.js";

export interface CallPort {
  readonly connection: Connection;
  readonly settings: McpSettings;
  /** Keeps that a person has allowed the tool; `false` where they were shown another one. */
  allow(): Promise<boolean>;
  /** Its result is for an app. */
  readonly byApp: boolean;
  /** Reads the app that shows its calls, where they are shown; gives the digest of that. */
  readonly readApp?: (() => Promise<string | undefined>) | undefined;
  readonly user: string | undefined;
  /** Whom it asks to sign in, where people do. */
  readonly signIn?: Asked | undefined;
}

type Answer = CallToolResult | InputRequiredResult;

/** What a step keeps: an answer, and where its structured content is not what the server said. */
type KeptLeg = Leg & { readonly mismatch?: string };

const isInputRequired = (answer: Answer): answer is InputRequiredResult =>
  (answer as { readonly resultType?: unknown }).resultType === "input_required";

export async function callTool(tool: ServerTool, input: unknown, display: ToolDisplay, port: CallPort): Promise<ToolResultData> {
  const { connection, settings } = port;
  // Before anything of the call is in the record, the card of its app too: behind it nothing is awaited.
  const sample = await samplingOf(display, settings);
  const app = await shownBy(tool, display, port);
  const ask = (request: Elicitation, gone?: AbortSignal) =>
    answerOf(request, { display, server: settings.name, gone }, settings.allow);
  const progressed: CallOptions["progressed"] = ({ message, progress, total }) => display.progress(message, progress, total);
  let more: Pick<InputRequiredResult, "requestState"> & { readonly inputResponses?: Record<string, unknown> } = {};
  let asked = 0;
  // The answers to the last round that is allowed are given too.
  for (let leg = 1; leg <= settings.limits.rounds + 1; leg++) {
    // Nothing is awaited between the steps and the questions, so the record has all of the call.
    const request = async (): Promise<KeptLeg> => {
      if (leg === 1 && !(await port.allow())) return { failed: changedMeanwhile(tool) };
      const { idempotencyKey: key, signal } = display;
      const params = {
        name: tool.info.tool,
        arguments: input as Record<string, unknown>,
        _meta: { "glove-wasm/idempotencyKey": key },
        ...more,
      };
      return checked(await connection.call({ tool: tool.raw, params, key, signal, ask, sample: sample.live, progressed }), tool);
    };
    const again = (time: string) => display.step(`call ${leg}${time}`, request);
    const kept = await signingIn(display, port.signIn, again, (leg) => "failed" in leg && leg.failed.code === "MCP_SIGNED_OUT");
    if ("failed" in kept) return failureResult(kept.failed);
    const { answer } = kept;
    if (!isInputRequired(answer)) return resultOf(answer, kept.mismatch, await app?.());
    const inputResponses: Record<string, unknown> = {};
    const requests = Object.entries(answer.inputRequests ?? {});
    asked += requests.length;
    if (asked > settings.limits.rounds) break;
    for (const [at, [name, request]] of requests.entries()) {
      if (request.method === "elicitation/create") inputResponses[name] = await ask(request.params);
      else if (request.method === "roots/list" && settings.allow?.roots) inputResponses[name] = { roots: settings.allow.roots };
      else if (request.method === "sampling/createMessage" && sample.kept) {
        const sampled = await sample.kept(request.params, `model ${leg}.${at + 1}`);
        if ("refused" in sampled) return failureResult({ code: "MCP_SAMPLING_REFUSED", message: sampled.refused, ran: "yes" });
        inputResponses[name] = sampled.answer;
      } else return failureResult(notAllowed(settings.name, request.method));
    }
    more = { inputResponses, ...(answer.requestState !== undefined && { requestState: answer.requestState }) };
  }
  const rounds = `The MCP server "${settings.name}" asked more than ${settings.limits.rounds} times for one call.`;
  return failureResult({ code: "MCP_TOO_MANY_ROUNDS", message: rounds, ran: "yes" });
}

/** How its server asks the model: `live` in the middle of a request, which is a step already, or `kept` between two of them. */
async function samplingOf(display: ToolDisplay, { name: server, allow = {}, maxTotalMs: maxMs = 600_000 }: McpSettings) {
  const { sampling } = allow;
  if (!sampling) return { live: async () => `The MCP server "${server}" may ask no model here.` };
  const { sampled } = await loadPart(import("../sampling.js"));
  const port = { display, server, sampling, maxMs };
  let refused: string | undefined;
  return {
    live: async (request: SamplingRequest, gone: AbortSignal) => {
      // What a person has turned down is not asked again in other words.
      if (refused !== undefined) return refused;
      const came = await sampled(request, { ...port, gone, keep: (work) => work() });
      if ("answer" in came) return came.answer;
      if (came.byPerson) refused = came.refused;
      return came.refused;
    },
    kept: (request: SamplingRequest, step: string) => sampled(request, { ...port, keep: (work) => display.step(step, work) }),
  };
}

/** So long the result waits for the app: what is not there by then is read when it is drawn. */
const appMs = 2_000;

/** Shows the app of the tool in the card of the call, and reads it while the call runs. Gives what the result keeps of it. */
async function shownBy(
  { info }: ServerTool,
  display: ToolDisplay,
  { readApp, byApp, user }: CallPort,
): Promise<(() => Promise<AppResult>) | undefined> {
  if (byApp) return async () => ({});
  const { server, tool, app: uri } = info;
  if (!readApp || uri === undefined) return undefined;
  const input: AppSlot = { server, tool, uri, call: display.callId, ...(user !== undefined && { user }) };
  await display.pushAndForget({ renderer: "mcp_app", input });
  const reading = readApp().catch(() => undefined);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, appMs));
  return async () => ({ hash: await Promise.race([reading, late]) });
}

function changedMeanwhile({ info: { server, tool } }: ServerTool): LegFailure {
  const message = `The server "${server}" has changed "${tool}" since somebody was asked about this call.`;
  return { code: "MCP_TOOL_CHANGED", message, ran: "no" };
}

function notAllowed(server: string, method: string): LegFailure {
  const message = `The MCP server "${server}" asked for "${method}", which it may not (\`allow\`).`;
  return { code: "MCP_NOT_ALLOWED", message, ran: "yes" };
}

function checked(leg: Leg, { info }: ServerTool): KeptLeg {
  if ("failed" in leg || isInputRequired(leg.answer) || !info.outputSchema || leg.answer.isError) return leg;
  const { structuredContent } = leg.answer;
  if (structuredContent === undefined)
    return { ...leg, mismatch: "The server sent no structured content, though its tool says so." };
  try {
    const issues = issuesBy(info.outputSchema, structuredContent);
    if (!issues.length) return leg;
    return { ...leg, mismatch: `The server's result is not what its tool says: ${issuesText(issues).slice(0, 500)}` };
  } catch {
    // A schema that is none, or takes too long, says nothing of a result.
    return leg;
  }
}
