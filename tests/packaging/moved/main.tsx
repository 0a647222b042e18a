// An application as one writes it for glove-react. Only its imports were changed.
import {
  createRemoteStore,
  GloveClient,
  GloveProvider,
  type InputRenderProps,
  type MessageRenderProps,
  Render,
  type RenderStrategy,
  type SlotContainerRenderProps,
  type StreamingRenderProps,
  type SubscriberAdapter,
  type ToolStatusRenderProps,
  useGlove,
} from "glove-wasm/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { tools } from "./tools.js";

const events: string[] = [];
const recorder: SubscriberAdapter = {
  async record(event_type, data) {
    events.push(event_type === "text_delta" ? `${event_type} ${data.text}` : event_type);
  },
};
Object.assign(window, { events });

const client = new GloveClient({
  endpoint: "/api/chat",
  systemPrompt: "You are a helpful assistant.",
  tools,
  subscribers: [recorder],
  compaction: { compaction_instructions: "Summarise.", max_turns: 50, compaction_context_limit: 100_000 },
  createStore: (sessionId) =>
    createRemoteStore(sessionId, {
      getMessages: async (id) => (await fetch(`/api/messages?session=${id}`)).json(),
      appendMessages: async (id, messages) =>
        fetch(`/api/messages?session=${id}`, { method: "POST", body: JSON.stringify(messages) }),
    }),
});

const parameters = new URLSearchParams(location.search);

function Message({ entry, index, isLast }: MessageRenderProps) {
  return (
    <p data-index={index} data-last={isLast}>
      {entry.kind === "user" ? "You" : "Agent"}: {entry.text}
    </p>
  );
}

const Status = ({ entry, hasSlot }: ToolStatusRenderProps) => (
  <small>
    {entry.name} {entry.status} {hasSlot ? "shown" : ""}
  </small>
);

const Streaming = ({ text }: StreamingRenderProps) => <p>Agent writes: {text}</p>;

function Input({ send, busy, abort }: InputRenderProps) {
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send(text);
        setText("");
      }}
    >
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} disabled={busy} />
      {busy && (
        <button type="button" onClick={abort}>
          Stop
        </button>
      )}
    </form>
  );
}

const Aside = ({ slots, renderSlot }: SlotContainerRenderProps) => <aside>{slots.map(renderSlot)}</aside>;

function WithRender() {
  const glove = useGlove({ sessionId: "s1" });
  return (
    <>
      <Render
        glove={glove}
        strategy={(parameters.get("strategy") ?? "interleaved") as RenderStrategy}
        renderMessage={Message}
        renderToolStatus={Status}
        renderStreaming={Streaming}
        renderInput={Input}
        renderSlotContainer={Aside}
        as="section"
        className="chat"
      />
      <ul>
        {glove.tasks.map((task) => (
          <li key={task.id}>
            {task.activeForm}: {task.status}
          </li>
        ))}
      </ul>
      <footer>Turns: {glove.stats.turns}</footer>
    </>
  );
}

/** The same conversation drawn by hand. */
function ByHand() {
  const { timeline, streamingText, busy, slots, sendMessage, abort, renderSlot, renderToolResult } = useGlove({
    sessionId: "s1",
  });
  return (
    <section>
      {timeline.map((entry, index) => {
        if (entry.kind === "tool") return <div key={entry.id}>{renderToolResult(entry)}</div>;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: as people write it; in glove-react these entries have no id.
          <p key={index}>
            {entry.kind}: {entry.text}
          </p>
        );
      })}
      {streamingText && <p>{streamingText}</p>}
      {slots.map(renderSlot)}
      <Input send={sendMessage} busy={busy} abort={abort} />
    </section>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>{parameters.has("by-hand") ? <ByHand /> : <WithRender />}</GloveProvider>,
);
