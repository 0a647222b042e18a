// A memory that goes with its page: for tests, and as a pattern for one of an application's own.
import { check, checkOptions, type Options } from "../../src/values/validate-options.js";
import type { MemoryEntry, MemoryQuery, MemoryScope } from "../../src/wire/task-types.js";
import { askedWords, countsOf, type Occurrence, ranked } from "./bm25.js";
import type { MemoryProvider } from "./provider.js";
import { type Embed, fused, nearest, usualVectors, vectorOf } from "./vectors.js";

/** How an embedded memory finds what is meant. */
export interface EmbeddedMemoryOptions {
  /** Finds entries by their meaning too. One that fails, or takes longer than 10 s, leaves their words. */
  readonly embed?: Embed | undefined;
  /** How many entries of a channel are found by their meaning, the newest; older ones by their words. 2,000 by default. */
  readonly mostVectors?: number | undefined;
}

export const embeddedOptions = { embed: "work", mostVectors: "count" } as const satisfies Options<EmbeddedMemoryOptions>;

interface StoredEntry {
  readonly entry: MemoryEntry;
  readonly vector: Float32Array | undefined;
}

/** Remembers as long as the page lives. */
export class VolatileMemory implements MemoryProvider {
  readonly #channels = new Map<string, Map<string, StoredEntry>>();
  readonly #embed: Embed | undefined;
  readonly #mostVectors: number;

  constructor(options: EmbeddedMemoryOptions = {}) {
    checkOptions(check("The options", options, "object"), embeddedOptions);
    this.#embed = options.embed;
    this.#mostVectors = options.mostVectors ?? usualVectors;
  }

  async put(scope: MemoryScope, entry: MemoryEntry): Promise<void> {
    const vector = await vectorOf(this.#embed, textOf(entry));
    const name = nameOf(scope);
    const channel = this.#channels.get(name) ?? new Map<string, StoredEntry>();
    this.#channels.set(name, channel);
    // The newest last.
    channel.delete(entry.id);
    channel.set(entry.id, { entry: { ...entry }, vector });
  }

  async query(scope: MemoryScope, { text, top_k, pinned, tags }: MemoryQuery): Promise<readonly MemoryEntry[]> {
    const channel = this.#channels.get(nameOf(scope)) ?? new Map<string, StoredEntry>();
    const all = [...channel.values()].map(({ entry }) => entry);
    if (pinned) return inOrder(all.filter((entry) => entry.pinned && hasTags(entry, tags))).slice(0, top_k);
    const asked = askedWords(text);
    const occurrences = new Map<string, Occurrence[]>(asked.map((word) => [word, []]));
    let words = 0;
    for (const [id, { entry }] of channel) {
      const counts = countsOf(entry);
      const length = lengthOf(counts);
      words += length;
      for (const word of asked) {
        const count = counts.get(word);
        if (count) occurrences.get(word)?.push({ id, count, length });
      }
    }
    const byWords = ranked([...occurrences.values()], channel.size, words);
    const question = await vectorOf(this.#embed, text);
    const vectors = [...channel].flatMap(([id, { vector }]) => (vector ? [[id, vector] as const] : []));
    const ids = question ? fused(byWords, nearest(question, vectors.slice(-this.#mostVectors))) : byWords;
    const found = ids.flatMap((id) => channel.get(id)?.entry ?? []);
    return found.filter((entry) => hasTags(entry, tags)).slice(0, top_k);
  }

  async delete(scope: MemoryScope, id: string): Promise<boolean> {
    return this.#channels.get(nameOf(scope))?.delete(id) ?? false;
  }
}

/** Ids may hold anything; what is one agent's alone is another channel. */
export function nameOf({ kind, id, agent_id: agent }: MemoryScope): string {
  const own = agent === undefined ? "" : `of:${agent.replaceAll("%", "%25").replaceAll(":", "%3A")}:`;
  return `${own}${kind}:${id}`;
}

/** Whether an entry has all of these. */
export const hasTags = (entry: MemoryEntry, tags: readonly string[] = []): boolean =>
  tags.every((tag) => entry.tags?.includes(tag));

export const textOf = ({ title = "", text }: MemoryEntry): string => (title ? `${title}: ${text}` : text);

export const lengthOf = (counts: ReadonlyMap<string, number>): number => {
  let length = 0;
  for (const count of counts.values()) length += count;
  return length;
};

export function inOrder(entries: readonly MemoryEntry[]): MemoryEntry[] {
  const key = ({ title = "", id }: MemoryEntry) => `${title}\0${id}`;
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
