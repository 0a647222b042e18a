// Says which tab runs the conversation, what came back after a crash, and what to try while something waits for the person.
import { useGlove } from "glove-wasm/react";
import { useEffect, useState } from "react";
import { useCrashed } from "../inspector/crash.js";
import { useKept } from "../width.js";
import { Icon } from "./icons.js";

export function Hint() {
  const tab = useGlove((state) => state.tab);
  const crashed = useCrashed();
  return <p className="hint">{tab !== "leader" ? tabs[tab] : crashed !== undefined && backAfter(crashed)}</p>;
}

const backAfter = (seconds: number) => `This tab crashed ${seconds} s ago. Everything is back.`;

const tabs = {
  follower: "Another tab is running this. You can answer in either one.",
  blocked: "This is open in another tab that does not respond. Close that tab to continue here.",
  outdated: "A newer version of this page is open in another tab. Reload to continue here.",
};

/** Below the first question of a scene, until it is answered or the hint is put away. */
export function ReloadHint({ scene }: { scene: string }) {
  const waits = useGlove(({ run, storage, tab }) => run.phase === "waiting" && storage !== "memory" && tab === "leader");
  const [seen, see] = useKept(`demo-reload-hint-${scene}`);
  const [shown, show] = useState(false);
  useEffect(() => {
    if (!waits) show(false);
    else if (!seen) {
      show(true);
      see(true);
    }
  }, [waits, seen, see]);
  if (!shown) return null;
  return (
    <p className="reload-hint">
      Reload the page: this stays.
      <button type="button" aria-label="Dismiss the hint" onClick={() => show(false)}>
        <Icon name="close" />
      </button>
    </p>
  );
}
