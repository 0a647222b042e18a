// Says what to try, while something waits for the person, and which tab runs the conversation.
import { useGlove } from "glove-wasm/react";

export function Hint() {
  const tab = useGlove((state) => state.tab);
  const waits = useGlove(({ run, storage }) => run.phase === "waiting" && storage !== "memory");
  return <p className="hint">{tab !== "leader" ? told[tab] : waits && "Reload the page now: it will be here again."}</p>;
}

const told = {
  follower: "Another tab runs this. Both show the same; answer in either.",
  blocked: "Another tab has this open and does not answer, or is an older version.",
  outdated: "A newer version of this page has taken over. Reload to go on here.",
};
