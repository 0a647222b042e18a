// What an application puts around calls of models and of tools: it sees them, changes them, refuses them, or answers in their place.

import type { Maybe } from "../../timing/sync-or-promise.js";
import { check, checkOptions, type Options } from "../../values/validate-options.js";
import type { Message, ToolResultData } from "../../wire/record.js";
import type { ModelPromptResult, ModelTool } from "../model.js";

/** Where a call happens. */
export interface MiddlewareContext {
  /** The id of the conversation; none in a chat handler. */
  readonly sessionId: string | undefined;
  /** The `userId` of the client; in a chat handler its `owner`. */
  readonly userId: string | undefined;
  /** The `services` of the client or of the handler. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the application gave.
  readonly services: any;
  /** Fires when the run is stopped, and when the middleware has taken too long. */
  readonly signal: AbortSignal;
}

/** A call of the model, as a middleware sees it. Nothing in it may be changed in place. */
export interface MiddlewareModelCall extends MiddlewareContext {
  /** The name of the model. */
  readonly model: string;
  readonly systemPrompt: string;
  /** What the model reads of the conversation. */
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
}

/** What a model is asked with instead. The record stays as it is. */
export type MiddlewareModelChanges = Partial<Pick<MiddlewareModelCall, "systemPrompt" | "messages" | "tools">>;

/** A call of a tool, as a middleware sees it: after its approval, which holds for these arguments. */
export interface MiddlewareToolCall extends MiddlewareContext {
  readonly id: string;
  readonly name: string;
  /** A copy of the arguments, as they were shown and allowed. */
  readonly input: unknown;
}

/** A piece of an answer that is not shown yet. */
export interface MiddlewareOutput {
  readonly kind: "text" | "reasoning";
  readonly piece: string;
  /** All of this kind so far, with this piece. */
  readonly text: string;
  /** The answer is whole: nothing of this kind comes after it. */
  readonly done: boolean;
}

/** Ends the call with this reason. */
export interface MiddlewareStop {
  readonly stop: string;
}

/** What stands around each call of a model, each call of a tool, or both. */
export interface Middleware {
  /** Errors name it, and the record names it where it has answered. */
  readonly name: string;
  /**
   * Stands around each call of a model. Gives what `next()` gives, the same changed, an answer without `next()` (from a cache), or `{ stop }`. `next`
   * may be called once, with what the model is asked instead.
   */
  wrapModelCall?(
    call: MiddlewareModelCall,
    next: (changes?: MiddlewareModelChanges) => Promise<ModelPromptResult>,
  ): Maybe<ModelPromptResult | MiddlewareStop>;
  /** Called with each piece of an answer before it is shown, and once with the whole. `{ stop }` ends the answer: the piece is not shown, and no tool of it runs. */
  // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a `return` gives.
  guardOutput?(output: MiddlewareOutput, call: MiddlewareModelCall): Maybe<MiddlewareStop | undefined | void>;
  /** Shows nothing of an answer before it is whole and has passed, and keeps nothing of one that is stopped. For whoever changes answers. Default `false`. */
  readonly holdBack?: boolean | undefined;
  /** Stands around each call of a tool. Gives what `next()` gives, another result, a result without `next()` (from a cache), or `{ stop }`. `next` may be called once. */
  wrapToolCall?(call: MiddlewareToolCall, next: () => Promise<ToolResultData>): Maybe<ToolResultData | MiddlewareStop>;
  /** How long it may take before `next` and after it, and for each piece; default 10,000. */
  readonly timeoutMs?: number | undefined;
}

const middlewareOptions = () =>
  ({
    name: "text",
    wrapModelCall: "work",
    guardOutput: "work",
    holdBack: "flag",
    wrapToolCall: "work",
    timeoutMs: "large",
  }) satisfies Options<Middleware>;

/** A middleware, checked. */
export function defineMiddleware(middleware: Middleware): Middleware {
  checkMiddleware(middleware);
  return middleware;
}

export function checkMiddleware(middleware: Middleware): void {
  const code = "MIDDLEWARE_INVALID";
  check("A middleware", middleware, "object", code);
  check("`name` of a middleware", middleware.name, "text", code);
  const called = (option: string) => `\`${option}\` of the middleware "${middleware.name}"`;
  checkOptions(middleware, middlewareOptions(), { called, code });
}
