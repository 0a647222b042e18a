// A page whose conversation runs on a server, for tests that bundle it for a browser.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { createRemoteSession } from "glove-wasm/remote";
import { createRoot } from "react-dom/client";

const headers = { authorization: `Bearer ${new URLSearchParams(location.search).get("token")}` };
const client = new GloveClient({ ...createRemoteSession({ url: "/api/sessions", headers }), persistSession: true });
const Chat = () => <Render glove={useGlove()} />;

createRoot(document.body.appendChild(document.createElement("main"))).render(
  <GloveProvider client={client}>
    <Chat />
  </GloveProvider>,
);
