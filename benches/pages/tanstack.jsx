// A page of TanStack AI: its loop is on the server, and it stores nothing.
import { fetchServerSentEvents, useChat } from "@tanstack/ai-react";

const connection = fetchServerSentEvents("/chat/tanstack");
const textOf = ({ parts }) => parts.map((part) => part.content ?? "").join("");

const said = (text, at) => ({
  id: `m${at}`,
  role: at % 2 ? "assistant" : "user",
  parts: [{ type: "text", content: text }],
});

export function Page({ Screen, history = [] }) {
  const { messages, sendMessage } = useChat({ connection, initialMessages: history.map(said) });
  return <Screen texts={messages.map(textOf)} send={sendMessage} ready />;
}
