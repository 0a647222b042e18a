// The page: a shop on the left, the conversation in the middle, and what happens inside on the right.
import { Render, useGlove } from "glove-wasm/react";
import { type ReactNode, useState } from "react";
import { Inspector } from "./inspector.js";
import { Meter } from "./meter.js";
import { type Scroll, useScroll } from "./scroll.js";
import { Sessions } from "./sessions.js";
import { suggestions } from "./shop/assistant.js";
import { useCart } from "./shop/cart.js";
import { CartPanel } from "./shop/cart-panel.js";
import { Tasks } from "./tasks.js";
import { ToolStatus } from "./tool-status.js";

const views = ["Chat", "Cart", "Inspector"] as const;
type View = (typeof views)[number];

export function App() {
  const glove = useGlove();
  const [view, setView] = useState<View>("Chat");
  const scroll = useScroll();
  return (
    <div className="page" data-view={view}>
      <header className="top">
        <h1>
          Nook <span className="quiet">a shop with a glove-wasm assistant</span>
        </h1>
        <Sessions glove={glove} />
        <Views view={view} choose={setView} />
      </header>
      <aside className="side" aria-label="Cart and tasks">
        <CartPanel />
        <Tasks />
      </aside>
      <main className="chat">
        <div className="bar">
          <Meter />
          <button type="button" className="plain" disabled={glove.busy} onClick={() => void glove.undo()}>
            Undo
          </button>
        </div>
        <Conversation scroll={scroll}>
          <Welcome empty={glove.sessionReady && glove.timeline.length === 0} />
          <Render glove={glove} renderToolStatus={ToolStatus} />
        </Conversation>
        <Suggestions send={glove.sendMessage} />
        <Hint />
      </main>
      <aside className="inside" aria-label="Inspector">
        <Inspector sessionId={glove.sessionId} />
      </aside>
    </div>
  );
}

function Conversation({ scroll, children }: { scroll: Scroll; children: ReactNode }) {
  return (
    <div className="scroll" ref={scroll.outer} onScroll={scroll.onScroll}>
      <div className="content" ref={scroll.inner}>
        {children}
      </div>
    </div>
  );
}

function Views({ view, choose }: { view: View; choose: (view: View) => void }) {
  const count = useCart().lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return (
    <nav className="views" aria-label="Views">
      {views.map((name) => (
        <button key={name} type="button" aria-pressed={view === name} onClick={() => choose(name)}>
          {name}
          {name === "Cart" && count > 0 && ` (${count})`}
        </button>
      ))}
    </nav>
  );
}

function Welcome({ empty }: { empty: boolean }) {
  if (!empty) return null;
  return (
    <div className="welcome">
      <h2>Ask for a desk, or press a suggestion</h2>
      <p>
        The answers come from a script in this page: no key, no network. All the rest is real. A Rust core runs the loop, the
        tools change the cart, questions wait for you, and the inspector shows what is recorded.
      </p>
    </div>
  );
}

function Suggestions({ send }: { send: (text: string) => unknown }) {
  return (
    <fieldset className="suggestions">
      <legend className="heard">Suggestions</legend>
      {suggestions.map((text) => (
        <button key={text} type="button" onClick={() => send(text)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** Says what a reload would do while something waits for the person. */
function Hint() {
  const waits = useGlove(({ slots, storage }) => storage !== "memory" && slots.some(isQuestion));
  if (!waits) return null;
  return <p className="hint">Reload the page now: the question will be here again.</p>;
}

// What a tool showed without waiting stays open as well; only a call that runs or waits has a question.
const isQuestion = ({ status, renderer }: { status: string; renderer: string }) =>
  status === "pending" && renderer !== "show_products";
