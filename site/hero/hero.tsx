// The chat on the start page: a refund that needs an approval. It is stored as in any app, so the page around it can end it at any moment.
import { createEndpointModel, defineTool, GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { type Assistant, scripted } from "../../demo/network/script.js";

z.config({ jitless: true });

const late = `Two of them are late:

| Order | Due | Where it is |
|---|---|---|
| A-1042 | 12 Nov | damaged in transit |
| A-1057 | 19 Nov | in customs |

The first one can be refunded.`;

const assistant: Assistant = ({ results, failed, text }) => {
  if (failed) return { text: "Nothing was paid. The order stays as it is." };
  if (results.length > 0) return { text: "**€80 are on their way back.** The payment was made once." };
  if (/late|refund|order/i.test(text)) return { text: late, calls: [["refund", { order: "A-1042", euros: 80 }]] };
  return { text: "I look after orders. Ask me which ones are late." };
};

// Where the payments of this demo are counted: outside of the conversation, as in a bank.
const paid = "site-hero-paid";

const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order.",
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  title: ({ order }) => `Refund for ${order}`,
  confirm: ({ order, euros }) => `Refund €${euros} for order ${order}?`,
  requireApproval: true,
  danger: true,
  do() {
    count(payments() + 1);
    return "paid back";
  },
});

let inMemory = 0;

// Where nothing may be stored, it is counted in this page.
function payments(): number {
  try {
    return Number(localStorage.getItem(paid) ?? 0);
  } catch {
    return inMemory;
  }
}

function count(times: number): void {
  inMemory = times;
  try {
    localStorage.setItem(paid, String(times));
  } catch {}
}

const client = new GloveClient({
  // In an app: `endpoint: "/api/chat"`.
  createModel: () => createEndpointModel("script:", { fetch: scripted(assistant) }),
  systemPrompt: "You help with orders.",
  tools: [refund],
  persistSession: "site-hero",
});

export interface HeroState {
  readonly type: "hero";
  readonly state: "loading" | "empty" | "busy" | "waiting" | "done";
  readonly payments: number;
}

const ask = "Which orders are late? Refund the damaged one.";

function Chat() {
  const glove = useGlove();
  const { timeline, sessionReady, status, slots } = glove;
  const asks = slots.some((slot) => slot.status === "pending");
  const busy = status === "streaming" || status === "submitted";
  const state = !sessionReady ? "loading" : timeline.length === 0 ? "empty" : asks ? "waiting" : busy ? "busy" : "done";
  useEffect(() => {
    const report: HeroState = { type: "hero", state, payments: payments() };
    parent.postMessage(report, location.origin === "null" ? "*" : location.origin);
  }, [state]);
  const { sendMessage, newConversation } = glove;
  useEffect(() => {
    const onMessage = ({ data, source }: MessageEvent) => {
      if (source !== parent) return;
      if (data === "ask") void sendMessage(ask);
      if (data === "again") {
        count(0);
        newConversation();
      }
    };
    addEventListener("message", onMessage);
    return () => removeEventListener("message", onMessage);
  }, [sendMessage, newConversation]);
  return <Render glove={glove} suggestions={[ask]} welcome={<h1>How can I help with your orders?</h1>} />;
}

createRoot(document.querySelector("#root") as Element).render(
  <GloveProvider client={client}>
    <main data-glove-page="">
      <Chat />
    </main>
  </GloveProvider>,
);
