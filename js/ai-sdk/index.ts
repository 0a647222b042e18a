// The entry for applications that draw with the AI SDK: our conversations as its messages, and a transport for its `useChat`.
export { createChatTransport } from "./transport.js";
export { type Conversation, toUIMessages } from "./ui-messages.js";
