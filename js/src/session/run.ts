// The machine alone: what happened goes in, what is to be done comes out. It does nothing itself, so it runs anywhere.
import { GloveError } from "../values/error.js";
import { toJson } from "../values/json.js";
import { check } from "../values/validate-options.js";
import { fromCore } from "../wasm/core-errors.js";
import { CoreRun } from "../wasm/generated/glove_wasm.js";
import type { CoreNow } from "../wasm/sessions.js";
import type { Message } from "../wire/record.js";
import type { CorePhase, RunEffect, RunInput, RunSettings } from "../wire/run-types.js";

/**
 * One conversation's state machine, for programs that drive it themselves: in a worker, on a server, in a test. It reads no
 * clock, makes no ids and does no IO. Sessions are this with a driver around it.
 */
export class Run {
  readonly #run: CoreRun;

  /** A new run over messages that were there before, or one that `snapshot` gave. The core has to be started (`init()`). */
  constructor(core: CoreNow, settings: RunSettings | undefined, messages: readonly Message[] | undefined, snapshot?: string) {
    core.now();
    const stored = snapshot === undefined ? undefined : readSnapshot(snapshot);
    this.#run = called(
      () =>
        new CoreRun(
          toJson(settings ?? {}, "`settings`"),
          toJson(stored?.messages ?? messages ?? [], "`messages`"),
          stored?.checkpoint,
        ),
    );
  }

  /** Takes in one thing that happened. What does not fit changes nothing and throws `OUT_OF_PROTOCOL`. */
  step(input: RunInput, at: number = Date.now()): RunEffect[] {
    const { type, ...rest } = check("The input", input, "object");
    check("`type`", type, "text");
    const told = toJson(Object.keys(rest).length ? { [type]: rest } : type, "The input");
    return JSON.parse(called(() => this.#run.step(at, told))) as RunEffect[];
  }

  /** What a run that was restored waits for, to be done again. */
  outstanding(): RunEffect[] {
    return JSON.parse(this.#run.outstanding()) as RunEffect[];
  }

  /** All of it as text. */
  snapshot(): string {
    return JSON.stringify({ checkpoint: this.#run.checkpoint(), messages: this.messages });
  }

  get messages(): Message[] {
    return JSON.parse(this.#run.messages()) as Message[];
  }

  /** What the model is to be sent for the call that is being made. */
  modelRequest(): Message[] {
    return JSON.parse(this.#run.modelRequest()) as Message[];
  }

  get phase(): CorePhase {
    return this.#run.phase() as CorePhase;
  }

  /** Lets go of its memory; it can be used no more. */
  dispose(): void {
    this.#run.free();
  }
}

function called<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw fromCore(thrown);
  }
}

function readSnapshot(text: string): { readonly checkpoint: string; readonly messages: readonly Message[] } {
  try {
    const { checkpoint, messages } = JSON.parse(text) as Record<string, unknown>;
    if (typeof checkpoint === "string" && Array.isArray(messages)) return { checkpoint, messages };
  } catch {
    // Told below.
  }
  throw new GloveError("STORE_CORRUPT", "This is not a snapshot of a run; pass what `snapshot()` returned.");
}
