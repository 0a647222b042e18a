// A page whose model calls hundreds of tools that there are not.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { createRoot } from "react-dom/client";

const round = (at: number) => ({
  toolCalls: Array.from({ length: 333 }, (_, n) => ({ name: `nothing_${at}_${n}`, input: { n } })),
});
const known = { name: "known", description: "", jsonSchema: { type: "object" }, do: () => 1 };
const drawn = !location.search.includes("bare");
const client = new GloveClient({
  systemPrompt: "",
  createModel: () => createScriptedModel([round(0), round(1), round(2), "Well."]),
  tools: [known],
  subscribers: [{ record() {} }],
});
const Chat = () => <Render glove={useGlove({ sessionId: "s" })} />;
if (drawn)
  createRoot(document.body.appendChild(document.createElement("main"))).render(
    <GloveProvider client={client}>
      <Chat />
    </GloveProvider>,
  );

/** The longest tasks of the page while three rounds of calls are refused, in milliseconds. */
async function refuse() {
  const session = client.session("s");
  await session.start();
  const tasks: number[] = [];
  const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  watch.observe({ type: "longtask" });
  const began = performance.now();
  const { type } = await session.sendMessage("go");
  const took = performance.now() - began;
  await new Promise((later) => setTimeout(later, 1_000));
  return { type, took, longest: Math.max(0, ...tasks), tasks: tasks.length, entries: session.getSnapshot().timeline.length };
}

Object.assign(globalThis, { refuse });
