// The page: conversations on the left, the chat in the middle, and on demand the scene's application and what happens inside.
import { GloveProvider, Render, useGlove } from "glove-wasm/react";
import { lazy, Suspense, useState } from "react";
import { Hint, ReloadHint } from "./chat/hint.js";
import { Icon } from "./chat/icons.js";
import { Phase } from "./chat/phase.js";
import { Suggestions } from "./chat/suggestions.js";
import { Tasks } from "./chat/tasks.js";
import { Undo } from "./chat/undo.js";
import { Welcome } from "./chat/welcome.js";
import { Inside } from "./inspector/inspector.js";
import { modelOf, useChoice } from "./model/choice.js";
import type { Scene } from "./scene.js";
import { task, useScene } from "./scenes.js";
import { Sidebar, Switches } from "./sidebar.js";
import { useKept, useRoom } from "./width.js";

const CornerPage = lazy(async () => ({ default: (await import("./corner/page.js")).CornerPage }));
const TaskPage = lazy(async () => ({ default: (await import("./task/page.js")).TaskPage }));

export function App() {
  const scene = useScene();
  if (!("client" in scene)) {
    return <Suspense fallback={null}>{scene === task ? <TaskPage /> : <CornerPage />}</Suspense>;
  }
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
  const [inside, setInside] = useKept("demo-inside");
  /** The conversation that is scrolled down: the bar gets an edge over it. */
  const [scrolled, setScrolled] = useState<string>();
  // Beside the chat, or below it on a phone; both at once where there is room.
  const [wanted, setWanted] = useState<boolean>();
  const { panel: application } = scene;
  const panel = !!application && (wanted ?? room > 1) && (room === 3 || !inside);
  const docked = room > 1 || (room === 1 && !panel && !inside);
  const choosePanel = () => {
    setWanted(!panel);
    if (room < 3) setInside(false);
  };
  return (
    <div className="page" data-scene={scene.id} data-panel={panel || inside ? "" : undefined}>
      <Sidebar scene={scene} docked={docked} />
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
          {!docked && <Switches scene={scene} />}
          <Phase />
          <div className="bar-end">
            <Undo />
            {application && (
              <button type="button" aria-pressed={panel} onClick={choosePanel}>
                <Icon name={application.icon} />
                <span>{application.name}</span>
              </button>
            )}
            <button type="button" aria-pressed={inside} onClick={() => setInside(!inside)}>
              <Icon name="inspector" />
              <span>Inspector</span>
            </button>
          </div>
        </header>
        <Hint />
        <Render glove={glove} welcome={<Welcome scene={scene} send={glove.sendMessage} />} />
        <ReloadHint scene={scene.id} />
        <Suggestions suggestions={scene.suggestions} send={glove.sendMessage} />
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
