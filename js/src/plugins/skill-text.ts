// The instructions of a skill, fetched once for each session.

import type { SessionPort } from "../ports/session.js";
import type { Skill } from "../ports/skill.js";
import { withinTime } from "../timing/time-limit.js";
import { GloveError, reasonOf } from "../values/error.js";

const usualMs = 10_000;
/** Every call of the model carries it. */
const maxLetters = 200_000;

/** By skill and then by user: what is loaded for one is not for another. */
const texts = new WeakMap<SessionPort, WeakMap<Skill, Map<string, Loading>>>();

interface Loading {
  readonly text: Promise<string>;
  /** Of whoever began it. */
  readonly signal: AbortSignal;
}

/** Rejects with `SKILL_FAILED` or `SKILL_TOO_LONG`; the next who asks has it tried again. */
export async function textOf(skill: Skill, session: SessionPort, signal = new AbortController().signal): Promise<string> {
  if (skill.instructions !== undefined) return short(skill, skill.instructions);
  const ofSession = texts.get(session) ?? new WeakMap<Skill, Map<string, Loading>>();
  texts.set(session, ofSession);
  const known = ofSession.get(skill) ?? new Map<string, Loading>();
  ofSession.set(skill, known);
  const user = session.config.userId ?? "";
  const loading = known.get(user) ?? { text: load(skill, session, signal), signal };
  known.set(user, loading);
  try {
    return await loading.text;
  } catch (error) {
    if (known.get(user) === loading) known.delete(user);
    // One caller's abort must not fail the others.
    if (signal.aborted || !loading.signal.aborted) throw error;
    return textOf(skill, session, signal);
  }
}

function short({ name }: Skill, text: string): string {
  if (text.length <= maxLetters) return text;
  const message = `The instructions of the skill "${name}" have ${text.length} letters, and may have ${maxLetters}; let a tool give what is long.`;
  throw new GloveError("SKILL_TOO_LONG", message);
}

async function load(skill: Skill, session: SessionPort, stopped: AbortSignal): Promise<string> {
  const { userId, services } = session.config;
  try {
    const text: unknown = await withinTime(skill.timeoutMs ?? usualMs, stopped, (signal) =>
      skill.load?.({ sessionId: session.sessionId, userId, services, signal }),
    );
    if (typeof text === "string") return short(skill, text);
    throw new Error("its `load` gave no text");
  } catch (cause) {
    if (cause instanceof GloveError && cause.code === "SKILL_TOO_LONG") throw cause;
    const why = reasonOf(cause) || "it threw nothing that says why";
    throw new GloveError("SKILL_FAILED", `The instructions of the skill "${skill.name}" could not be loaded: ${why}.`, { cause });
  }
}
