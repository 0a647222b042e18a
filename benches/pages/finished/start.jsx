// What the pages of finished chats have in common: `#entries=…` stand above, and `answer()` gives an answer by frames; without, a message is
// sent as soon as there is a screen.
import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { messageAt, nextFrame, tellByFrames } from "../words.js";

const asked = new URLSearchParams(location.hash.slice(1));
const entries = asked.has("entries") ? Number(asked.get("entries")) : undefined;

/** Messages as the AI SDK has them. */
export const history = Array.from({ length: entries ?? 0 }, (_, at) => {
  const { sender, text, id } = messageAt(at, entries);
  return { id, role: sender === "user" ? "user" : "assistant", parts: [{ type: "text", text }] };
});

/** The AI SDK's way to a model that tells a piece with each frame. */
const byFrames = {
  async sendMessages() {
    return new ReadableStream({
      async start(stream) {
        stream.enqueue({ type: "start", messageId: `a${Math.random()}` });
        stream.enqueue({ type: "text-start", id: "t" });
        await tellByFrames((delta) => stream.enqueue({ type: "text-delta", id: "t", delta }));
        stream.enqueue({ type: "text-end", id: "t" });
        stream.enqueue({ type: "finish" });
        stream.close();
        window.told();
      },
    });
  },
  reconnectToStream: async () => null,
};

/** Nothing where the page talks to the server. */
export const transport = entries === undefined ? undefined : byFrames;

/** `send` is how a message leaves. */
export function useSent(send) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: one message.
  useEffect(() => {
    window.isOpen = true;
    if (entries === undefined) send("Hi");
  }, []);
  useEffect(() => {
    window.answer = async (pieces) => {
      const told = new Promise((resolve) => Object.assign(window, { pieces, told: resolve }));
      send("Go on.");
      await told;
      for (let frame = 0; frame < 3; frame++) await nextFrame();
    };
  });
}

export function start(Chat) {
  createRoot(document.getElementById("root")).render(<Chat />);
}
