// The settled part of a conversation. An entry renders again only when something of it changed, however long the list is.
import { memo, type ReactNode, useState } from "react";
import type { ShownEntry, ShownSlot } from "../../src/snapshot/snapshot.js";
import { DefaultCompaction, DefaultMessage, Reasoning, Slots } from "./defaults.js";
import { renderPart } from "./mount-renderer.js";
import type { PlacedSlots } from "./slots.js";
import type { GloveHandle, RenderProps } from "./types.js";

export interface EntriesProps
  extends Pick<RenderProps, "renderMessage" | "renderToolStatus" | "renderReasoning">,
    Pick<GloveHandle, "renderSlot" | "renderToolResult"> {
  timeline: readonly ShownEntry[];
  slots: PlacedSlots["at"];
  /** An answer is being written after the last entry. */
  streaming: boolean;
}

export const Entries = memo(function Entries({ timeline, slots, streaming, ...rest }: EntriesProps): ReactNode {
  const [[blocks, own]] = useState(() => [createBlocks(), createGroups()] as const);
  const groups = own(slots);
  return blocks(timeline).map((block) => {
    const last = block.start + block.entries.length === timeline.length && !streaming;
    return (
      <BlockView
        key={block.start}
        block={block}
        slots={groups.get(block.start) ?? noSlots}
        lastIndex={last ? timeline.length - 1 : -1}
        {...rest}
      />
    );
  });
});

/** A run of entries that React passes over as one when nothing in it changed. */
interface Block {
  readonly start: number;
  readonly entries: readonly ShownEntry[];
  readonly keys: readonly string[];
}

const blockSize = 50;
const noSlots: PlacedSlots["at"] = new Map();

// What these two remember only saves work: it never changes what comes out.

function createBlocks(): (timeline: readonly ShownEntry[]) => Block[] {
  let before: Block[] = [];
  return (timeline) => {
    const blocks: Block[] = [];
    for (let start = 0; start < timeline.length; start += blockSize) {
      const old = before[blocks.length];
      blocks.push(old && isSame(old, timeline) ? old : block(timeline.slice(start, start + blockSize), start));
    }
    before = blocks;
    return blocks;
  };
}

/** The slots of each block, by its start. A block whose slots did not change has the same map as before. */
function createGroups(): (slots: PlacedSlots["at"]) => ReadonlyMap<number, PlacedSlots["at"]> {
  let before = new Map<number, PlacedSlots["at"]>();
  return (slots) => {
    const own = new Map<number, Map<number, ShownSlot[]>>();
    for (const [index, group] of slots) {
      const start = index - (index % blockSize);
      own.set(start, (own.get(start) ?? new Map()).set(index, group));
    }
    const kept = [...own].map(([start, groups]) => {
      const old = before.get(start);
      const same = old?.size === groups.size && [...groups].every(([index, group]) => old.get(index) === group);
      return [start, same ? old : groups] as const;
    });
    before = new Map(kept);
    return before;
  };
}

function isSame({ start, entries }: Block, timeline: readonly ShownEntry[]): boolean {
  return (
    entries.length === Math.min(blockSize, timeline.length - start) &&
    entries.every((entry, index) => entry === timeline[start + index])
  );
}

function block(entries: ShownEntry[], start: number): Block {
  // Some providers use ids again, and entries made by hand may have none.
  const counts = new Map<string, number>();
  const keys = entries.map(({ kind, id }) => {
    const name = `${kind}:${id ?? ""}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return `${name}:${count}`;
  });
  return { start, entries, keys };
}

type BlockViewProps = Omit<EntriesProps, "timeline" | "streaming"> & { block: Block; lastIndex: number };

const BlockView = memo(function BlockView({ block, slots, lastIndex, ...rest }: BlockViewProps): ReactNode {
  return block.entries.map((entry, offset) => {
    const index = block.start + offset;
    return (
      <EntryView
        key={block.keys[offset]}
        entry={entry}
        index={index}
        slots={slots.get(index)}
        isLast={index === lastIndex}
        {...rest}
      />
    );
  });
});

type EntryViewProps = Omit<BlockViewProps, "block" | "slots" | "lastIndex"> & {
  entry: ShownEntry;
  index: number;
  isLast: boolean;
  slots: ShownSlot[] | undefined;
};

const EntryView = memo(function EntryView({ entry, index, isLast, slots, ...handle }: EntryViewProps): ReactNode {
  if (entry.kind === "compaction") return <DefaultCompaction entry={entry} />;
  const thought = entry.kind === "user" ? "" : (entry.reasoning ?? "");
  const reasoning = <Reasoning text={thought} streaming={false} renderReasoning={handle.renderReasoning} of={entry} />;
  if (entry.kind !== "tool") {
    const silent = entry.kind === "agent_text" && entry.text === "";
    const message = renderPart(handle, "renderMessage", DefaultMessage, { entry, index, isLast }, entry);
    return (
      <>
        {reasoning}
        {!silent && message}
      </>
    );
  }
  const waiting = slots?.some(({ status }) => status === "pending") ?? false;
  const result = waiting ? null : handle.renderToolResult(entry);
  return (
    <>
      {reasoning}
      {renderPart(handle, "renderToolStatus", null, { entry, index, hasSlot: waiting }, entry)}
      {/* A result takes the place of the question that led to it. */}
      {result ?? (slots && <Slots slots={slots} renderSlot={handle.renderSlot} />)}
    </>
  );
});
