// The page: conversations on the left, the chat in the middle, and on demand the scene's application and what happens inside.
import { GloveProvider, Render, type Suggestion, ThreadList, useGlove } from "glove-wasm/react";
import { useId, useMemo, useRef, useState } from "react";
import { Hint, ReloadHint } from "./chat/hint.js";
import { Phase } from "./chat/phase.js";
import { Suggestions } from "./chat/suggestions.js";
import { Tasks } from "./chat/tasks.js";
import { Undo } from "./chat/undo.js";
import { Welcome } from "./chat/welcome.js";
import { Inside } from "./inside/inside.js";
import { modelOf, useChoice } from "./model/choice.js";
import { ModelSwitch } from "./model/switch.js";
import type { Scene } from "./scene.js";
import { scenes, useScene } from "./scenes.js";
import { useKept, useRoom } from "./width.js";

export function App() {
  const scene = useScene();
  // Each scene has a client of its own: its tools, its conversations, its database.
  return (
    <GloveProvider key={scene.id} client={scene.client}>
      <Page scene={scene} />
    </GloveProvider>
  );
}

function Page({ scene }: { scene: Scene }) {
  useChoice();
  const glove = useGlove({ model: modelOf(scene.id, scene.assistant) });
  const room = useRoom();
  const wide = room > 1;
  const [inside, setInside] = useKept("demo-inside");
  /** The conversation that is scrolled down: the bar gets an edge over it. */
  const [scrolled, setScrolled] = useState<string>();
  // Beside the chat, or below it on a phone; both at once where there is room.
  const [wanted, setWanted] = useState<boolean>();
  const panel = (wanted ?? wide) && (room === 3 || !inside);
  const { panel: application, tries } = scene;
  const suggestions = useMemo(() => (application ? undefined : tries.map(({ say }): Suggestion => say)), [application, tries]);
  const choosePanel = () => {
    setWanted(!panel);
    if (room < 3) setInside(false);
  };
  return (
    <div
      className="page"
      data-scene={scene.id}
      data-panel={application && panel ? "" : undefined}
      data-inside={inside ? "" : undefined}
    >
      <Sidebar scene={scene} wide={wide} />
      <main
        className="chat"
        data-scrolled={scrolled === glove.sessionId ? "" : undefined}
        onScrollCapture={({ target }) => {
          if (!(target instanceof Element && target.matches("[data-glove-scroller]"))) return;
          setScrolled(target.scrollTop > 0 ? glove.sessionId : undefined);
        }}
      >
        <h1 className="heard">{scene.name}</h1>
        <header className="bar">
          {!wide && (
            <button type="button" popoverTarget="sidebar" aria-label="Conversations and scenes">
              ☰
            </button>
          )}
          <Phase />
          <Hint />
          {application && <Undo />}
          {application && (
            <button type="button" aria-pressed={panel} onClick={choosePanel}>
              {application.name}
            </button>
          )}
          <button type="button" aria-pressed={inside} onClick={() => setInside(!inside)}>
            Inspector
          </button>
        </header>
        <Render
          glove={glove}
          welcome={application ? <Welcome scene={scene} send={glove.sendMessage} /> : scene.title}
          suggestions={suggestions}
        />
        <ReloadHint />
        {scene.suggestions && <Suggestions suggestions={scene.suggestions} send={glove.sendMessage} />}
      </main>
      {application && (
        <section className="side" aria-label="Application" hidden={!panel}>
          <application.View />
          <Tasks />
        </section>
      )}
      {/* It listens while it is folded, too. */}
      <section className="inside" aria-label="Inspector" hidden={!inside}>
        <Inside sessionId={glove.sessionId} scene={scene.id} />
      </section>
    </div>
  );
}

/** Beside the chat; on small screens a drawer over it. */
function Sidebar({ scene, wide }: { scene: Scene; wide: boolean }) {
  const element = useRef<HTMLElement>(null);
  const heading = useId();
  const close = () => {
    if (!wide) element.current?.hidePopover();
  };
  return (
    <aside ref={element} id="sidebar" className="sidebar" aria-labelledby={heading} popover={wide ? undefined : "auto"}>
      <p className="brand" id={heading}>
        <Mark /> glove-wasm
      </p>
      <nav className="scenes" aria-label="Scenes">
        {scenes.map(({ id, name }) => (
          <a key={id} href={`#${id}`} aria-current={id === scene.id ? "page" : undefined} onClick={close}>
            {name}
          </a>
        ))}
      </nav>
      <ThreadList onSelect={close} />
      <ModelSwitch />
    </aside>
  );
}

function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M9 22V12a7 7 0 0 1 14 0v10M9 22h14" />
    </svg>
  );
}
