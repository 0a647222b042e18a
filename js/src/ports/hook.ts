// What an application writes as a hook: its own work on a message that calls it by `/name`, before it is sent.
import type { Maybe } from "../timing/sync-or-promise.js";
import { checkName } from "../values/names.js";
import { check, checkOptions, type Options } from "../values/validate-options.js";
import type { Message } from "../wire/record.js";

/** What a hook gets. */
export interface HookContext {
  /** The whole message, as the hooks before have left it. */
  readonly text: string;
  /** What stands behind the name. */
  readonly args: string;
  readonly sessionId: string;
  readonly userId: string | undefined;
  /** The `services` of the client. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the application gave.
  readonly services: any;
  /** The record so far. */
  messages(): Promise<readonly Message[]>;
  /** Fires when the message was taken back, the session closed, or the hook has taken too long. */
  readonly signal: AbortSignal;
}

/** What a hook makes of a message: nothing, another text for the model, an answer without a model, or a reason not to send it. */
export type HookResult = undefined | { readonly text: string } | { readonly answer: string } | { readonly stop: string };

/** Work of the application on a message that calls it by `/name`, in the page and before the message is sent. */
export interface Hook {
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
  /** For people who choose from a list. */
  readonly description: string;
  /** Called with the message before it is sent. Gives nothing, or the `text`, `answer` or `stop` that takes its place. */
  // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a `return` gives.
  run(context: HookContext): Maybe<HookResult | void>;
  /** How long it may take; default 10,000. */
  readonly timeoutMs?: number | undefined;
}

const hookOptions = () => ({ name: "text", description: "text", run: "work", timeoutMs: "large" }) satisfies Options<Hook>;

/** A hook, checked. */
export function defineHook(hook: Hook): Hook {
  check("A hook", hook, "object", "HOOK_INVALID");
  checkName("a hook", hook.name, "HOOK_INVALID");
  const called = (option: string) => `\`${option}\` of the hook "${hook.name}"`;
  checkOptions(hook, hookOptions(), { called, code: "HOOK_INVALID" });
  check(called("description"), hook.description, "text", "HOOK_INVALID");
  check(called("run"), hook.run, "work", "HOOK_INVALID");
  return hook;
}
