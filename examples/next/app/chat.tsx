"use client";
// The conversation runs here, in the page; only the model's answers come from the server.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { fileTicket } from "./tools";

const client = new GloveClient({
  endpoint: "/api/chat",
  systemPrompt: "You are a help desk. Ask what is broken, then file a ticket with the tool.",
  tools: [fileTicket],
  persistSession: true,
});

const Conversation = () => <Render glove={useGlove()} />;

export const Chat = () => (
  <GloveProvider client={client}>
    <Conversation />
  </GloveProvider>
);
