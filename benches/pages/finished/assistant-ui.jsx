// A finished chat of assistant-ui with the AI SDK and markdown, of its own parts. Its loop is on a server, and it stores nothing. Its look is CSS
// of the application, which is not counted.
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from "@assistant-ui/react";
import { AssistantChatTransport, useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown";
import remarkGfm from "remark-gfm";
import { history, transport, useSent } from "./start.jsx";

const plugins = [remarkGfm];
// What types letter by letter would go on when the answer is over.
const Markdown = () => <MarkdownTextPrimitive remarkPlugins={plugins} smooth={false} />;

const UserMessage = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
  </MessagePrimitive.Root>
);

const AssistantMessage = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts components={{ Text: Markdown }} />
    <ActionBarPrimitive.Root hideWhenRunning autohide="not-last">
      <ActionBarPrimitive.Copy>Copy</ActionBarPrimitive.Copy>
      <ActionBarPrimitive.Reload>Again</ActionBarPrimitive.Reload>
    </ActionBarPrimitive.Root>
  </MessagePrimitive.Root>
);

const parts = { UserMessage, AssistantMessage };

export function Chat() {
  const runtime = useChatRuntime({
    transport: transport ?? new AssistantChatTransport({ api: "/chat/ai-sdk" }),
    messages: history,
  });
  useSent((text) => runtime.thread.append(text));
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport style={{ height: "90vh", overflowY: "auto" }}>
          <ThreadPrimitive.Messages components={parts} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}
