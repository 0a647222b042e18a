// Ways to disturb a run. Each is what its name says; none is a play.
import { useGlove } from "glove-wasm/react";
import { useEffect, useState } from "react";
import { setLine, useLine } from "../line/line.js";

export function Tricks() {
  const { offline, slow, cut } = useLine((line) => line);
  const [refused, setRefused] = useState(false);
  useReconnect(offline);
  return (
    <section className="tricks" aria-label="Try to break it">
      <h2>Try to break it</h2>
      <div className="trick-buttons">
        <button
          type="button"
          onClick={() => setRefused(!crash())}
          title="The browser ends this tab's process. Reload it, and it goes on."
        >
          Crash this tab
        </button>
        <button type="button" onClick={secondTab} title="The same conversation, once more.">
          Second tab
        </button>
        <button
          type="button"
          aria-pressed={cut}
          onClick={() => setLine({ cut: !cut })}
          title="The answer breaks off in the middle; what came is no answer, and no tool runs from it."
        >
          Cut the stream
        </button>
        <button
          type="button"
          aria-pressed={offline}
          onClick={() => setLine({ offline: !offline })}
          title="No request leaves the page. It goes on when the line is back."
        >
          Go offline
        </button>
        <button
          type="button"
          aria-pressed={slow}
          onClick={() => setLine({ slow: !slow })}
          title="Each piece of an answer takes its time."
        >
          Slow motion
        </button>
      </div>
      <p className="fine" role="status">
        {refused
          ? "This browser survived it. Close the tab and open it again: it comes to the same."
          : cut
            ? "The answer that comes, or the next one, breaks off in the middle."
            : offline
              ? "Offline: no request leaves the page."
              : "Each is what it says. Press one while an answer streams, a tool runs, or a question waits."}
      </p>
    </section>
  );
}

/** A text of two gigabytes is more than the browser's engine can hold; Chromium ends the tab's process. */
function crash(): boolean {
  try {
    const long = "ā".repeat(2 ** 29 - 24);
    new Text(long).appendData(long);
  } catch {
    // Other browsers refuse instead.
  }
  return false;
}

/** A key that was typed in here stays here: a tab without an opener gets no copy of this tab's storage. */
const secondTab = () => void window.open(location.href, "_blank", "noopener");

/** A run that failed for want of a line goes on when the line is back. */
function useReconnect(offline: boolean): void {
  const resume = useGlove((state) => state.resume);
  const lost = useGlove(({ error }) => (error as { code?: string } | undefined)?.code === "MODEL_NETWORK");
  useEffect(() => {
    if (!lost) return;
    const back = () => void resume();
    if (!offline && navigator.onLine) return;
    addEventListener("online", back);
    return () => {
      removeEventListener("online", back);
    };
  }, [lost, offline, resume]);
  const [was, setWas] = useState(offline);
  if (was !== offline) setWas(offline);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the line's coming back is a reason.
  useEffect(() => {
    if (!offline && lost) void resume();
  }, [offline]);
}
