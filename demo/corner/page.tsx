// The scene of a site: a chat in its corner, conversations that a model names, marks of what is unread, and a search in all of them.
import { ChatWidget, createEndpointModel, GloveClient, GloveProvider, generateTitles, useUnread } from "glove-wasm/react";
import { useState } from "react";
import { scripted } from "../network/script.js";
import { corner as scene } from "../scenes.js";
import { Sidebar, Switches } from "../sidebar.js";
import { useRoom } from "../width.js";
import { assistant, titles } from "./assistant.js";

const client = new GloveClient({
  createModel: () => createEndpointModel("script:", { fetch: scripted(assistant) }),
  systemPrompt: "You answer for a joiner's workshop.",
  database: { name: "demo-corner" },
  persistSession: "demo-corner",
});
generateTitles(client, { model: createEndpointModel("script:", { fetch: scripted(titles) }) });

export function CornerPage() {
  const docked = useRoom() > 1;
  const [open, setOpen] = useState(false);
  return (
    <GloveProvider client={client}>
      <Unread />
      <div className="page" data-scene={scene.id}>
        <Sidebar scene={scene} docked={docked} model={false} list={{ search: "always", onSelect: () => setOpen(true) }} />
        <main className="chat">
          {!docked && (
            <header className="bar">
              <Switches scene={scene} />
            </header>
          )}
          <article className="site">
            <h1>Chairs for long dinners</h1>
            <p>Oak, ash and walnut, cut in our own workshop and sent in a box that one person can carry.</p>
            <p>
              The button in the corner opens a chat. After its first answer, a second model names the conversation. What comes
              while the chat is closed, or in another conversation, is marked. The search finds words in all messages, also in
              those of other conversations.
            </p>
            <h2>Ask about</h2>
            <ul>
              <li>the care of an oiled table</li>
              <li>delivery, and what fits through your door</li>
              <li>the wood, and where it comes from</li>
            </ul>
          </article>
        </main>
        <ChatWidget
          label="Ask the workshop"
          open={open}
          onOpenChange={setOpen}
          suggestions={["How do I care for an oiled table?", "When will a chair arrive?", "Which wood do you use?"]}
        />
      </div>
    </GloveProvider>
  );
}

function Unread() {
  useUnread();
  return null;
}
