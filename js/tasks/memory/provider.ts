// The port to what an agent remembers over its tasks.
import { check, type Options } from "../../src/values/validate-options.js";
import type { MemoryBinding, MemoryEntry, MemoryKind, MemoryQuery, MemoryScope } from "../../src/wire/task-types.js";

/** Where entries are kept, each in the channel of its scope. What a channel holds is given for that channel alone. */
export interface MemoryProvider {
  /** Whoever writes the same id again replaces the entry. */
  put(scope: MemoryScope, entry: MemoryEntry): Promise<void>;
  /** At most `top_k` entries, the best first; with `pinned`, those that are pinned. */
  query(scope: MemoryScope, query: MemoryQuery): Promise<readonly MemoryEntry[]>;
  /** False where there was none. */
  delete(scope: MemoryScope, id: string): Promise<boolean>;
}

/** A channel that an agent reads, and how much of it. What is left away is usual for its kind. */
export interface MemoryChannel extends Omit<MemoryBinding, "recall"> {
  /** How many entries a phase recalls, by its name: `{ gather: 4, plan: 2 }`. */
  readonly recall?: Readonly<Record<string, number>>;
}

/** Something to remember; without an `id` it is a new entry. */
export interface NewMemory extends Omit<MemoryEntry, "id"> {
  readonly id?: string;
}

/** What `recall` looks for. */
export interface RecallOptions {
  /** How many entries; 10 by default. */
  readonly most?: number;
  /** Those that are pinned, instead of those that fit the text. */
  readonly pinned?: boolean;
  /** Only entries that have all of these. */
  readonly tags?: readonly string[];
  /** For a provider of your own. */
  readonly filter?: unknown;
}

export const kinds = "agent|user|org|team|project|task" satisfies `${MemoryKind}|${string}`;

const providerMethods = { put: "work", query: "work", delete: "work" } as const satisfies Options<MemoryProvider>;

export const entryOptions = {
  id: "text",
  title: "text",
  text: "text",
  tags: "list",
  data: "any",
  source: "text",
  pinned: "flag",
} as const satisfies Options<MemoryEntry>;

const channelOptions = {
  kind: kinds,
  id: "text",
  weight: "amount",
  required: "flag",
  learns: "flag",
  approveRead: "flag",
  approveWrite: "flag",
  pinnedTokens: "whole",
  redact: "flag",
  recall: "any",
  recallTokens: "whole",
  agent_id: "text",
  tags: "list",
  filter: "any",
  template: "text",
  dedupe: { byHash: "flag", byTitle: "flag" },
} as const satisfies Options<MemoryChannel>;

export function checkProvider(provider: MemoryProvider): MemoryProvider {
  check("`memory`", Object(provider) === provider ? {} : provider, "object");
  for (const [name, kind] of Object.entries(providerMethods)) {
    check(`\`${name}\` of the memory`, (provider as unknown as Record<string, unknown>)[name], kind);
  }
  return provider;
}

export function checkChannels(channels: readonly MemoryChannel[], name: string): readonly MemoryChannel[] {
  check(`\`${name}\``, channels, "list");
  channels.forEach((channel, at) => {
    check(`\`${name}[${at}]\``, channel, channelOptions);
    check(`\`${name}[${at}].kind\``, channel.kind, kinds);
    for (const [phase, most] of Object.entries(check(`\`${name}[${at}].recall\``, channel.recall ?? {}, "object"))) {
      check(`\`${name}[${at}].recall.${phase}\``, most, "whole");
    }
  });
  return channels;
}

/** As the core reads it. */
export function bindingOf({ recall, ...channel }: MemoryChannel): MemoryBinding {
  return { ...channel, ...(recall && { recall: Object.entries(recall).map(([phase, most]) => ({ phase, most })) }) };
}
