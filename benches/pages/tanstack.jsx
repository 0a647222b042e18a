// A page of TanStack AI: its loop is on the server, and it stores nothing.
import { fetchServerSentEvents, useChat } from "@tanstack/ai-react";

const connection = fetchServerSentEvents("/chat/tanstack");
const textOf = ({ parts }) => parts.map((part) => part.content ?? "").join("");

export function Page({ Screen }) {
  const { messages, sendMessage } = useChat({ connection });
  return <Screen texts={messages.map(textOf)} send={sendMessage} ready />;
}
