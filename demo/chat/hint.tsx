// Says which tab runs the conversation, what came back after a crash, and what to try while something waits for the person.
import { useGlove } from "glove-wasm/react";
import { useCrashed } from "../inside/crash.js";
import { useKept } from "../width.js";

export function Hint() {
  const tab = useGlove((state) => state.tab);
  const crashed = useCrashed();
  return <p className="hint">{tab !== "leader" ? tabs[tab] : crashed !== undefined && backAfter(crashed)}</p>;
}

const backAfter = (seconds: number) => `The tab crashed ${seconds} s ago, and all of it is back.`;

const tabs = {
  follower: "Another tab runs this. Both show the same; answer in either.",
  blocked: "Another tab has this open and does not answer, or is an older version.",
  outdated: "A newer version of this page has taken over. Reload to go on here.",
};

/** Below the question, until it is answered or the hint is put away. */
export function ReloadHint() {
  const waits = useGlove(({ run, storage, tab }) => run.phase === "waiting" && storage !== "memory" && tab === "leader");
  const [closed, close] = useKept("demo-reload-hint-closed");
  if (!waits || closed) return null;
  return (
    <p className="reload-hint">
      Try it: reload now. The question will still be here.
      <button type="button" aria-label="Dismiss the hint" onClick={() => close(true)}>
        ×
      </button>
    </p>
  );
}
