// An application's code as it was written for the original, and what the hooks infer.
import {
  type EnhancedSlot,
  type GloveHandle,
  type MessageRenderProps,
  Render,
  type RenderStrategy,
  type Task,
  type TimelineEntry,
  type ToolEntry,
  type UIMessage,
  type UseGloveConfig,
  type UseGloveReturn,
  useGlove,
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

export function Selected(): ReactNode {
  expectTypeOf(useGlove(({ messages }) => messages)).toEqualTypeOf<UIMessage[]>();
  expectTypeOf(useGlove(({ busy }) => busy)).toEqualTypeOf<boolean>();
  expectTypeOf(useToolCall("c")).toEqualTypeOf<ToolEntry | undefined>();
  return null;
}
