// A chat with apps of an MCP server. Its storage says where that is, and how it is drawn.

import { mcpServer } from "glove-wasm/mcp";
import { createMcpApps } from "glove-wasm/mcp/apps";
import { createEndpointModel, GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createScriptedModel } from "glove-wasm/testing";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

const given = JSON.parse(localStorage.getItem("given") ?? "{}") as {
  readonly url: string;
  readonly page?: string;
  readonly firstUse?: "ask" | "allow";
  readonly ask?: boolean;
  readonly tool?: string;
  readonly input?: object;
  readonly strict?: boolean;
  /** Whether the server's hints decide. */
  readonly hints?: boolean;
  /** What the model writes is said by the test. */
  readonly written?: boolean;
};

const apps = createMcpApps({ page: given.page, maxCalls: 20 });

const map = mcpServer({
  name: "map",
  url: given.url,
  firstUse: given.firstUse ?? "ask",
  approvals: given.hints ? "hints" : () => given.ask ?? false,
  apps,
});

const asked: { readonly system: string; readonly tools: readonly string[] }[] = [];

/** An answer that is written as the test says it: `say` for each event, `over` at its end. */
const byHand = () => {
  let say: (event: object) => void = () => {};
  let over = () => {};
  let isAsked = false;
  const fetch = async () => {
    isAsked = true;
    const body = new ReadableStream<Uint8Array>({
      start: (to) => {
        say = (event) => to.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
        over = () => to.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  Object.assign(globalThis, { say: (event: object) => say(event), over: () => over(), asked_of_model: () => isAsked });
  return createEndpointModel("/chat", { fetch });
};

const client = new GloveClient({
  systemPrompt: "",
  plugins: [map],
  createModel: () =>
    given.written
      ? byHand()
      : createScriptedModel(({ messages, tools, systemPrompt }) => {
          asked.push({ system: systemPrompt, tools });
          const last = messages.at(-1);
          if (last?.tool_results?.length) return "Here it is.";
          if (!/rome/i.test(last?.text ?? "") || messages.some(({ tool_results }) => tool_results?.length)) return "I see.";
          return { toolCalls: [{ name: `map__${given.tool ?? "show_map"}`, input: given.input ?? { place: "Rome" }, id: "c1" }] };
        }),
});

const sessionId = localStorage.getItem("session") ?? "s";

function Chat() {
  return <Render glove={useGlove({ sessionId })} />;
}

const chat = (
  <GloveProvider client={client} renderers={apps.renderers}>
    <Chat />
  </GloveProvider>
);
const root = createRoot(document.body.appendChild(document.createElement("main")));
root.render(given.strict ? <StrictMode>{chat}</StrictMode> : chat);

Object.assign(globalThis, { root, client, asked, session: client.session(sessionId) });
