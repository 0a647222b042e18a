// Ways to disturb a run. Each is what its name says.
import { useGlove } from "glove-wasm/react";
import { goOffline, setLine, useLine } from "../network/line.js";
import { Crash } from "./crash.js";

export function Tricks() {
  const { offline, slow, cut } = useLine((line) => line);
  const follows = useGlove(({ tab }) => tab === "follower");
  return (
    <section className="tricks" aria-label="Try to break it">
      <h2>Try to break it</h2>
      <div className="trick-buttons">
        <Crash />
        <button type="button" onClick={secondTab}>
          Second tab
        </button>
        <button type="button" disabled={follows} aria-pressed={cut} onClick={() => setLine({ cut: !cut })}>
          Cut the stream
        </button>
        <button type="button" disabled={follows} aria-pressed={offline} onClick={() => goOffline(!offline)}>
          Go offline
        </button>
        <button type="button" disabled={follows} aria-pressed={slow} onClick={() => setLine({ slow: !slow })}>
          Slow motion
        </button>
      </div>
      <p className="fine" role="status">
        {follows ? told.follows : cut ? told.cut : offline ? told.offline : slow ? told.slow : told.all}
      </p>
    </section>
  );
}

const told = {
  all: "Press one while an answer streams, a tool runs, or a question waits.",
  cut: "This answer, or the next one, breaks off in the middle. No tool runs from it.",
  offline: "No request leaves the page. What fails continues once you are online again.",
  slow: "Answers come slowly. Reload in the middle of one.",
  follows: "Another tab is running this conversation. Crash or close it, and this one takes over.",
};

/** Without an opener, the tab gets no copy of this one's session storage: a key stays where it was typed in. */
const secondTab = () => void window.open(location.href, "_blank", "noopener");
