// A page of a chat in StrictMode, behind Suspense where it is told so, which notes what it shows in each frame; for tests that bundle it.
import { GloveClient, GloveProvider, Render, useGlove, useSuspenseGlove } from "glove-wasm/react";
import { StrictMode, Suspense, useEffect } from "react";
import { createRoot } from "react-dom/client";

const useChat = location.hash === "#suspense" ? useSuspenseGlove : useGlove;
const client = new GloveClient({ endpoint: "/chat", systemPrompt: "You help.", persistSession: true });
const frames: string[] = [];

let sent = false;

function Chat() {
  const glove = useChat();
  const { sendMessage } = glove;
  useEffect(() => {
    if (!sent) sendMessage("Hi").catch(() => {});
    sent = true;
  }, [sendMessage]);
  return <Render glove={glove} />;
}

const root = document.body.appendChild(document.createElement("main"));
createRoot(root).render(
  <StrictMode>
    <GloveProvider client={client}>
      <Suspense fallback={null}>
        <Chat />
      </Suspense>
    </GloveProvider>
  </StrictMode>,
);

/** What the list of the conversation shows, and how high it is. */
function look(): void {
  const texts = [...root.querySelectorAll("[data-glove-role=user], [data-glove-role=agent]")].map((entry) => entry.textContent);
  const now = texts.join(" | ");
  if (frames.at(-1) !== now) frames.push(now);
  requestAnimationFrame(look);
}
look();

Object.assign(globalThis, { frames, now: () => frames.at(-1) });
