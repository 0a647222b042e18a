// Where answers under way are kept, so that a client that lost its connection reads on.
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";

/** Keeps lists of short texts for some minutes: in memory, in Redis, in any store that can append to a list. */
export interface AnswerBuffer {
  /** Puts events behind those of this answer, and begins it where there is none. Gives how many there were before, as one step. */
  append(id: string, events: readonly string[]): Promise<number>;
  /** The events from this number on; none where there is no such answer. */
  read(id: string, from: number): Promise<readonly string[]>;
  delete(id: string): Promise<void>;
}

/** How much of answers is kept in memory. */
export interface MemoryBufferOptions {
  /** Milliseconds without a new event after which an answer is forgotten; default 300,000. */
  readonly keptMs?: number | undefined;
  /** In letters, of all answers together: beyond it the one that was written to longest ago is forgotten. Default 64 million. */
  readonly letters?: number | undefined;
}

const bufferOptions = { keptMs: "large", letters: "large" } as const satisfies Options<MemoryBufferOptions>;

/** What an event takes beside its letters. */
const eachLetters = 16;

interface Kept {
  readonly events: string[];
  letters: number;
  at: number;
}

/** For one process: what another one has begun is not found here. */
export function createMemoryBuffer(options: MemoryBufferOptions = {}): AnswerBuffer {
  check("The options", options, "object");
  checkOptions(options, bufferOptions);
  const { keptMs = 300_000, letters = 64_000_000 } = options;
  /** The one that was written to last stands last. */
  const answers = new Map<string, Kept>();
  let held = 0;
  const forget = (id: string) => {
    held -= answers.get(id)?.letters ?? 0;
    answers.delete(id);
  };
  return {
    async append(id, events) {
      const now = Date.now();
      const stored = answers.get(id) ?? { events: [], letters: 0, at: now };
      const before = stored.events.length;
      let added = 0;
      for (const event of events) {
        stored.events.push(event);
        // Also one without a letter takes its place.
        added += event.length + eachLetters;
      }
      stored.at = now;
      stored.letters += added;
      held += added;
      answers.delete(id);
      answers.set(id, stored);
      for (const [other, { at }] of answers) {
        if (other === id || (held <= letters && now - at < keptMs)) break;
        forget(other);
      }
      return before;
    },
    async read(id, from) {
      return answers.get(id)?.events.slice(from) ?? [];
    },
    async delete(id) {
      forget(id);
    },
  };
}
