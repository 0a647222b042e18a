// Says what to try while something waits for the person, which tab runs the conversation, and what came back after a crash.
import { useGlove } from "glove-wasm/react";
import { useCrashed } from "../inside/crash.js";

export function Hint() {
  const tab = useGlove((state) => state.tab);
  const waits = useGlove(({ run, storage }) => run.phase === "waiting" && storage !== "memory");
  const crashed = useCrashed();
  return <p className="hint">{tab !== "leader" ? tabs[tab] : crashed !== undefined ? backAfter(crashed) : waits && waiting}</p>;
}

const waiting = "Reload the page now: it will be here again.";
const backAfter = (seconds: number) => `The tab crashed ${seconds} s ago, and all of it is back.`;

const tabs = {
  follower: "Another tab runs this. Both show the same; answer in either.",
  blocked: "Another tab has this open and does not answer, or is an older version.",
  outdated: "A newer version of this page has taken over. Reload to go on here.",
};
