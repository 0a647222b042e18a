// The events of an agent's answer, one JSON object after the other, within limits.

import { GloveError } from "../../src/values/error.js";

/** An event, as an agent says it: nothing of it is checked but that it has a type. */
export type AgentEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** What is taken of one run, in letters: of an agent that never ends. */
export const most = {
  run: 16_000_000,
  event: 8_000_000,
  state: 256_000,
  arguments: 1_000_000,
  calls: 128,
  interrupts: 20,
  name: 200,
};

export function badEvent(what: string): GloveError {
  return new GloveError("MODEL_BAD_RESPONSE", `The agent does not keep to AG-UI: ${what}. Nothing of this answer was run.`);
}

export function brokenOff(cause?: unknown): GloveError {
  const message =
    "The agent's answer broke off. What its own tools did is not known, and nothing was run here. Try again to ask it anew.";
  return new GloveError("MODEL_STREAM_CUT", message, { cause });
}

/** `idleMs`: of silence, after which the agent is given up; comments count as a sign of life. */
export async function* eventLines(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  let letters = 0;
  let line = "";
  /** The lines of an event that has not ended. */
  let data: string[] = [];
  try {
    for (;;) {
      const piece = await inTime(reader.read(), idleMs);
      // A last event needs no empty line behind it.
      const text = piece.done ? `${decoder.decode()}\n\n` : decoder.decode(piece.value, { stream: true });
      letters += text.length;
      if (letters > most.run) throw badEvent("its answer does not end");
      const [first = "", ...next] = text.split("\n");
      line += first;
      if (line.length > most.event) throw badEvent("an event is too long");
      for (const following of next) {
        const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
        line = following;
        if (whole.startsWith("data:")) data.push(whole.slice(whole.startsWith("data: ") ? 6 : 5));
        if (whole !== "" || data.length === 0) continue;
        const event = parsed(data.join("\n"));
        data = [];
        yield event;
      }
      if (piece.done) return;
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

async function inTime<T>(reading: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = Math.round(ms / 1000);
    const error = new GloveError(
      "MODEL_TIMEOUT",
      `The agent has said nothing for ${seconds} seconds. What its own tools did is not known.`,
    );
    // A timer of more would end at once.
    if (ms > 0 && ms < 0x7fff_ffff) timer = setTimeout(reject, ms, error);
  });
  const broken = reading.catch((cause: unknown) => {
    throw brokenOff(cause);
  });
  return Promise.race([broken, late]).finally(() => clearTimeout(timer));
}

function parsed(text: string): AgentEvent {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    throw badEvent("an event is not JSON");
  }
  if (typeof Object(event).type !== "string") throw badEvent("an event has no type");
  return event as AgentEvent;
}
