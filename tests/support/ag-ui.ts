// An agent behind AG-UI for tests: it takes only what the official schemas allow, and says only what the official client would take.
import { verifyEvents } from "@ag-ui/client";
import { type BaseEvent, EventType } from "@ag-ui/core";
import { EventSchemas, RunAgentInputSchema } from "@ag-ui/core/schemas";
import type { GloveClientConfig } from "glove-wasm";
import { createAgUiSession } from "glove-wasm/ag-ui";
import { from, lastValueFrom, toArray } from "rxjs";
import { expect } from "vitest";
import { type Scene, scene } from "./session.js";

export type Said = { readonly type: string } & Record<string, unknown>;
export interface Input {
  readonly threadId: string;
  readonly runId: string;
  readonly state: unknown;
  readonly messages: readonly (Record<string, unknown> & { readonly id: string; readonly role: string })[];
  readonly tools: readonly { readonly name: string }[];
  readonly context: readonly { readonly value: string }[];
  readonly forwardedProps: unknown;
  readonly resume?: readonly { readonly interruptId: string; readonly status: string; readonly payload?: unknown }[];
}

/** What is said in one run: events between RUN_STARTED and RUN_FINISHED, or a whole response. */
export type Turn = readonly Said[] | Response | ((input: Input) => readonly Said[] | Response | Promise<Response>);

export interface Agent {
  readonly url: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly inputs: Input[];
  readonly faults: string[];
}

export const started = ({ threadId, runId }: Input): Said => ({
  type: EventType.RUN_STARTED,
  threadId,
  runId,
  protocolVersion: "1.0",
});
export const finished = ({ threadId, runId }: Input, more: object = {}): Said => ({
  type: EventType.RUN_FINISHED,
  threadId,
  runId,
  ...more,
});

export const say = (id: string, ...deltas: readonly string[]): Said[] => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
  ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
  { type: "TEXT_MESSAGE_END", messageId: id },
];

export const calls = (id: string, name: string, args: unknown): Said[] => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: JSON.stringify(args) },
  { type: "TOOL_CALL_END", toolCallId: id },
];

export const gives = (id: string, content: string): Said => ({
  type: "TOOL_CALL_RESULT",
  messageId: `${id}-r`,
  toolCallId: id,
  content,
});

export const asks = (...interrupts: readonly object[]) => ({ outcome: { type: "interrupt", interrupts } });

export function sse(events: readonly (Said | string)[]): Response {
  const text = events.map((event) => (typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`)).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** Runs that the official client takes; a turn that is a Response says whatever it likes. */
export function agent(turns: readonly Turn[], { forgets = false }: { readonly forgets?: boolean } = {}): Agent {
  const inputs: Input[] = [];
  const faults: string[] = [];
  let open: readonly { readonly id: string }[] = [];
  const answer = async (body: string): Promise<Response> => {
    const input = RunAgentInputSchema.strict().parse(JSON.parse(body)) as unknown as Input;
    // One that keeps nothing between its runs asks again, and takes the same answer again.
    checkInput(input, forgets ? (input.resume ?? []).map(({ interruptId: id }) => ({ id })) : open);
    const given = turns[inputs.length];
    inputs.push(input);
    open = [];
    if (given === undefined) throw new Error("the agent has nothing more to say");
    const turn = typeof given === "function" ? await given(input) : given;
    if (turn instanceof Response) return turn;
    const ends = turn.some(({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR");
    const events = [started(input), ...turn, ...(ends ? [] : [finished(input)])];
    for (const event of events) EventSchemas.parse(event);
    await lastValueFrom(from(events as unknown as BaseEvent[]).pipe(verifyEvents(), toArray()));
    const outcome = events.at(-1)?.outcome as { readonly interrupts?: typeof open } | undefined;
    const earlier = events.flatMap(({ name, rawEvent }) =>
      name === "on_interrupt" ? (rawEvent as { readonly id: string }) : [],
    );
    open = outcome?.interrupts ?? earlier;
    return sse(events);
  };
  return {
    url: "https://agent.example/run",
    inputs,
    faults,
    fetch: async (_, { body }) => {
      try {
        return await answer(String(body));
      } catch (error) {
        faults.push(String(error));
        return new Response(String(error), { status: 400 });
      }
    },
  };
}

/** What a schema cannot say: results belong to calls, ids are unique, and every interrupt is answered. */
function checkInput({ messages, resume = [] }: Input, open: readonly { readonly id: string }[]): void {
  const ids = messages.map(({ id }) => id);
  expect(new Set(ids).size, `ids are unique: ${ids}`).toBe(ids.length);
  const called = messages.flatMap(({ toolCalls }) => (toolCalls as { id: string }[] | undefined)?.map(({ id }) => id) ?? []);
  expect(new Set(called).size, `calls are unique: ${called}`).toBe(called.length);
  for (const { role, toolCallId } of messages) if (role === "tool") expect(called).toContain(toolCallId);
  expect(resume.map(({ interruptId }) => interruptId).sort()).toEqual(open.map(({ id }) => id).sort());
}

export function agentScene(
  of: Agent,
  { more = {}, ...config }: Partial<GloveClientConfig> & { readonly more?: object } = {},
): Scene {
  return scene([], { ...createAgUiSession({ url: of.url, fetch: of.fetch, ...more }), ...config });
}
