// The settled part of a conversation. An entry renders again only when something of it changed, however long the list is.
import { Fragment, memo, type ReactNode, useContext, useState } from "react";
import type { ShownEntry, ShownSlot, ToolEntry } from "../../src/snapshot/snapshot.js";
import { usePartOf } from "../hooks/handle-registry.js";
import { tasksOf } from "../parts/calls/tasks.js";
import { ToolCard } from "../parts/calls/tool-card.js";
import { ChatContext } from "../parts/chat-context.js";
import { Icon } from "../parts/icons.js";
import { Message } from "../parts/message.js";
import { BranchPicker } from "../parts/versions/lazy.js";
import { DefaultCompaction, Reasoning, Slots } from "./defaults.js";
import { useDrawnRows } from "./drawn-rows.js";
import { useDrawnInTurn } from "./gradual-render.js";
import { useLabels } from "./labels.js";
import { AtOnce } from "./long-text.js";
import { renderPart } from "./mount-renderer.js";
import type { PlacedSlots } from "./slots.js";
import type { GloveHandle, RenderProps } from "./types.js";

export interface EntriesProps
  extends Pick<RenderProps, "renderMessage" | "renderToolStatus" | "renderReasoning" | "renderStreaming">,
    Pick<GloveHandle, "renderSlot" | "renderToolResult" | "renderOutput"> {
  timeline: readonly ShownEntry[];
  slots: PlacedSlots["at"];
  /** An answer is being written after the last entry. */
  streaming: boolean;
  /** Whose answer is being written: it is drawn where its entry will be. */
  live: GloveHandle | undefined;
  /** Its first part, where the limit of tokens had ended it. */
  begun: ShownEntry | undefined;
  /** It has the boxes of the look: of a long conversation those blocks stand in the document that are near what is seen. */
  hasBoxes: boolean;
}

export const Entries = memo(function Entries({
  timeline: all,
  slots,
  streaming,
  live: answer,
  hasBoxes,
  ...rest
}: EntriesProps): ReactNode {
  const timeline = useDrawnInTurn(all);
  // It stands after the last entry.
  const live = timeline === all ? answer : undefined;
  const [[blocks, own]] = useState(() => [createBlocks(), createGroups()] as const);
  const runs = blocks(timeline, live !== undefined);
  const groups = own(slots, runs);
  const [parts, log] = useDrawnRows(runs, hasBoxes);
  const [found] = useState(() => (rows: Element | null) => {
    log.current = rows?.parentElement ?? log.current;
  });
  // React looks at all that stands beside what renders: fewer, where blocks stand together. A block stays where it is, whatever stands before it.
  const together = new Map<number, ReactNode[]>();
  for (const [at, part] of parts.entries()) {
    const isAway = !("block" in part);
    // A room stays the same element, however far it reaches: the first one at the beginning, others before what follows them.
    const after = isAway && at > 0 ? parts[at + 1] : undefined;
    const start = after && "block" in after ? after.block.start : isAway ? part.away : part.block.start;
    const beside = together.get(Math.floor(start / fragment)) ?? [];
    together.set(Math.floor(start / fragment), beside);
    if (isAway) {
      beside.push(<Away key={`away:${start}`} height={part.height} isBefore={at === 0} />);
      continue;
    }
    const { block, returns, atOnce = false } = part;
    const last = start + block.entries.length === all.length && !streaming;
    const view = (
      <BlockView
        key={start}
        block={block}
        slots={groups.get(start) ?? noSlots}
        lastIndex={last ? timeline.length - 1 : -1}
        live={block === runs.at(-1) ? live : undefined}
        {...rest}
      />
    );
    const rows = hasBoxes ? (
      <div key={start} ref={found} data-glove-rows={start} aria-live={returns ? "off" : undefined}>
        <AtOnce.Provider value={atOnce}>{view}</AtOnce.Provider>
      </div>
    ) : (
      view
    );
    beside.push(rows);
  }
  return [...together].map(([at, beside]) => <Fragment key={at}>{beside}</Fragment>);
});

/** The room of what is not drawn. Who reads with a screen reader goes on there with a button. */
function Away({ height, isBefore }: { readonly height: number; readonly isBefore: boolean }): ReactNode {
  const say = useLabels();
  const goOn = ({ currentTarget }: { readonly currentTarget: Element }) =>
    currentTarget.parentElement?.scrollIntoView({ block: isBefore ? "end" : "start" });
  return (
    <div data-glove-away="" aria-live="off" style={{ height }}>
      <button type="button" tabIndex={-1} data-glove-label="" onClick={goOn}>
        {say(isBefore ? "Earlier messages" : "Later messages")}
      </button>
    </div>
  );
}

/** A run of entries that React passes over as one when nothing in it changed. */
interface Block {
  readonly start: number;
  readonly entries: readonly ShownEntry[];
  readonly keys: readonly string[];
  /** What follows it. */
  readonly next: ShownEntry["kind"] | undefined;
}

const blockSize = 10;
/** Calls that stand together are not parted, unless they are so many. */
const mostTogether = 50;
/** In entries. */
const fragment = 400;
const noSlots: PlacedSlots["at"] = new Map();

// What these two remember only saves work: it never changes what comes out.

function createBlocks(): (timeline: readonly ShownEntry[], live: boolean) => Block[] {
  let before: Block[] = [];
  /** Where an answer was being written last. */
  let liveAt: number | undefined;
  /** An entry whose answer was seen growing keeps the element that it grew in, and what is drawn there. */
  const grown = new Map<string, string>();
  return (timeline, live) => {
    const written = liveAt === undefined ? undefined : timeline[liveAt];
    if (liveAt !== undefined && written?.kind === "agent_text") grown.set(written.id, liveKey(liveAt));
    liveAt = live ? timeline.length : timeline.length > (liveAt ?? 0) ? undefined : liveAt;
    const blocks: Block[] = [];
    for (let start = 0; start < timeline.length; ) {
      const old = before[blocks.length];
      const end = endOf(start, timeline);
      const next = timeline[end]?.kind;
      const same = old?.start === start && old.next === next && isSame(old, timeline, end);
      blocks.push(same ? old : keyed(timeline.slice(start, end), start, grown, next));
      start = end;
    }
    const last = blocks.at(-1);
    if (live && (!last || last.entries.length >= blockSize)) blocks.push(keyed([], timeline.length, grown));
    before = blocks;
    return blocks;
  };
}

const liveKey = (at: number) => `live:${at}`;

/** Where the block ends that begins there: whatever comes later, it begins where it began. */
function endOf(start: number, timeline: readonly ShownEntry[]): number {
  const isCall = (at: number) => timeline[at]?.kind === "tool";
  let end = Math.min(start + blockSize, timeline.length);
  while (isCall(end - 1) && isCall(end) && end - start < mostTogether) end++;
  return end;
}

/** The slots of each block, by its start. A block whose slots did not change has the same map as before. */
function createGroups(): (slots: PlacedSlots["at"], blocks: readonly Block[]) => ReadonlyMap<number, PlacedSlots["at"]> {
  let before = new Map<number, PlacedSlots["at"]>();
  return (slots, blocks) => {
    const own = new Map<number, Map<number, ShownSlot[]>>();
    for (const [index, group] of slots) {
      const start = blocks.findLast((block) => block.start <= index)?.start ?? 0;
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

function isSame({ start, entries }: Block, timeline: readonly ShownEntry[], end: number): boolean {
  return entries.length === end - start && entries.every((entry, index) => entry === timeline[start + index]);
}

function keyed(entries: ShownEntry[], start: number, grown: ReadonlyMap<string, string>, next?: ShownEntry["kind"]): Block {
  // Some providers use ids again, and entries made by hand may have none.
  const counts = new Map<string, number>();
  const keys = entries.map(({ kind, id }) => {
    const name = grown.get(id) ?? `${kind}:${id ?? ""}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return `${name}:${count}`;
  });
  return { start, entries, keys, next };
}

type BlockViewProps = Omit<EntriesProps, "timeline" | "streaming" | "hasBoxes"> & { block: Block; lastIndex: number };

const BlockView = memo(function BlockView({ block, slots, lastIndex, live, ...rest }: BlockViewProps): ReactNode {
  const { start, entries, keys, next } = block;
  const undoable = usePartOf(useContext(ChatContext)?.glove, ({ undoable }) => undoable);
  const views: ReactNode[] = [];
  /** Calls that stand together, and of which there is nothing to see. */
  let steps: ReactNode[] = [];
  for (const [offset, entry] of entries.entries()) {
    const index = start + offset;
    const isLast = index === lastIndex;
    const key = keys[offset];
    const after = offset + 1 < entries.length ? entries[offset + 1]?.kind : next;
    const view = (
      <EntryView
        key={key}
        entry={entry}
        index={index}
        slots={slots.get(index)}
        isLast={isLast}
        goesOn={entry.kind === "agent_text" && (after === "tool" || after === "agent_text")}
        {...rest}
      />
    );
    const step = isStep(entry, rest) && !slots.has(index) && !undoable?.some(({ toolCallId }) => toolCallId === entry.id);
    if (step) steps.push(view);
    else views.push(view);
    if (steps.length === 0 || (step && after === "tool")) continue;
    // In front of what ended them. The last ones of a run that goes on are seen as they end.
    const at = step ? views.length : views.length - 1;
    views.splice(at, 0, ...(steps.length >= fewest && (!step || after) ? [<Steps key={`s${key}`}>{steps}</Steps>] : steps));
    steps = [];
  }
  if (!live) return views;
  const index = start + entries.length;
  return [...views, <EntryView key={`${liveKey(index)}:0`} live={live} index={index} isLast={false} {...rest} />];
});

const fewest = 3;

/** A call that went well, and shows no more than its card. */
function isStep(entry: ShownEntry, { renderToolStatus, renderToolResult }: StepProps): boolean {
  if (entry.kind !== "tool" || renderToolStatus) return false;
  const { status, undone, branches, outputs, name, input } = entry;
  if (status !== "success" || undone || branches || outputs?.length || tasksOf(name, input)) return false;
  return !renderToolResult(entry);
}

type StepProps = Pick<EntriesProps, "renderToolStatus" | "renderToolResult">;

function Steps({ children }: { readonly children: ReactNode[] }): ReactNode {
  const say = useLabels();
  return (
    <details data-glove-role="steps" data-glove-step="">
      <summary>
        <span data-glove-state-icon="">
          <Icon name="done" />
        </span>
        <span>{say("{n} steps", { n: children.length })}</span>
        <Icon name="chevron" />
      </summary>
      {children}
    </details>
  );
}

type EntryViewProps = Omit<BlockViewProps, "block" | "slots" | "lastIndex" | "live"> & {
  /** None where the answer is still being written. */
  entry?: ShownEntry;
  index: number;
  isLast: boolean;
  goesOn?: boolean;
  slots?: ShownSlot[] | undefined;
  live?: GloveHandle;
};

const EntryView = memo(function EntryView({ entry, ...rest }: EntryViewProps): ReactNode {
  if (entry?.kind === "compaction") return <DefaultCompaction entry={entry} />;
  if (entry?.kind === "tool") return <ToolView entry={entry} {...rest} />;
  return <MessageView entry={entry} {...rest} />;
});

type MessageViewProps = Omit<EntryViewProps, "entry"> & {
  entry: Exclude<ShownEntry, { kind: "tool" | "compaction" }> | undefined;
};

function MessageView({ entry, live, begun, index, isLast, ...handle }: MessageViewProps): ReactNode {
  const growing = usePartOf(live, ({ streamingText }) => streamingText) ?? "";
  const thought = usePartOf(live, ({ streamingReasoning }) => streamingReasoning) ?? "";
  const first = entry || begun?.kind !== "agent_text" ? undefined : begun;
  const said = entry ? (entry.kind === "agent_text" ? (entry.reasoning ?? "") : "") : (first?.reasoning ?? thought);
  const text = entry ? entry.text : (first?.text ?? "") + growing;
  const silent = text === "" && entry?.kind !== "user";
  return (
    <>
      <Reasoning text={said} streaming={!entry && text === ""} renderReasoning={handle.renderReasoning} of={entry} />
      {silent ? entry && <Versions of={entry} /> : <Words entry={entry} text={text} index={index} isLast={isLast} {...handle} />}
    </>
  );
}

/** Of what has no row of buttons of its own. */
const Versions = ({ of }: { readonly of: ShownEntry }): ReactNode =>
  of.branches && (
    <div data-glove-tools="">
      <BranchPicker entry={of} />
    </div>
  );

type WordsProps = Omit<MessageViewProps, "live" | "begun" | "slots"> & { text: string };

/** A message as the application draws it, or the one element that an answer grows in and stays in. */
function Words({ entry, text, index, isLast, goesOn, renderMessage, renderStreaming }: WordsProps): ReactNode {
  if (entry && renderMessage) return renderPart({ renderMessage }, "renderMessage", null, { entry, index, isLast }, entry);
  // It is not tried again at each piece: the message would be read out each time.
  if (!entry && renderStreaming) return renderPart({ renderStreaming }, "renderStreaming", null, { text });
  const message = entry ?? { kind: "agent_text", text };
  return <Message entry={message} isLast={isLast} streaming={!entry} goesOn={goesOn} />;
}

type ToolViewProps = Omit<EntryViewProps, "entry" | "live"> & { entry: ToolEntry };

function ToolView({ entry, index, slots, ...handle }: ToolViewProps): ReactNode {
  const waiting = slots?.some(({ status }) => status === "pending") ?? false;
  const asks = slots?.some(({ status, waits }) => waits && status === "pending") ?? false;
  const result = waiting ? null : handle.renderToolResult(entry);
  // A result takes the place of the question that led to it.
  const shows = result ?? (slots && <Slots slots={slots} renderSlot={handle.renderSlot} />);
  return (
    <>
      <Reasoning text={entry.reasoning ?? ""} streaming={false} renderReasoning={handle.renderReasoning} of={entry} />
      {handle.renderToolStatus ? (
        <>
          {renderPart(handle, "renderToolStatus", null, { entry, index, hasSlot: waiting }, entry)}
          {shows}
        </>
      ) : (
        <ToolCard entry={entry} hasSlot={asks}>
          {shows}
        </ToolCard>
      )}
      {handle.renderOutput &&
        entry.outputs?.map((output, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
          <Fragment key={at}>{handle.renderOutput?.(output)}</Fragment>
        ))}
      {!handle.renderToolStatus && <Versions of={entry} />}
    </>
  );
}
