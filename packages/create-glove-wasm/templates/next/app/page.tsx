// Rendered on the server; the chat is a client component.
import { Chat } from "./chat";

export default function Page() {
  return <Chat />;
}
