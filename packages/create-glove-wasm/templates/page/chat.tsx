/* @if next */
"use client";
/* @end */
/* @if threads */
// The chat: a list of conversations, and the one that is open.
import { GloveProvider, Render, ThreadList, useGlove } from "glove-wasm/react";
import { useRef } from "react";
/* @else */
// The chat: one conversation in the whole window.
import { GloveProvider, Render, useGlove } from "glove-wasm/react";
/* @end */
import { client } from "./client";

function Conversation() {
  /* @if attachments */
  /* @if scripted */
  return <Render glove={useGlove()} suggestions={["A book about the sea"]} />;
  /* @else */
  return <Render glove={useGlove()} suggestions={["A book about the sea"]} attachments={{ provider: "{{provider}}" }} />;
  /* @end */
  /* @else */
  return <Render glove={useGlove()} suggestions={["A book about the sea"]} attachments={false} />;
  /* @end */
}

export function Chat() {
  /* @if threads */
  const list = useRef<HTMLElement>(null);
  return (
    <GloveProvider client={client}>
      <div className="app">
        <header>
          <button type="button" popoverTarget="threads">
            Conversations
          </button>
        </header>
        <aside id="threads" popover="auto" ref={list}>
          <ThreadList onSelect={() => list.current?.hidePopover()} />
        </aside>
        <main>
          <Conversation />
        </main>
      </div>
    </GloveProvider>
  );
  /* @else */
  return (
    <GloveProvider client={client}>
      <main className="app">
        <Conversation />
      </main>
    </GloveProvider>
  );
  /* @end */
}
