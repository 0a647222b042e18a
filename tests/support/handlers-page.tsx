// A page whose buttons have functions of a conversation as their handlers, as they are: `onClick={resolve}`.
import { GloveClient, GloveProvider, MemoryStore, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import type { MouseEventHandler } from "react";
import { createRoot } from "react-dom/client";

const told: string[] = [];
const client = new GloveClient({
  systemPrompt: "",
  createStore: (id) => new MemoryStore(id),
  createModel: () =>
    createScriptedModel(({ messages }) =>
      messages.at(-1)?.tool_results || messages.some(({ text }) => text === "Hi")
        ? "Well."
        : { toolCalls: [{ name: "ask", input: {} }] },
    ),
  subscribers: [{ record: (type, data) => void (type === "error" && told.push(data.message)) }],
  tools: [
    {
      name: "ask",
      description: "",
      jsonSchema: { type: "object" },
      do: async (_, display) => String(await display.pushAndWait({ input: {} })),
      render: ({ resolve, reject, status }) =>
        status === "pending" && (
          <>
            <button type="button" onClick={resolve}>
              take
            </button>
            <button type="button" onClick={reject as unknown as MouseEventHandler}>
              refuse
            </button>
          </>
        ),
    } as import("glove-wasm/react").ToolConfig,
  ],
});

function Chat() {
  const glove = useGlove({ sessionId: "s" });
  const { timeline, slots, renderSlot, sessionId } = glove;
  const actions = ["sendMessage", "stop", "abort", "regenerate", "resume", "undo", "newConversation", "clearError"] as const;
  return (
    <>
      {slots.map(renderSlot)}
      {actions.map((name) => (
        <button key={name} type="button" onClick={glove[name] as unknown as MouseEventHandler}>
          {name}
        </button>
      ))}
      <output id="session">{sessionId}</output>
      <output id="texts">{timeline.map((entry) => ("text" in entry ? entry.text : entry.kind)).join(" | ")}</output>
    </>
  );
}

createRoot(document.body.appendChild(document.createElement("main"))).render(
  <GloveProvider client={client}>
    <Chat />
  </GloveProvider>,
);
Object.assign(globalThis, { client, told });
