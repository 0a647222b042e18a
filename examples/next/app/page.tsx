// Rendered on the server; the chat inside is a client component.
import { Chat } from "./chat";

export default function Page() {
  return (
    <main>
      <h1>Help desk</h1>
      <p>Tell what is broken. A ticket form comes up; reload the page, and it is still there.</p>
      <Chat />
    </main>
  );
}
