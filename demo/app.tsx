// The page: an application on the left, the conversation in the middle, and what happens inside on the right.
import { GloveProvider, Render, useGlove } from "glove-wasm/react";
import { type ReactNode, useId, useState } from "react";
import { Hint } from "./chat/hint.js";
import { Phase } from "./chat/phase.js";
import { type Scroll, useScroll } from "./chat/scroll.js";
import { Sessions } from "./chat/sessions.js";
import { Suggestions } from "./chat/suggestions.js";
import { Tasks } from "./chat/tasks.js";
import { ToolStatus } from "./chat/tool-status.js";
import { Undo } from "./chat/undo.js";
import { Welcome } from "./chat/welcome.js";
import { Inside } from "./inside/inside.js";
import { modelOf, useChoice } from "./model/choice.js";
import { ModelSwitch } from "./model/switch.js";
import type { Scene } from "./scene.js";
import { scenes, useScene } from "./scenes.js";

export function App() {
  const scene = useScene();
  // Each scene has a client of its own: its tools, its conversations, its database.
  return (
    <GloveProvider key={scene.id} client={scene.client}>
      <Page scene={scene} />
    </GloveProvider>
  );
}

type View = "Chat" | "App" | "Inside";

function Page({ scene }: { scene: Scene }) {
  useChoice();
  const glove = useGlove({ model: modelOf(scene.id, scene.assistant) });
  const [view, setView] = useState<View>("Chat");
  const heading = useId();
  const empty = glove.sessionReady && glove.timeline.length === 0;
  const scroll = useScroll(empty);
  return (
    <div className="page" data-view={view} data-scene={scene.id}>
      <header className="top">
        <h1 className="brand">
          <Mark /> glove-wasm
        </h1>
        <SceneSwitch current={scene} />
        <div className="controls">
          <ModelSwitch />
          <Sessions glove={glove} />
        </div>
      </header>
      <main>
        <section className="side" aria-label="Application">
          <scene.Panel />
          <Tasks />
        </section>
        <section className="chat" aria-labelledby={heading}>
          <h2 className="heard" id={heading}>
            Conversation
          </h2>
          <div className="bar">
            <Phase />
            <Hint />
            <Undo />
          </div>
          <Conversation scroll={scroll}>
            {empty && <Welcome scene={scene} send={glove.sendMessage} />}
            <Render glove={glove} welcome={null} renderToolStatus={ToolStatus} />
          </Conversation>
          <Suggestions suggestions={scene.suggestions} send={glove.sendMessage} />
        </section>
        <section className="inside" aria-label="Inside">
          <Inside sessionId={glove.sessionId} scene={scene.id} />
        </section>
      </main>
      <Views view={view} choose={setView} panelName={scene.panelName} />
    </div>
  );
}

function Conversation({ scroll, children }: { scroll: Scroll; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard.
    <section className="scroll" aria-label="Messages" tabIndex={0} ref={scroll.outer} onScroll={scroll.onScroll}>
      <div className="content" ref={scroll.inner}>
        {children}
      </div>
    </section>
  );
}

function SceneSwitch({ current }: { current: Scene }) {
  return (
    <nav className="scenes" aria-label="Scenes">
      {scenes.map(({ id, name }) => (
        <a key={id} href={`#${id}`} aria-current={id === current.id ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** Small screens show one part at a time. */
function Views({ view, choose, panelName }: { view: View; choose: (view: View) => void; panelName: string }) {
  const names: Readonly<Record<View, string>> = { Chat: "Chat", App: panelName, Inside: "Inside" };
  return (
    <nav className="views" aria-label="Views">
      {(Object.keys(names) as View[]).map((name) => (
        <button key={name} type="button" aria-pressed={view === name} onClick={() => choose(name)}>
          {names[name]}
        </button>
      ))}
    </nav>
  );
}

function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M9 22V12a7 7 0 0 1 14 0v10M9 22h14" />
    </svg>
  );
}
