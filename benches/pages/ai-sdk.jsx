// A page of the AI SDK: its loop is on the server, and it stores nothing.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";

const transport = new DefaultChatTransport({ api: "/chat/ai-sdk" });
const textOf = ({ parts }) => parts.map((part) => part.text ?? "").join("");

const said = (text, at) => ({ id: `m${at}`, role: at % 2 ? "assistant" : "user", parts: [{ type: "text", text }] });

export function Page({ Screen, history = [] }) {
  const { messages, sendMessage } = useChat({ transport, messages: history.map(said) });
  return <Screen texts={messages.map(textOf)} send={(text) => sendMessage({ text })} ready />;
}
