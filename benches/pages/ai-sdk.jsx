// A page of the AI SDK: its loop is on the server, and it stores nothing.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";

const transport = new DefaultChatTransport({ api: "/chat/ai-sdk" });
const textOf = ({ parts }) => parts.map((part) => part.text ?? "").join("");

export function Page({ Screen }) {
  const { messages, sendMessage } = useChat({ transport });
  return <Screen texts={messages.map(textOf)} send={(text) => sendMessage({ text })} ready />;
}
