// A page that is spoken to: a voice hook with the interface of glove's, over stand-ins for microphone, speech to text and loudspeaker.
import {
  defineTool,
  GloveClient,
  GloveProvider,
  MemoryStore,
  type SessionRunnable,
  useGlove,
  type VoiceMode,
} from "glove-wasm/react";
import { useCallback, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";

interface Devices {
  /** Hears whole sentences of the person. */
  listen(heard: (text: string) => void): void;
  /** Says a sentence; settles when it was said, or when the signal fires. */
  speak(sentence: string, signal: AbortSignal): Promise<void>;
}

function useGloveVoice({ runnable, voice }: { runnable: SessionRunnable | null; voice: Devices }) {
  const [mode, setMode] = useState<VoiceMode>("idle");
  const turn = useRef<AbortController | null>(null);

  const interrupt = useCallback(() => {
    turn.current?.abort(new DOMException("interrupted", "AbortError"));
    // A question that is open keeps its place.
    if (runnable?.displayManager.resolverStore.size === 0) void runnable.displayManager.clearStack();
    setMode("listening");
  }, [runnable]);

  const take = useCallback(
    async (text: string) => {
      if (!runnable || (turn.current && runnable.displayManager.resolverStore.size > 0)) return;
      interrupt();
      const control = new AbortController();
      turn.current = control;
      setMode("thinking");
      let unsaid = "";
      let saying = Promise.resolve();
      const say = (sentence: string) => {
        if (sentence.trim()) saying = saying.then(() => voice.speak(sentence.trim(), control.signal));
      };
      const subscriber = {
        record: async (event: string, data: { text: string }) => {
          if (control.signal.aborted) return;
          if (event === "model_response_complete") {
            say(unsaid);
            unsaid = "";
          }
          if (event !== "text_delta") return;
          setMode("speaking");
          const sentences = (unsaid + data.text).split(/(?<=[.!?])\s/);
          unsaid = sentences.pop() ?? "";
          for (const sentence of sentences) say(sentence);
        },
      };
      runnable.addSubscriber(subscriber);
      try {
        await runnable.processRequest(text, control.signal);
        await saying;
      } catch (error) {
        if ((error as Error).name !== "AbortError") throw error;
      } finally {
        runnable.removeSubscriber(subscriber);
        if (turn.current === control) {
          turn.current = null;
          setMode("listening");
        }
      }
    },
    [runnable, voice, interrupt],
  );

  const start = useCallback(() => {
    voice.listen((text) => void take(text));
    setMode("listening");
  }, [voice, take]);
  return { mode, start, interrupt };
}

const log: string[] = [];
let heard: (text: string) => void = () => {};
const devices: Devices = {
  listen: (listener) => {
    heard = listener;
  },
  speak: async (sentence, signal) => {
    if (signal.aborted) return;
    log.push(`said: ${sentence}`);
    await new Promise((later) => setTimeout(later, 5));
  },
};

const ask = defineTool({
  name: "ask",
  description: "Asks.",
  inputSchema: z.object({}),
  async do(_, display) {
    return { status: "success", data: await display.pushAndWait({ message: "Sure?" }, "confirm") };
  },
});

const model = {
  name: "own",
  setSystemPrompt: () => {},
  async prompt(
    { messages }: { messages: { text: string; tool_results?: unknown[] }[] },
    notify: (type: string, data: unknown) => Promise<void>,
    signal?: AbortSignal,
  ) {
    const last = messages.at(-1);
    const answer = (text: string, more = {}) => ({
      messages: [{ sender: "agent" as const, text, ...more }],
      tokens_in: 1,
      tokens_out: 1,
    });
    if (last?.tool_results) return answer("As you like.");
    if (last?.text === "ask me") return answer("", { tool_calls: [{ id: "c1", tool_name: "ask", input_args: {} }] });
    if (last?.text !== "talk") {
      await notify("text_delta", { text: `You said ${last?.text}. ` });
      await notify("text_delta", { text: "And I heard it" });
      return answer(`You said ${last?.text}. And I heard it`);
    }
    for (let n = 1; !signal?.aborted; n++) {
      await notify("text_delta", { text: `Sentence ${n}. ` });
      await new Promise((later) => setTimeout(later, 10));
    }
    log.push("stopped");
    throw signal?.reason;
  },
};

const client = new GloveClient({
  systemPrompt: "",
  createModel: () => model,
  createStore: (id) => new MemoryStore(id),
  tools: [ask],
});

function Chat() {
  const glove = useGlove({ sessionId: "s" });
  const voice = useGloveVoice({ runnable: glove.runnable, voice: devices });
  Object.assign(globalThis, { glove, voice, log, say: (text: string) => heard(text) });
  return (
    <main>
      <p id="mode">{voice.mode}</p>
      {glove.slots.map(glove.renderSlot)}
    </main>
  );
}

createRoot(document.body).render(
  <GloveProvider client={client}>
    <Chat />
  </GloveProvider>,
);
