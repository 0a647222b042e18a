// An answer in the form of a schema, for programs that go on with it.
import { GloveError } from "../error.js";
import { checkWithSchema } from "../tools/schema.js";
import { jsonSchemaOf } from "../tools/schema-of.js";
import type { InferInput, InferOutput, Partly, Schema, StandardSchema } from "../tools/schema-types.js";
import type { ToolConfig, ToolDisplay } from "../tools/tool.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { ContentPart } from "../wire/record.js";
import type { MessageInput } from "./request.js";
import type { GloveSession } from "./session.js";
import { generateId } from "./session-id.js";

const answerTool = "give_answer";
const notAsked = "Nobody has asked for this answer. Answer the person in words.";

/** What else `askFor` takes. */
export interface AskForOptions<T = unknown> {
  readonly signal?: AbortSignal | undefined;
  /** Called with the answer as far as the model has written it, at most once a frame. No schema has checked it. */
  readonly onPartial?: ((partial: Partly<T>) => unknown) | undefined;
}

const askForOptions = { signal: "signal", onPartial: "work" } as const satisfies Options<AskForOptions>;

/**
 * Asks, and gives an answer that fits the schema. The session's tools may be used on the way. The model answers by calling a
 * tool that exists for this question only. If the answer does not match, the model is told why; if it answers in words, it
 * is asked once more. Rejects as
 * `session.request` does, and with `ANSWER_MISSING`.
 */
export async function askFor<S extends Schema>(
  session: GloveSession,
  question: string | readonly ContentPart[],
  schema: S,
  options: AskForOptions<InferInput<S>> | AbortSignal = {},
): Promise<InferOutput<S>> {
  check("`session`", session, "session");
  const { signal, onPartial }: AskForOptions<InferInput<S>> = "aborted" in options ? { signal: options } : options;
  if (!("aborted" in options)) checkOptions(options, askForOptions);
  const given: InferOutput<S>[] = [];
  // Another request of the session may run while the tool is there.
  const own: string[] = [];
  const take = (answer: InferOutput<S>, { idempotencyKey }: ToolDisplay) => {
    if (!own.some((id) => idempotencyKey.startsWith(id))) return { status: "error", message: notAsked, data: null };
    given.push(answer);
    return "Taken.";
  };
  // In a request of its own, whatever becomes of others.
  const ask = (text: string | readonly ContentPart[]) => {
    const id = generateId();
    own.push(id);
    const input: MessageInput = typeof text === "string" ? { text } : { content: text };
    return session.requestAs(id, { ...input, whenBusy: "queue" }, signal);
  };
  const { wrapped, ...asked } = await form(schema, take);
  const tool: ToolConfig = {
    name: answerTool,
    title: "Answer",
    description: "Gives the answer to the question. Call it when you know the answer, with the whole of it.",
    ...asked,
  };
  const stop = onPartial && followPartial(session, wrapped, onPartial as (partial: unknown) => unknown);
  session.configure({ tools: [...(session.config.tools ?? []), tool] });
  try {
    await ask(question);
    if (given.length === 0) await ask(`Give the answer by calling ${answerTool}.`);
  } finally {
    stop?.();
    session.configure({ tools: (session.config.tools ?? []).filter((other) => other !== tool) });
  }
  if (given.length > 0) return given.at(-1) as InferOutput<S>;
  throw new GloveError("ANSWER_MISSING", `The model did not call ${answerTool}, so there is no answer that matches the schema.`);
}

function followPartial(session: GloveSession, wrapped: boolean, onPartial: (partial: unknown) => unknown): () => void {
  let before: unknown;
  return session.subscribe(() => {
    const call = session.getSnapshot().streamingCalls.find(({ name }) => name === answerTool);
    const partial = wrapped ? (call?.input as { answer?: unknown } | undefined)?.answer : call?.input;
    if (partial === undefined || partial === before) return;
    before = partial;
    try {
      onPartial(partial);
    } catch (error) {
      session.report("LISTENER_FAILED", error);
    }
  });
}

/** Arguments are objects; an answer of another form is put into one. */
async function form<S extends Schema>(
  schema: S,
  take: (answer: InferOutput<S>, display: ToolDisplay) => unknown,
): Promise<Pick<ToolConfig, "inputSchema" | "jsonSchema" | "do"> & { readonly wrapped: boolean }> {
  const told = await jsonSchemaOf(schema);
  if (told.type === "object") return { inputSchema: schema, jsonSchema: told, do: take, wrapped: false };
  const { $defs, ...answer } = told;
  const inputSchema: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "glove-wasm",
      validate: async (value) => checkWithSchema(schema, (value as { answer?: unknown } | null)?.answer),
    },
  };
  const whole = { type: "object", properties: { answer }, required: ["answer"], ...($defs !== undefined && { $defs }) };
  return { inputSchema, jsonSchema: whole, do: take, wrapped: true };
}
