// The root: everything below the provider shares the client, and one conversation.
import { GloveProvider } from "glove-wasm/solid";
import { render } from "solid-js/web";
import { Chat } from "./chat";
import { client } from "./client";
import "./style.css";

const root = document.querySelector("#app");
if (root) {
  render(
    () => (
      <GloveProvider client={client}>
        <h1>Refunds</h1>
        <Chat />
      </GloveProvider>
    ),
    root,
  );
}
