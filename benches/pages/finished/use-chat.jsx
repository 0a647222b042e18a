// A finished chat of the AI SDK's hook with Streamdown: a list of messages that draw anew only when they change. Its loop is on a server, and it
// stores nothing. Its look is CSS of the application, which is not counted.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { memo, useState } from "react";
import { Streamdown } from "streamdown";
import { history, transport, useSent } from "./start.jsx";

const way = transport ?? new DefaultChatTransport({ api: "/chat/ai-sdk" });

const Message = memo(({ message: { role, parts } }) => (
  <article data-role={role}>
    {parts.map(({ type, text }, at) => {
      if (type !== "text") return null;
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are added at the end.
      return role === "user" ? <p key={at}>{text}</p> : <Streamdown key={at}>{text}</Streamdown>;
    })}
  </article>
));

export function Chat() {
  const { messages, sendMessage, status, stop } = useChat({ transport: way, messages: history });
  const [text, setText] = useState("");
  useSent((text) => sendMessage({ text }));
  const submit = (event) => {
    event.preventDefault();
    void sendMessage({ text });
    setText("");
  };
  return (
    <main>
      <div style={{ height: "90vh", overflowY: "auto" }}>
        {messages.map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </div>
      <form onSubmit={submit}>
        <textarea value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
        {status === "streaming" && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </form>
    </main>
  );
}
