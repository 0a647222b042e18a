// A page with two columns, the list of threads and the chat, over the browser's database.

import {
  GloveClient,
  type GloveClientConfig,
  GloveProvider,
  generateTitles,
  Render,
  ThreadList,
  useGlove,
  useThreads,
  useUnread,
} from "glove-wasm/react";
import { createScriptedModel, type ScriptedAnswer } from "glove-wasm/testing";
import { useRef } from "react";
import { createRoot } from "react-dom/client";

function Chat() {
  return <Render glove={useGlove()} suggestions={["Plan a day in Lisbon"]} />;
}

function Page() {
  const menu = useRef<HTMLDivElement>(null);
  return (
    <div className="app">
      <div ref={menu} id="threads" className="threads" popover={innerWidth < 640 ? "auto" : undefined}>
        <ThreadList onSelect={() => menu.current?.matches(":popover-open") && menu.current.hidePopover()} />
      </div>
      <main>
        <button type="button" className="menu" popoverTarget="threads">
          Conversations
        </button>
        <Chat />
      </main>
    </div>
  );
}

const style = new CSSStyleSheet();
style.replaceSync(`
  body { margin: 0; }
  .app { display: grid; grid-template-columns: 17rem minmax(0, 1fr); height: 100dvh; }
  .threads { min-height: 0; border: 0; padding: 0; }
  main { display: flex; flex-direction: column; min-height: 0; }
  main > :last-child { flex: 1; }
  .menu { display: none; }
  @media (width < 40rem) {
    .app { grid-template-columns: minmax(0, 1fr); }
    .threads { width: min(18rem, 85vw); height: 100dvh; max-height: none; margin: 0; }
    .menu { display: block; padding: 0.75rem 1rem; border: 0; text-align: start; font: inherit; background: Canvas; color: CanvasText; }
  }
`);
document.adoptedStyleSheets = [style];

let commits = 0;
/** Counts how often the list renders. */
function Count() {
  useThreads();
  commits++;
  return null;
}

/** Marks what nobody has looked at, and tells of it. */
function Unread() {
  useUnread({ notify: ({ title, reason }) => ({ title, body: reason }) });
  return null;
}

interface More {
  /** The list without a chat beside it. */
  readonly listOnly?: boolean;
  readonly unread?: boolean;
  /** What a model answers that is asked for titles. */
  readonly titles?: readonly ScriptedAnswer[];
}

const look = {
  /** Shows the page over a client whose models answer from a script; on its own where the chat is left away. */
  open(script: readonly ScriptedAnswer[], config: Partial<GloveClientConfig> = {}, { listOnly, unread, titles }: More = {}) {
    const client = new GloveClient({
      createModel: () => createScriptedModel(script),
      systemPrompt: "",
      persistSession: true,
      ...config,
    });
    if (titles) generateTitles(client, { model: createScriptedModel(titles) });
    const root = document.createElement("div");
    document.body.replaceChildren(root);
    createRoot(root).render(
      <GloveProvider client={client}>
        {listOnly ? <ThreadList /> : <Page />}
        <Count />
        {unread && <Unread />}
      </GloveProvider>,
    );
    Object.assign(globalThis, { client });
  },
  commits: () => commits,
};
Object.assign(globalThis, { look });
