// What becomes of a message that calls hooks and skills, before it is sent. Loaded with the first.

import type { Hook, HookResult } from "../ports/hook.js";
import type { SessionPort } from "../ports/session.js";
import type { Skill } from "../ports/skill.js";
import { withinTime } from "../timing/time-limit.js";
import { AbortError, codeOf, GloveError, reasonOf } from "../values/error.js";
import { textOf } from "./skill-text.js";
import { calledIn, checkNames } from "./slash-names.js";

/** What is sent in the place of what a person wrote. */
export interface Outgoing {
  readonly text: string;
  /** What the person wrote, where a hook has made something else of it. */
  readonly preModifiedText?: string;
  /** What it takes up. */
  readonly skills?: readonly string[];
  /** A hook has answered it. */
  readonly hookAnswer?: string;
}

const usualMs = 10_000;

/** Rejects where a hook stops it, and where one fails or a skill cannot be loaded: then nothing was sent. */
export async function outgoing(written: string, session: SessionPort, signal: AbortSignal): Promise<Outgoing> {
  const { skills = [], hooks = [] } = session.config;
  checkNames([...hooks, ...skills]);
  let text = written;
  const made = () => (text === written ? { text } : { text, preModifiedText: written });
  const hookNames = hooks.map(({ name }) => name);
  // Once for each, however often it is named.
  for (const name of new Set(calledIn(written, hookNames).map((one) => one.name))) {
    const hook = hooks.find((one) => one.name === name);
    // One before may have taken it out.
    const end = calledIn(text, hookNames).find((one) => one.name === name)?.end ?? text.length;
    const result = hook && (await ran(hook, text, text.slice(end).trim(), session, signal));
    if (result && "answer" in result) return { ...made(), hookAnswer: result.answer };
    if (result && "text" in result) text = result.text;
  }
  const called = new Set(
    [...calledIn(written, skillNames(skills)), ...calledIn(text, skillNames(skills))].map(({ name }) => name),
  );
  for (const skill of skills) if (called.has(skill.name)) await textOf(skill, session, signal);
  return { ...made(), ...(called.size > 0 && { skills: [...called] }) };
}

const skillNames = (skills: readonly Skill[]) => skills.map(({ name }) => name);

async function ran(hook: Hook, text: string, args: string, session: SessionPort, stopped: AbortSignal): Promise<HookResult> {
  const { name } = hook;
  const { userId, services } = session.config;
  session.tell("hook_started", { name, args });
  try {
    const returned: unknown = await withinTime(hook.timeoutMs ?? usualMs, stopped, (signal) =>
      hook.run({ text, args, sessionId: session.sessionId, userId, services, signal, messages: () => session.messages() }),
    );
    const result = checked(returned);
    if (result && "stop" in result) throw new GloveError("HOOK_STOPPED", result.stop);
    const outcome = !result ? "sent" : "answer" in result ? "answered" : "rewritten";
    session.tell("hook_completed", { name, outcome });
    return result;
  } catch (cause) {
    if (codeOf(cause as Error) === "HOOK_STOPPED" || stopped.aborted) {
      session.tell("hook_completed", { name, outcome: "stopped" });
      throw stopped.aborted ? new AbortError() : cause;
    }
    const message = `The hook "${name}" failed, and the message was not sent: ${reasonOf(cause) || "it threw nothing that says why"}.`;
    session.tell("hook_failed", { name, code: "HOOK_FAILED", message });
    throw new GloveError("HOOK_FAILED", message, { cause });
  }
}

function checked(returned: unknown): HookResult {
  if (returned == null) return undefined;
  const entries = Object.entries((typeof returned === "object" && returned) || {});
  const [[key, value] = ["", ""]] = entries;
  if (entries.length === 1 && /^(text|answer|stop)$/.test(key) && typeof value === "string" && value.trim())
    return returned as HookResult;
  throw new Error("it must give nothing, or one of `text`, `answer` and `stop` with words in it");
}
