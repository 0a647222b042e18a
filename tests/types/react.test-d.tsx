// An application's code as it was written for the original, and what the hooks infer.
import {
  DefaultMessage,
  type EnhancedSlot,
  type GloveHandle,
  type MessageRenderProps,
  Render,
  type RenderStrategy,
  type ShownEntry,
  type ShownSlot,
  type Task,
  type TimelineEntry,
  type ToolEntry,
  type UIMessage,
  type UseGloveConfig,
  type UseGloveReturn,
  useGlove,
  useSlot,
  useToolCall,
} from "glove-wasm/react";
import type { ReactNode } from "react";
import { expectTypeOf } from "vitest";

// Applications name the parts of what the hook gives.
expectTypeOf<ReturnType<typeof useGlove>>().toEqualTypeOf<UseGloveReturn>();
expectTypeOf<Parameters<typeof useGlove>[0]>().toEqualTypeOf<UseGloveConfig | undefined>();

function Message({ entry, index, isLast }: MessageRenderProps): ReactNode {
  const images: readonly string[] = entry.kind === "user" ? (entry.images ?? []) : [];
  return <p>{`${index} ${isLast} ${entry.text} ${images.length}`}</p>;
}

function Panel({ glove }: { glove: GloveHandle }): ReactNode {
  const tools = glove.timeline.filter((entry): entry is ToolEntry => entry.kind === "tool");
  return <p>{tools.map(({ name, status, output }) => `${name} ${status} ${output}`)}</p>;
}

export function Chat({ strategy }: { strategy?: RenderStrategy }): ReactNode {
  const glove = useGlove({ sessionId: "s", tools: [], systemPrompt: "p", endpoint: "/chat" });
  const { timeline, tasks, slots, stats, busy, streamingText, sendMessage, abort } = glove;
  const copies: [TimelineEntry[], Task[], EnhancedSlot[]] = [timeline, tasks, slots];
  expectTypeOf(stats.tokens_in).toEqualTypeOf<number>();
  expectTypeOf(busy).toEqualTypeOf<boolean>();
  return (
    <main>
      <Panel glove={glove} />
      <Render
        glove={glove}
        {...(strategy && { strategy })}
        renderMessage={Message}
        renderToolStatus={({ entry, hasSlot }) => (hasSlot ? null : <p>{entry.name}</p>)}
        renderStreaming={({ text }) => <p>{text}</p>}
        renderInput={({ send, busy, abort }) => (
          <button type="button" onClick={busy ? abort : () => send("hi", [{ data: "", media_type: "image/png" }])}>
            send
          </button>
        )}
        renderSlotContainer={({ slots, renderSlot }) => <aside>{slots.map(renderSlot)}</aside>}
        as="section"
        className="chat"
        style={{ color: "red" }}
      />
      <Render glove={{ ...glove, sendMessage: (text) => console.log(text) }} />
      {slots.map(glove.renderSlot)}
      <button type="button" onClick={() => sendMessage("x", [{ data: "", media_type: "image/png" }])} onBlur={abort}>
        {streamingText}
        {copies.length}
      </button>
    </main>
  );
}

// What tests and stories make by hand, as the original's types allow it.
const made: TimelineEntry[] = [
  { kind: "user", text: "Hi", images: ["data:,"] },
  { kind: "agent_text", text: "Hello" },
  { kind: "tool", id: "c1", name: "look", input: {}, status: "running" },
];
const question: EnhancedSlot = {
  id: "s1",
  renderer: "look",
  input: {},
  toolName: "look",
  toolCallId: "c1",
  createdAt: 1,
  displayStrategy: "stay",
  status: "pending",
};
const byHand: GloveHandle = {
  timeline: made,
  streamingText: "",
  busy: false,
  slots: [question],
  sendMessage: () => {},
  abort: () => {},
  renderSlot: ({ id }) => <p key={id} />,
  renderToolResult: () => null,
  resolveSlot: () => {},
  rejectSlot: () => {},
};

export function Story(): ReactNode {
  return (
    <>
      <Message entry={{ kind: "user", text: "Hi" }} index={0} isLast />
      <DefaultMessage entry={{ kind: "agent_text", text: "Hello" }} />
      <Render glove={byHand} />
      <Render glove={{ ...byHand, timeline: [{ kind: "user", text: "Hi" }] }} renderMessage={Message} />
    </>
  );
}

// What a conversation gives has all of it.
export function Read(): ReactNode {
  const glove = useGlove();
  expectTypeOf(glove.timeline).toEqualTypeOf<ShownEntry[]>();
  expectTypeOf<ShownEntry["id"]>().toEqualTypeOf<string>();
  expectTypeOf(glove.slots).toEqualTypeOf<ShownSlot[]>();
  expectTypeOf<ShownSlot["waits"]>().toEqualTypeOf<boolean>();
  expectTypeOf(useSlot("s")).toEqualTypeOf<ShownSlot | undefined>();
  const copy: TimelineEntry[] = glove.timeline;
  return (
    <Render
      glove={glove}
      strategy="slots-after"
      renderMessage={({ entry }) => {
        expectTypeOf(entry.id).toEqualTypeOf<string>();
        return entry.kind === "user" ? entry.images?.length : entry.reasoning;
      }}
      renderSlotContainer={({ slots, renderSlot }) => {
        expectTypeOf(slots).toEqualTypeOf<ShownSlot[]>();
        return [...slots.map(renderSlot), copy.length];
      }}
    />
  );
}

export function Selected(): ReactNode {
  expectTypeOf(useGlove(({ messages }) => messages)).toEqualTypeOf<UIMessage[]>();
  expectTypeOf(useGlove(({ busy }) => busy)).toEqualTypeOf<boolean>();
  expectTypeOf(useToolCall("c")).toEqualTypeOf<ToolEntry | undefined>();
  return null;
}
