// The page: somebody signs in, and has the conversations that are theirs, on any device.
import { GloveClient, GloveProvider, Render, useGlove } from "glove-wasm/react";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { asking, serverStore } from "./store";
import "./style.css";

const ask = asking();

const client = new GloveClient({
  endpoint: "/api/chat",
  systemPrompt: "You keep notes for a team.",
  createStore: (id) => serverStore(id, ask),
});

interface Mine {
  readonly name: string;
  readonly sessions: readonly { readonly id: string; readonly title: string }[];
}

function Page() {
  const glove = useGlove();
  const [mine, setMine] = useState<Mine | null>();
  const { busy, sessionId } = glove;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is another one after each answer.
  useEffect(() => {
    ask("sessions").then(
      (found) => setMine(found as Mine),
      () => setMine(null),
    );
  }, [busy, sessionId]);
  const signIn = async (form: FormData) => {
    await ask("sign-in", { name: form.get("name") });
    location.reload();
  };
  return (
    <div className="app">
      <main>
        {mine ? <Render glove={glove} welcome={`Hello, ${mine.name}`} suggestions={["The release is on Friday"]} /> : null}
      </main>
      <aside aria-label="Conversations">
        <h1>{mine ? mine.name : "Who are you?"}</h1>
        {mine === null && (
          <form action={signIn}>
            <input name="name" aria-label="Name" required />
            <button type="submit">Sign in</button>
          </form>
        )}
        <ul>
          {mine?.sessions.map(({ id, title }) => (
            <li key={id}>
              <button type="button" className="row" aria-current={id === sessionId} onClick={() => glove.switchConversation(id)}>
                {title}
              </button>
            </li>
          ))}
        </ul>
        {mine && (
          <button type="button" className="row" onClick={() => void glove.newConversation()}>
            + New conversation
          </button>
        )}
      </aside>
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <GloveProvider client={client}>
    <Page />
  </GloveProvider>,
);
